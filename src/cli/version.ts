import { readFileSync } from "node:fs";
import { PACKAGE_ROOT } from "../fs/package-root.ts";

export function versionText(): string {
  const text = readFileSync(new URL("package.json", PACKAGE_ROOT), "utf8");
  return `${String((JSON.parse(text) as { version: unknown }).version)}\n`;
}
