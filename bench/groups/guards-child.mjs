// Judges shell commands with all guards, and parses them alone.
import { ownCpu, printRounds, readTask } from "../child.mjs";

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

/** @type {{ dist: string, rounds: number }} */
const { dist, rounds } = readTask();
const { analyzeCommand } = await import(`${dist}packages/guards/command/analyze.js`);
const { fileAccessesOf } = await import(`${dist}packages/guards/command/files/file-access.js`);
const { GUARDS } = await import(`${dist}packages/guards/guards.js`);
const { judge, STANDARD_SETTINGS } = await import(`${dist}packages/guards/judge.js`);
const { shellParser } = await import(`${dist}src/shell/load-parser.js`);

const ways = { guards: () => repeat(judgeCommand), parser: () => repeat((text) => shellParser().parse(text)) };
await printRounds(ways, rounds);

/** @param {string} text */
function judgeCommand(text) {
  const analysis = analyzeCommand(text, PLACE);
  const files = analysis.calls.flatMap((/** @type {unknown} */ call) => fileAccessesOf(call));
  const examined = { commands: [analysis], files, addresses: [], place: PLACE };
  for (const rules of Object.values(GUARDS)) {
    const { decision } = judge(examined, { rules, settings: STANDARD_SETTINGS });
    if (decision === "block") throw new Error(`a usual command is blocked: ${text}`);
  }
}

/** @param {(text: string) => void} step */
function repeat(step) {
  return ownCpu(() => {
    for (let round = 0; round < TIMES; round++) for (const text of COMMANDS) step(text);
  });
}
