import { namesSecret } from "../../../../src/redact/assignments.ts";
import { UNKNOWN } from "../../../../src/shell/unknown.ts";
import type { Call, Word } from "../../command/call.ts";
import { runsWhat } from "../../command/inline-code/interpreters.ts";
import { hasOption, parseOptions } from "../../command/options.ts";
import { fullSource } from "../command-rules.ts";
import { passesOn } from "./shown-output.ts";

/** The environment variables that a call prints. */
export type Printed = { readonly kind: "everything" } | { readonly kind: "variable"; readonly name: string };

const EVERYTHING: Printed = { kind: "everything" };

/** The secrets of the environment that a call prints, or null. */
export function printsEnvironment(call: Call, copies: ReadonlySet<string>): Printed | null {
  const { program, args } = call;
  const firstSecret = (names: readonly string[]): Printed | null => {
    const name = names.find((one) => isSecretName(one) || copies.has(one));
    return name === undefined ? null : { kind: "variable", name };
  };
  const operands = args.filter(({ text }) => !text.startsWith("-")).map(({ text }) => text);
  switch (program) {
    case "printenv":
      return operands.length === 0 ? everythingUnless(args, "--help", "--version") : firstSecret(operands);
    case "env":
      // `ENV TZ=UTC` is a line of a Dockerfile.
      return printsAll(args) && !(call.name.text === "ENV" && args.length > 0) ? EVERYTHING : null;
    case "set":
      return args.length === 0 ? EVERYTHING : null;
    case "export":
    case "declare":
    case "typeset":
    case "readonly":
      if (operands.length === 0) return everythingUnless(args, "-f", "-F", "-fF");
      return args.some(({ text }) => /^-\w*p/.test(text)) ? firstSecret(operands) : null;
    case "echo":
    case "printf":
    case "print":
    case "date":
    case "expr":
    case "yes":
    case "basename":
    case "figlet":
    case "logger":
      // GitHub hides the value that follows in the logs.
      return args.some(({ text }) => text.startsWith("::add-mask::")) ? null : firstSecret(args.flatMap(variablesIn));
    case "launchctl":
      return operands[0] === "getenv" ? firstSecret(operands.slice(1)) : operands[0] === "export" ? EVERYTHING : null;
    case "systemctl":
      return operands.includes("show-environment") ? EVERYTHING : null;
    case "ps":
      return args.some(({ text }) => /^[a-z]*e[a-z]*$/.test(text) && /w|a|u/.test(text)) ? EVERYTHING : null;
    case "jq":
      return args.some(({ text }) => /^(?:env|\$ENV)\b(?!\.)/.test(text))
        ? EVERYTHING
        : firstSecret(
            args.flatMap(({ text }) => [...text.matchAll(/(?:\$ENV|\benv)\.(\w+)/g)].map(([, name = ""]) => name)),
          );
    case "git":
      return args.some(({ text }) => /^(?:commit|tag|notes)$/.test(text))
        ? firstSecret(args.flatMap(variablesIn))
        : null;
    case "awk":
    case "gawk":
    case "mawk":
      return args.some(({ text }) => /\bin\s+ENVIRON\b/.test(text))
        ? EVERYTHING
        : firstSecret(
            args.flatMap(({ text }) => [...text.matchAll(/ENVIRON\["(\w+)"\]/g)].map(([, name = ""]) => name)),
          );
    default:
      return printedByCode(call) ?? (printsInput(call) ? firstSecret(expandedIn(fullSource(call))) : null);
  }
}

/** `rev <<< "$API_TOKEN"`, and a here-document. */
const printsInput = (call: Call): boolean =>
  call.input.kind === "text" && call.input.text.includes(UNKNOWN) && passesOn(call);

const COPY =
  /(?:^|[\s;&|({'"])(?:([A-Za-z_]\w*)\+?=\(?["']?[^\s;&|)]*?\$\{?!?([A-Za-z_]\w*)|(?:read|mapfile|readarray)\s+(?:-\w+\s+)*(\w+)\s*<<<\s*["']?\$\{?(\w+)|printf\s+-v\s+(\w+)\s+\S+\s+["']?\$\{?(\w+)|(\w+)=["']?([A-Z][A-Z\d_]+)["']?(?=[\s;&]|$))/g;

/** The variables that get the value, or the name, of a variable with a secret in this command: `x=$API_TOKEN`. */
export function secretCopies(text: string): ReadonlySet<string> {
  const copies = new Set<string>();
  if (!text.includes("=") && !text.includes("<<<") && !text.includes("-v")) return copies;
  for (const found of text.matchAll(COPY)) {
    const [name = "", from = ""] = found.slice(1).filter((group) => group !== undefined);
    // A name is a copy only where it stands for the variable.
    const isReference =
      found[7] === undefined || text.includes(`\${!${name}}`) || /\b(?:declare|typeset|local)\s+-n\b/.test(text);
    if (isReference && (isSecretName(from) || copies.has(from))) copies.add(name);
  }
  return copies;
}

const everythingUnless = (args: readonly Word[], ...names: readonly string[]): Printed | null =>
  args.some(({ text }) => names.includes(text)) ? null : EVERYTHING;

const firstSecret = (names: readonly string[]): Printed | null => {
  const name = names.find(isSecretName);
  return name === undefined ? null : { kind: "variable", name };
};

/** True for a value that the command itself makes or reads: `PASS=$((PASS + 1))`, `while read token; do …`, `KEY=$(openssl rand …)`. */
export function isOwnValue(name: string, text: string): boolean {
  const command = text.replace(/\\\n\s*/g, " ").replace(/["']/g, "");
  const counts = String.raw`\b${name}=\$\(\([^)]*\)\)\s*(?:[;&|)}\n]|$)|\(\(\s*${name}\s*(?:\+\+|--|[-+]?=(?!=))`;
  const reads = String.raw`\bread\b(?![^;|&\n]*\s-\w*s)[^;|&\n]*\s${name}\b`;
  const made = String.raw`\b${name}=["']?\$\((?:openssl\s+rand|uuidgen|pwgen|date)\b`;
  return new RegExp(`${counts}|${reads}|${made}`).test(command);
}

/** Includes the ids of keys. */
export const isSecretName = (name: string): boolean => namesSecret(name) && !/^(?:OLD)?PWD$|_PWD$/.test(name);

/** `env` without a program: options and assignments alone. It prints nothing secret if it begins empty. */
function printsAll(args: readonly Word[]): boolean {
  const parsed = parseOptions(args, { values: "-u -C --unset --chdir -S --split-string -P", endsAtOperand: true });
  if (hasOption(parsed, "-i --ignore-environment --help --version -S --split-string -")) return false;
  return parsed.operands.every(({ text }) => /^[A-Za-z_]\w*=/.test(text)) && args.every(({ text }) => text !== "-");
}

/** The variables whose value at run time is in a word. */
const variablesIn = ({ text, source }: Word): readonly string[] => (text.includes(UNKNOWN) ? expandedIn(source) : []);

/** The variables that are expanded in a text; `${#X}` and `${X:+set}` hide the value. */
function expandedIn(source: string): readonly string[] {
  const found = source.matchAll(/\$(?:\{(?![#])!?([A-Za-z_]\w*)(?!\w|:?\+)|([A-Za-z_]\w*))/g);
  return [...found].map(([, braced, plain]) => braced ?? plain ?? "");
}

const ENVIRONMENT_IN_CODE =
  /(?:print|puts|pp?|console\.log|echo|say|dump|var_dump|print_r|stdout\.write|JSON\.stringify|json\.dumps)\s*\(?\s*(?:dict\s*\(|JSON\.stringify\s*\(|json\.dumps\s*\(\s*(?:dict\s*\()?)?\s*(?:os\.environ|process\.env|ENV|%ENV|\$_ENV|getenv\s*\(\s*\)|Deno\.env\.toObject|Sys\.getenv\s*\(\s*\)|ENV\.(?:to_h|to_a|inspect|each|map|sort)\b)(?!\s*[.[(]\w|\s*\[|\.get\b|\.\w|\{)/;

const VARIABLE_IN_CODE =
  /(?<!!|\bin\s)(?:os\.environ(?:\.get)?\s*[[(]\s*['"]|os\.getenv\s*\(\s*['"]|process\.env\.|process\.env\[['"]|ENV\[['"]|ENV\{['"]?|getenv\s*\(\s*['"])([A-Za-z_]\w*)/g;

/** `python -c "print(os.environ)"`. */
function printedByCode(call: Call): Printed | null {
  const runs = runsWhat(call);
  if (runs.kind !== "code") return null;
  const isShown =
    call.args.some(({ text }) => /^(?:-p|-pe|--print)$/.test(text)) && /^(?:node|nodejs|bun)$/.test(call.program);
  const code = runs.code.map(({ text }) => (isShown ? `console.log(${text}` : text)).join("\n");
  if (!/print|puts|log|echo|say|dump|write|\bp\b/.test(code)) return null;
  if (ENVIRONMENT_IN_CODE.test(code)) return EVERYTHING;
  return firstSecret([...code.matchAll(VARIABLE_IN_CODE)].map(([, name = ""]) => name));
}
