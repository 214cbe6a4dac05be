import type { EnvelopeExtras } from "../dialects/dialect.ts";
import { type Checkout, readCheckout } from "../fs/git.ts";
import type { Payload } from "../protocol/payload.ts";

/** What a dialect may tell beside the payload. Git's files are looked at only when it does, and once. */
export function envelopeExtras(payload: Pick<Payload, "cwd">, isoTime: string): EnvelopeExtras {
  let checkout: Checkout | null = null;
  return {
    isoTime,
    checkout: () => {
      checkout ??= readCheckout(payload.cwd);
      return checkout;
    },
  };
}
