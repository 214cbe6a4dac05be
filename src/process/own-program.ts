/** The first argument with which the native executable starts as the program that renders templates. */
export const TEMPLATE_PROGRAM = "template-program";

/** True in the native executable, where files of the package are inside the program. */
export const isNative = (): boolean =>
  (globalThis as { readonly Bun?: { readonly isStandaloneExecutable?: boolean } }).Bun?.isStandaloneExecutable === true;
