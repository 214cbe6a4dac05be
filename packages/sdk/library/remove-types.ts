import { transform } from "sucrase";

/** The JavaScript of a TypeScript file, with each line where it was. */
export function removeTypes(source: string, path: string): string {
  try {
    return transform(source, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code;
  } catch (error) {
    const { loc, message } = error as Error & { loc?: { line: number; column: number } };
    throw new SyntaxError(`${path}:${loc?.line ?? 1}:${loc?.column ?? 1}: ${message.replace(/ \(\d+:\d+\)$/, "")}`);
  }
}
