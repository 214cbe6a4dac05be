// Writes docs/pictures/report.png: the top of a report that hookctl makes of a week of runs, as chromium shows it.
// By hand, after a change of the page: another machine's fonts give another picture, so no test compares it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "hookctl-picture-"));
const page = join(home, "report.html");
const HOUR_MS = 3_600_000;
const HOURS = 7 * 24;
const BEGIN_MS = Date.parse("2026-03-02T00:00:00Z");

/** The same numbers on every run, from 0 to 1. */
let seed = 42;
function random() {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return seed / 0x7fffffff;
}

const CALLS = ["npm test", "git status", "src/cart.ts", "npm run build", "git diff", "rg TODO src", "README.md"];
const BLOCKS = [
  { call: "git push --force origin main", reason: "`git push --force origin main` overwrites the remote's commits." },
  { call: "git reset --hard", reason: "`git reset --hard` discards uncommitted changes." },
  { call: "cat ~/.aws/credentials", reason: "`cat ~/.aws/credentials` reads AWS credentials." },
];

/** @param {number} count */
const oneOf = (count) => Math.floor(random() * count);

/** @param {number} timeMs */
function runLine(timeMs) {
  const block = random() < 0.02 ? BLOCKS[oneOf(BLOCKS.length)] : undefined;
  const slowMs = 120 * Math.exp((random() + random() - 1) * 2);
  const outcome = random() < 0.004 ? "failed" : "modify";
  const hooks = [
    { name: "log-calls", outcome: "observed", start_ms: 1.1, duration_ms: 5 + random() * 4 },
    {
      name: "guard",
      outcome: block === undefined ? "continue" : "block",
      start_ms: 9.2,
      duration_ms: 18 + random() * 9,
    },
    { name: "format", outcome, failure: "HOOK_TIMED_OUT", start_ms: 36.4, duration_ms: slowMs },
  ].slice(0, block === undefined ? 3 : 2);
  return `${JSON.stringify({
    ...{
      schema: "hookctl.record/1",
      time: new Date(timeMs).toISOString(),
      run_id: `01KJN${timeMs.toString(36).toUpperCase()}`,
    },
    ...{ event: "before_tool_call", tool: "Bash", agent: "claude", call: block?.call ?? CALLS[oneOf(CALLS.length)] },
    ...{ decision: block === undefined ? "continue" : "block", decided_by: block && "guard", reason: block?.reason },
    ...{ duration_ms: block === undefined ? 40 + slowMs : 40, hooks },
  })}\n`;
}

/** Busy on working days, from morning to evening. @param {number} hour */
const runsIn = (hour) => (hour % 24 >= 8 && hour % 24 < 19 && hour < 5 * 24 ? 20 + oneOf(50) : oneOf(3));

const times = Array.from({ length: HOURS }, (_, hour) =>
  Array.from({ length: runsIn(hour) }, () => Math.round(BEGIN_MS + (hour + random()) * HOUR_MS)).sort((a, b) => a - b),
);
mkdirSync(join(home, ".local", "state", "hookctl"), { recursive: true, mode: 0o700 });
writeFileSync(join(home, ".local", "state", "hookctl", "audit.jsonl"), times.flat().map(runLine).join(""), {
  mode: 0o600,
});

/** @param {string} file @param {readonly string[]} args */
function start(file, args) {
  const { status, stderr } = spawnSync(file, args, {
    cwd: home,
    env: { HOME: home, PATH: process.env.PATH, TZ: "UTC" },
  });
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
}
start(process.execPath, [join(root, "bin", "hookctl.js"), "report", "--output", page]);
start("chromium", [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=900,970"],
  `--screenshot=${join(root, "docs", "pictures", "report.png")}`,
  pathToFileURL(page).href,
]);
rmSync(home, { recursive: true, force: true, maxRetries: 5 });
