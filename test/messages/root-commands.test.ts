import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { rootCommand } from "../../packages/connect/report/agent-command.ts";
import { sourceFiles, sourceText } from "../support/sources.ts";

const docs = fileURLToPath(new URL("../../docs", import.meta.url));
const isAsRoot = (path: string): boolean => sourceText(path).includes("sudo hookctl");

test("no message tells a person to type `sudo hookctl` itself: sudo does not search the user's PATH", () => {
  expect([...sourceFiles(), "src/protocol/problem-messages/messages.json"].filter(isAsRoot)).toEqual([]);
  expect(rootCommand("hookctl doctor")).toMatch(/^(?:sudo npm install .* && )?sudo hookctl doctor$/);
});

test("a page with `sudo hookctl` says before it how root installs hookctl", () => {
  const pages = readdirSync(docs).filter((name) => name.endsWith(".md") && isAsRoot(join("docs", name)));
  expect(pages).toContain("teams.md");
  for (const page of pages)
    expect(sourceText(join("docs", page)).split("sudo hookctl")[0]).toContain("sudo npm install --global");
});
