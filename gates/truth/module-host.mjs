// Loads the module that `hookctl init` wrote as opencode or pi does, raises one tool call, and prints what became of it.
import { readFileSync } from "node:fs";

const [agent = "", module = "", directory = "", call = ""] = process.argv.slice(2);
/** @type {{ tool: string, input: object }} */
const { tool, input } = JSON.parse(call);
// Whatever its ending is. An agent goes on without a module that does not load.
const loaded = await import(`data:text/javascript;base64,${readFileSync(module, "base64")}`).catch(() => ({}));
process.stdout.write((await (agent === "pi" ? inPi() : inOpencode())) ? "stopped" : "ran");

/** opencode calls every export of a plugin; a hook stops a call by throwing. */
async function inOpencode() {
  for (const plugin of Object.values(loaded)) {
    const hooks = await plugin({ directory, worktree: directory, client: {} });
    const call = { tool, sessionID: "s1", callID: "c1" };
    const isFree = await hooks["tool.execute.before"]?.(call, { args: { description: "x", ...input } }).then(
      () => true,
      () => false,
    );
    if (isFree === false) return true;
  }
  return false;
}

/** pi calls the default export once; a handler stops a call by its result. */
async function inPi() {
  const handlers = /** @type {((event: object, context: object) => Promise<{ block?: boolean } | undefined>)[]} */ ([]);
  loaded.default?.({
    on: (/** @type {string} */ event, /** @type {typeof handlers[number]} */ handler) => {
      if (event === "tool_call") handlers.push(handler);
    },
  });
  const context = { cwd: directory, hasUI: false, sessionManager: { getSessionId: () => "s1" } };
  for (const handler of handlers) {
    const result = await handler({ toolName: tool, toolCallId: "c1", input }, context);
    if (result?.block === true) return true;
  }
  return false;
}
