import { realPathOrSame } from "../fs/paths.ts";
import { firstBytes } from "../fs/read-file.ts";

/** Enough for the comments and the imports of a hook. */
const HEAD_BYTES = 16 * 1024;
/** Nothing before `node` that could take NODE_OPTIONS away, as `env -i` does. */
const STARTED_BY_NODE = /^#![ \t]*(?:\S*\/env[ \t]+(?:-S[ \t]*)?)?(?:\S*\/)?node(?=\s|$)/;
const TYPESCRIPT = /\.[cm]?ts$/;
const OWN_IMPORT = /\b(?:from|import)[ \t]*\(?[ \t]*["']hookctl(?:\/(?:hook|testing))?["']/g;
const MENTION = /["'`]hookctl(?:\/|["'`])/;

/**
 * True if Node can start a hook only with hookctl's loader: it is written in TypeScript, which Node 20 does not run, or
 * imports `hookctl/hook`, which Node finds only if hookctl is installed in a folder above the hook.
 */
export function needsNodeLoader(path: string): boolean {
  const head = firstBytes(path, HEAD_BYTES);
  if (head === null || !STARTED_BY_NODE.test(head)) return false;
  return head.search(OWN_IMPORT) !== -1 || TYPESCRIPT.test(realPathOrSame(path));
}

/** True if the hook's import of `name` is served by the running hookctl, so that no file of the project needs approval for it. */
export const isFromLoader = (name: string, path: string, text: string): boolean =>
  /^hookctl(?:\/(?:hook|testing))?$/.test(name) &&
  needsNodeLoader(path) &&
  // On Node 20 the loader does not see `require`, which would take a copy of the project.
  !MENTION.test(text.replace(OWN_IMPORT, ""));

/** The URL of the npm package's folder, from a module in `src`, in `dist` or in the hot bundle. */
export const packageFolder = (): string => import.meta.url.replace(/^(.*)\/(?:src|dist)\/.*$/, "$1");

/** The variables with which Node loads such a hook. */
export function nodeLoaderVariables(
  path: string,
  nodeOptions: string | undefined,
  isNeeded = needsNodeLoader,
): Readonly<Record<string, string>> {
  if (!isNeeded(path)) return {};
  const option = `--import=${packageFolder()}/dist/programs/node-loader.js`;
  return { NODE_OPTIONS: nodeOptions === undefined ? option : `${option} ${nodeOptions}` };
}
