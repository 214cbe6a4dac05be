import { shellQuote } from "./shell.ts";

export type Language = "bash" | "python" | "node";

/**
 * A hook in a language of its own that says what it is, and runs these lines with the payload in `payload`: parsed, or
 * the text itself for bash.
 */
export function program(language: Language, says: string, lines: string): string {
  const result = JSON.stringify(says);
  return {
    bash: `#!/usr/bin/env bash
if [ "$1" = hook ]; then printf '%s\\n' ${shellQuote(says)}; exit 0; fi
payload=$(cat)
${lines}
`,
    python: `#!/usr/bin/env python3
import json, sys
if sys.argv[1] == "hook":
    print(${result})
    sys.exit()
payload = json.load(sys.stdin)
${lines}
`,
    node: `#!/usr/bin/env node
if (process.argv[2] === "hook") { console.log(${result}); process.exit(); }
const payload = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
${lines}
`,
  }[language];
}
