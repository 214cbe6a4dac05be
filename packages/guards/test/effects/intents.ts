import { membersOf, readJson } from "../../../../src/protocol/json/read.ts";
import { intentsOf } from "../../effects/intents.ts";
import { examine, withParser } from "../../examine.ts";
import { GUARDS } from "../../guards.ts";
import { judge, STANDARD_SETTINGS } from "../../judge.ts";
import { readToolCall, type ToolCall } from "../../tool-call.ts";

const PLACE = { folder: "/home/dev/shop", home: "/home/dev", project: "/home/dev/shop", variables: {} };
const { "self-protection": _, ...OTHERS } = GUARDS;

/** A shell command, or a call of another tool with its arguments. */
export type Tried = string | { readonly tool: string; readonly kind: string; readonly input: object };

/** What the guards, with their standard settings, stop in a call. */
export const intentsIn = (tried: Tried): Promise<readonly string[]> =>
  withParser(() => {
    const examined = examine(toolCallOf(tried), PLACE);
    return Object.values(OTHERS).flatMap((rules) => {
      const { judged } = judge(examined, { rules, settings: { ...STANDARD_SETTINGS, paths: ["infra/**"] } });
      return judged.flatMap((one) => intentsOf(rules.name, one.finding));
    });
  });

function toolCallOf(tried: Tried): ToolCall {
  if (typeof tried === "string") return { commands: [tried], folder: null, files: [] };
  const read = readJson(
    JSON.stringify({ tool_name: tried.tool, tool_kind: tried.kind, tool_input: tried.input }),
    Number.POSITIVE_INFINITY,
  );
  if (!read.ok) throw new Error("the payload of the test cannot be read");
  return readToolCall(membersOf(read.value));
}

export const overlap = (some: readonly string[], others: readonly string[]): boolean =>
  some.some((one) => others.includes(one));
