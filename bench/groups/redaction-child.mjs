// Redacts so many MB of what tools print, in texts of 1 MB that differ: `redaction-child.mjs MODULE COUNT redact|keep`.
const [module = "", count = "0", what] = process.argv.slice(2);
const { createRedactor } = await import(module);
const redact = createRedactor({ DEPLOY_TOKEN: "correct-horse-battery-staple-1", PATH: "/usr/bin" });

const LINES = [
  "src/engine/run/run-event.ts:41:12 - error TS2339: Property 'x' does not exist on type 'Hook'.",
  '    "integrity": "sha512-3kxVfSxzEJ9iDbtrfTyfZpoO1nGDXOPyJxmEBN1yD4fRTsIaFv1bNDKbHzLcoe3J2hCNw7Vz6cDYzWwwWF4m2A==",',
  "2026-11-22T17:00:01.123Z INFO request id=6f9619ff-8b86-d011-b42d-00cf4fc964ff path=/api/v1/users status=200 12ms",
  "The quick brown fox jumps over the lazy dog, again and again and again, and nothing else happens.",
  "    if (token.kind === 'string' && key in members) return decodeString(members[key]);",
  "-rw-r--r-- 1 root root  74110 Nov 22 16:31 dist/hot-hooks.cjs",
];

for (let round = 0; round < Number(count); round++) {
  const text = megabyte(round);
  if (!(what === "redact" ? redact(text) : text).includes("lazy dog")) throw new Error("the text is gone");
}

/** @param {number} round */
function megabyte(round) {
  let text = "";
  for (let line = round; text.length < 1_000_000; line++) text += `${LINES[line % LINES.length]} ${line}\n`;
  return text;
}
