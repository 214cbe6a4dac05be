import { realPathOrSame } from "../fs/paths.ts";
import { firstBytes } from "../fs/read-file.ts";

/** Enough for the comments and the imports of a hook. */
const HEAD_BYTES = 16 * 1024;
const STARTED_BY_NODE = /^#![^\n]*\bnode\b/;
const TYPESCRIPT = /\.[cm]?ts$/;
const OWN_IMPORT = /(?:from|import|import\(|require\()[ \t]*["']hookctl(?:\/(?:hook|testing))?["']/;

/**
 * True if Node can start a hook only with hookctl's loader: it is written in TypeScript, which Node 20 does not run, or
 * imports `hookctl/hook`, which Node finds only if hookctl is installed in a folder above the hook.
 */
export function needsNodeLoader(path: string): boolean {
  const head = firstBytes(path, HEAD_BYTES);
  if (head === null || !STARTED_BY_NODE.test(head)) return false;
  return OWN_IMPORT.test(head) || TYPESCRIPT.test(realPathOrSame(path));
}

/** True for the name of a module that the loader takes from the hookctl that starts the hook. */
export const isOwnModule = (name: string): boolean => /^hookctl(?:\/(?:hook|testing))?$/.test(name);

/** The package's folder, from a module in `src`, in `dist` or in the hot bundle. */
const packageFolder = (): string => import.meta.url.replace(/^(.*)\/(?:src|dist)\/.*$/, "$1");

/** The variables with which Node loads such a hook. */
export function nodeLoaderVariables(path: string, nodeOptions: string | undefined): Readonly<Record<string, string>> {
  if (!needsNodeLoader(path)) return {};
  const option = `--import=${packageFolder()}/dist/library/node-loader.js`;
  return { NODE_OPTIONS: nodeOptions === undefined ? option : `${option} ${nodeOptions}` };
}
