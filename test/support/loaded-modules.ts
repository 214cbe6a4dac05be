import type { CallOptions, CommandResult, Workspace } from "./workspace.ts";

/** What a call of hookctl loaded. */
export interface LoadedModules {
  readonly ended: CommandResult;
  /** Names of packages below node_modules, whether required or imported, and of those that are bundled. */
  readonly libraries: readonly string[];
  /** Parts of the hot way, as they are called in dist. */
  readonly parts: readonly string[];
}

/** Notes what is required, what is imported as an ES module, and which parts of the hot way are read. */
const SPY = `
// What a test has just written is as old as what people have: only then is it remembered.
const { now } = Date;
Date.now = () => now() + 3_600_000;
const fs = require("node:fs");
const { appendFileSync } = fs;
for (const name of ["readFileSync", "openSync"]) {
  const read = fs[name];
  fs[name] = function (path) {
    if (/\\.cjs$/.test(path)) appendFileSync(process.env.LOADS, path + "\\n");
    return read.apply(this, arguments);
  };
}
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

export async function loadedModules(
  place: Workspace,
  args: readonly string[],
  options: CallOptions = {},
): Promise<LoadedModules> {
  const spy = await place.write("spy.cjs", SPY);
  const log = await place.write("loads", "");
  const result = await place.run(args, {
    ...options,
    env: { ...options.env, NODE_OPTIONS: `--require=${spy}`, LOADS: log },
  });
  const noted = (await place.read(log)) ?? "";
  const names = (pattern: RegExp) => [...new Set([...noted.matchAll(pattern)].map(([, name]) => name ?? ""))].sort();
  return {
    ended: result,
    libraries: names(/\/(?:node_modules\/|dist\/cold\/library-)((?:@[^/\n]+\/)?[^/\n]+?)(?=\/|$|-[\w-]{8}\.js$)/gm).map(
      (name) => name.replace("_", "/"),
    ),
    parts: names(/\/dist\/([\w-]+)\.cjs$/gm),
  };
}
