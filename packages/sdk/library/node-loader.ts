import module from "node:module";
import { resolve } from "./node-loader-hooks.ts";

// Started by `--import` before a hook: the programs that the hook starts get the options without it.
const others = (process.env.NODE_OPTIONS ?? "").split(" ").filter((option) => option !== `--import=${import.meta.url}`);
if (others.length === 0) delete process.env.NODE_OPTIONS;
else process.env.NODE_OPTIONS = others.join(" ");

/** Newer than the types of Node 20. */
interface NewerNode {
  readonly registerHooks?: (hooks: { readonly resolve: typeof resolve }) => void;
}
const { registerHooks } = module as typeof module & NewerNode;
const removesTypes =
  Object.hasOwn(process.features, "typescript") && Boolean(Reflect.get(process.features, "typescript"));
if (removesTypes && registerHooks !== undefined) registerHooks({ resolve });
else module.register("./node-loader-hooks.js", import.meta.url);
