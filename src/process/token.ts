/** Marks a child and all that descends from it: of a hook that calls hookctl again the hooks of that call as well. */
export const TOKEN_VARIABLE = "HOOKCTL_TOKEN";

const BETWEEN = "/";
const LONGEST = 200;

let starts = 0;

/**
 * A mark of its own for each start: whatever still carries it afterwards is a descendant of this very process. Two runs
 * of one name, at the same time, must not end each other's children.
 */
export const newToken = (runId: string): string => `${runId}-${process.pid}-${starts++}`;

/** The mark of a new child: behind that of the child in which we run ourselves, if we do. */
export function childToken(caller: string | undefined, own: string): string {
  const isOurs = caller !== undefined && caller.length <= LONGEST && /^[\w-]+(\/[\w-]+)*$/.test(caller);
  return isOurs ? `${caller}${BETWEEN}${own}` : own;
}

/** In how many children of hookctl a child with this mark runs, itself not counted. */
export const tokenDepth = (token: string): number => token.split(BETWEEN).length - 1;

/** A mark and those of the children around it, the own one first. */
export function enclosingTokens(token: string): readonly string[] {
  const parts = token.split(BETWEEN);
  return parts.map((_, index) => parts.slice(0, parts.length - index).join(BETWEEN));
}
