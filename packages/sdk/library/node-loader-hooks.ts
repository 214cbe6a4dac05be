import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

interface Resolved {
  readonly url: string;
  readonly shortCircuit?: boolean;
}
interface Loaded {
  readonly format: "module" | "commonjs";
  readonly source: string;
  readonly shortCircuit: true;
}

const OWN: Readonly<Record<string, string>> = {
  hookctl: "index",
  "hookctl/hook": "hook",
  "hookctl/testing": "testing",
};

/** hookctl's own modules are those of the hookctl that starts the hook, wherever the hook is. */
export function resolve<R>(
  specifier: string,
  context: unknown,
  next: (specifier: string, context: unknown) => R,
): R | Resolved {
  const own = Object.hasOwn(OWN, specifier) ? OWN[specifier] : undefined;
  if (own === undefined) return next(specifier, context);
  return { url: new URL(`../${own}.js`, import.meta.url).href, shortCircuit: true };
}

/** Removes the types of a TypeScript file each time that it is loaded: no compiled file exists that could be outdated. */
export async function load<R>(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => R,
): Promise<Awaited<R> | Loaded> {
  const { pathname, protocol } = new URL(url);
  const ending = /\.([cm]?)ts$/.exec(pathname)?.[1];
  if (protocol !== "file:" || ending === undefined) return await next(url, context);
  const { removeTypes } = await import("./remove-types.ts");
  const source = removeTypes(await readFile(fileURLToPath(url), "utf8"), fileURLToPath(url));
  const isModule = ending === "m" || (ending === "" && /^(?:import|export)\b/m.test(source));
  return { format: isModule ? "module" : "commonjs", source, shortCircuit: true };
}
