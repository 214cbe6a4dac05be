/**
 * The meaning of a response as kodelet's own reader has it: JSON into a struct of known fields, names in any case, the
 * last of a name, and whatever is unknown ignored. Only a block is looked for, in the words of all dialects.
 */
export function blocksInReference(text: string): boolean {
  const found: unknown = JSON.parse(text);
  return isObject(found) && isBlock(found);
}

type Found = Readonly<Record<string, unknown>>;

function isBlock(response: Found): boolean {
  const specific = fieldOf(response, "hookSpecificOutput");
  return (
    fieldOf(response, "blocked") === true ||
    fieldOf(response, "continue") === false ||
    typeof fieldOf(response, "Reject") === "string" ||
    ["block", "reject"].some((word) => fieldOf(response, "action") === word) ||
    ["block", "deny"].some((word) => fieldOf(response, "decision") === word) ||
    fieldOf(response, "permissionDecision") === "deny" ||
    (isObject(specific) && isDenied(specific))
  );
}

function isDenied(specific: Found): boolean {
  const decision = fieldOf(specific, "decision");
  return (
    fieldOf(specific, "permissionDecision") === "deny" ||
    (isObject(decision) && fieldOf(decision, "behavior") === "deny")
  );
}

const isObject = (value: unknown): value is Found =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** As `encoding/json` finds a field: the last member of that name, in any case. */
function fieldOf(object: Found, name: string): unknown {
  return Object.entries(object).findLast(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}
