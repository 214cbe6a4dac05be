import type { TrustState } from "../protocol/hook.ts";

export const TRUST_LABELS: Readonly<Record<TrustState, string>> = {
  trusted: "✔ approved",
  untrusted: "✖ not approved",
  changed: "✖ changed",
  denied: "✖ denied",
  unsafe: "✖ unsafe",
};
