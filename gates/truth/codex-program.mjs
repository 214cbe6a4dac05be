// Stands for Codex, as far as it tells which registered entries it trusts (`app-server`, one JSON value a line), and as a person
// trusts them in /hooks (`trust FOLDER`).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parse as parseToml } from "smol-toml";
import { codexEntries } from "./codex.mjs";

const home = join(process.env.HOME ?? "", ".codex");
const file = join(home, "config.toml");

/** @param {string} folder */
const entriesIn = (folder) => [home, join(folder, ".codex")].flatMap((one) => codexEntries(join(one, "hooks.json")));

/** @param {string} cwd */
function listed(cwd) {
  const config = existsSync(file) ? parseToml(readFileSync(file, "utf8")) : {};
  const { projects, hooks } = /** @type {import("../json.mjs").Unchecked} */ (config);
  const isReached = projects?.[cwd]?.trust_level === "trusted";
  const reached = entriesIn(cwd).filter((one) => isReached || one.file.startsWith(home));
  return reached.map(({ key, event, hash, file: sourcePath, handler: { command, timeout } }) => {
    const { trusted_hash: stored, enabled = true } = hooks?.state?.[key] ?? {};
    const trustStatus = stored === undefined ? "untrusted" : stored === hash ? "trusted" : "modified";
    const eventName = event.charAt(0).toLowerCase() + event.slice(1);
    const source = sourcePath.startsWith(home) ? "user" : "project";
    const rest = { handlerType: "command", command, timeoutSec: timeout, sourcePath, source };
    return { key, eventName, enabled, currentHash: hash, trustStatus, ...rest };
  });
}

const [word, folder = ""] = process.argv.slice(2);
if (word === "--version") process.stdout.write("codex-cli 0.169.0\n");
if (word === "trust") {
  const trusted = entriesIn(folder).map(({ key, hash }) => `[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`);
  mkdirSync(home, { recursive: true });
  writeFileSync(file, `[projects."${folder}"]\ntrust_level = "trusted"\n${trusted.join("")}`);
}
if (word === "app-server") {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    const { cwds = [] } = params ?? {};
    const data = cwds.map((/** @type {string} */ cwd) => ({ cwd, hooks: listed(cwd), warnings: [], errors: [] }));
    const result = method === "hooks/list" ? { data } : { userAgent: "codex/0.169.0", codexHome: home };
    if (id !== undefined) process.stdout.write(`${JSON.stringify({ id, result })}\n`);
  }
}
