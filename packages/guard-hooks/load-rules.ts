import type { Guard, GuardName } from "../guards/guard.ts";
import { loadGuard } from "../guards/load-guard.ts";
import { withAddedRules } from "../guards/rules/added-rules.ts";
import type { GuardPlace } from "./guard-place.ts";

/** A guard with the rules that settings add to it. */
export const loadRules = async (name: GuardName, { guards }: Pick<GuardPlace, "guards">): Promise<Guard> =>
  withAddedRules(await loadGuard(name), guards.find((guard) => guard.name === name)?.added);
