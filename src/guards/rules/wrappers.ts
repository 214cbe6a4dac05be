import type { Call } from "../command/call.ts";

/** A call and the wrappers around it, innermost first: their redirections and their place in a pipe are its own. */
function withWrappers(call: Call): readonly Call[] {
  const { parent } = call;
  return parent?.relation === "wrapper" ? [call, ...withWrappers(parent.call)] : [call];
}

export const redirectionsOf = (call: Call): Call["redirections"] =>
  withWrappers(call).flatMap(({ redirections }) => redirections);

/** The text of a call with that of its wrappers, where redirections of descriptors stand. */
export const fullSource = (call: Call): string => withWrappers(call).at(-1)?.source ?? call.source;
