import type { PayloadProblem } from "../problem.ts";
import { truncate } from "../text/text.ts";
import { formatDuration } from "../text/units.ts";
import type { Explanation } from "./explanation.ts";

export function explainPayload(problem: PayloadProblem): Explanation {
  switch (problem.code) {
    case "PAYLOAD_MISSING":
      return {
        summary: `No payload on stdin${MISSING[problem.why]}.`,
        hint: `Try: ${problem.tryThis ?? `hookctl payload ${problem.event} | hookctl run ${problem.event}`}`,
      };
    case "PAYLOAD_NOT_READABLE":
      return { summary: `The payload ${problem.place} cannot be read: ${problem.cause}.`, hint: "Check the path." };
    case "PAYLOAD_NOT_ENDED":
      return {
        summary: `The payload on stdin did not end within ${formatDuration(problem.afterMs)}.`,
        hint: "Close stdin after the payload.",
      };
    case "PAYLOAD_TOO_LARGE":
      return {
        summary: `The payload is larger than ${problem.limitBytes / 1_048_576} MiB.`,
        hint: "Send only what the hooks need, not the whole history.",
      };
    case "PAYLOAD_NOT_UTF8":
      return { summary: "The payload is not UTF-8.", hint: "Encode it as UTF-8." };
    case "PAYLOAD_NOT_JSON":
      return {
        summary: `The payload is not valid JSON: line ${problem.line}, ${problem.detail}.`,
        hint: validPayload(problem.event),
      };
    case "PAYLOAD_NOT_OBJECT":
      return { summary: `The payload is a JSON ${problem.found}, not an object.`, hint: validPayload(problem.event) };
    case "PAYLOAD_FIELD_MISSING":
      return {
        summary: `The payload has no "${problem.field}", which ${problem.event} needs.`,
        hint: validPayload(problem.event),
      };
    case "PAYLOAD_FIELD_TYPE":
      return {
        summary: `"${problem.field}" in the payload is a JSON ${problem.found}; it must be ${problem.expected}.`,
        hint: validPayload(problem.event),
      };
    case "PAYLOAD_FIELD_VALUE":
      return {
        summary: `"${problem.field}" in the payload is "${truncate(problem.found, 60)}"; it must be ${problem.values.join(" or ")}.`,
        hint: `Send one of these, or leave "${problem.field}" out.`,
      };
    case "PAYLOAD_EVENT_DIFFERS":
      return {
        summary: `"event" in the payload is "${truncate(problem.found, 60)}", but the command says ${problem.event}.`,
        hint: "Remove it from the payload, or make both the same.",
      };
  }
}

/** A payload that cannot be read may not name its event; most hooks handle before_tool_call. */
const validPayload = (event = "before_tool_call"): string => `A valid payload: hookctl payload ${event}`;
const MISSING = { terminal: " (it is a terminal)", empty: "", silent: " (nothing arrived in time)" };
