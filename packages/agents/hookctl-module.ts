/** The first words of a module that hookctl wrote. */
const MARK = "// hookctl: this file is written by";
const LINES = /^const LINES = (\{[\s\S]*?^\});$/m;

export const isHookctlModule = (text: string): boolean => text.startsWith(MARK);

/** The registered command of each event in a module that hookctl wrote. */
export function registrationsInModule(text: string): Readonly<Record<string, unknown>> {
  const found = isHookctlModule(text) ? LINES.exec(text)?.[1] : undefined;
  try {
    return Object(JSON.parse(found ?? "{}"));
  } catch {
    return {};
  }
}
