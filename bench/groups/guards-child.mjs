// Started by guards.mjs with a task in its argument; prints the rounds.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { interleave } from "../rounds.mjs";

/** @typedef {{ dist: string, rounds: number }} Task */

const COMMANDS = [
  "npm test -- --reporter=dot",
  "git add -A && git commit -m 'Fix the parser' && git push origin HEAD",
  "cd packages/app && rm -rf dist && npm run build 2>&1 | tail -20",
  "grep -rn 'TODO' src | head -50",
  "find . -name '*.snap' -not -path './node_modules/*' -exec rm {} \\;",
  "for f in src/*.ts; do sed -i 's/foo/bar/g' \"$f\"; done",
  "curl -fsSL https://example.com/data.json -o /tmp/data.json && jq '.items | length' /tmp/data.json",
  "docker compose up -d db && sleep 2 && psql \"$DATABASE_URL\" -c 'select 1'",
  "cat > notes.md <<'EOF'\n# Notes\nrm -rf is not run here\nEOF",
  "python3 -c 'import json, sys; print(json.load(sys.stdin)[\"a\"])' < data.json",
];
const TIMES = 100;
const PLACE = { folder: "/home/dev/app", home: "/home/dev", project: "/home/dev/app", variables: {} };
const SETTINGS = { allow: [], unknown: "ask", decision: null, observe: false, paths: [] };

/** @type {Task} */
const { dist, rounds } = JSON.parse(process.argv[2] ?? "{}");
/** @param {string} module */
const built = (module) => import(pathToFileURL(join(dist, module)).href);
const { analyzeCommand } = await built("packages/guards/command/analyze.js");
const { fileAccessesOf } = await built("packages/guards/command/files/file-access.js");
const { GUARDS } = await built("packages/guards/guards.js");
const { judge } = await built("packages/guards/judge.js");
const { shellParser } = await built("src/shell/load-parser.js");

const ways = { guards: () => repeat(judgeCommand), parser: () => repeat((text) => shellParser().parse(text)) };
process.stdout.write(JSON.stringify(await interleave(ways, measureOwnCpu, rounds)));

/** @param {string} text */
function judgeCommand(text) {
  const analysis = analyzeCommand(text, PLACE);
  const files = analysis.calls.flatMap((/** @type {unknown} */ call) => fileAccessesOf(call));
  const examined = { commands: [analysis], files, place: PLACE };
  for (const rules of Object.values(GUARDS)) {
    const { decision } = judge(examined, { rules, settings: SETTINGS }, []);
    if (decision === "block") throw new Error(`a usual command is blocked: ${text}`);
  }
}

/** @param {(text: string) => void} step */
async function repeat(step) {
  for (let times = 0; times < TIMES; times++) for (const text of COMMANDS) step(text);
}

/** @param {() => Promise<void>} way */
async function measureOwnCpu(way) {
  const before = process.cpuUsage();
  await way();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, wallMs: Number.NaN, peakMb: Number.NaN };
}
