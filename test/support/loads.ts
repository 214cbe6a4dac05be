import type { CallOptions, Ended, Workspace } from "./workspace.ts";

/** What a call of hookctl loaded. */
export interface Loads {
  readonly ended: Ended;
  /** Names of packages below node_modules, whether required or imported. */
  readonly libraries: readonly string[];
}

/** Notes what is required, and what is imported as an ES module. */
const SPY = `
const { appendFileSync } = require("node:fs");
const Module = require("node:module");
const load = Module._load;
Module._load = function (id, parent, isMain) {
  if (/^[^./]/.test(id) && !Module.isBuiltin(id)) appendFileSync(process.env.LOADS, "/node_modules/" + id + "\\n");
  return load.apply(this, arguments);
};
Module.register("data:text/javascript," + encodeURIComponent(\`
  import { appendFileSync } from "node:fs";
  export async function resolve(specifier, context, next) {
    const found = await next(specifier, context);
    appendFileSync(process.env.LOADS, found.url + "\\\\n");
    return found;
  }\`));
`;

export async function loadsOf(place: Workspace, args: readonly string[], options: CallOptions = {}): Promise<Loads> {
  const spy = await place.write("spy.cjs", SPY);
  const log = await place.write("loads", "");
  const ended = await place.run(args, {
    ...options,
    env: { ...options.env, NODE_OPTIONS: `--require=${spy}`, LOADS: log },
  });
  const names = [...((await place.read(log)) ?? "").matchAll(/\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/g)];
  return { ended, libraries: [...new Set(names.map(([, name]) => name ?? ""))].sort() };
}
