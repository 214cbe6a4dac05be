import { existsSync } from "node:fs";
import type { RunContext } from "../../../src/engine/run-context.ts";

interface ServerChoice {
  readonly env: RunContext["env"];
  readonly settings: Pick<RunContext["settings"], "isResident">;
}

/** Containers end with their task. */
const SHORT_LIVED = ["/.dockerenv", "/run/.containerenv"];

/** True if a server may stay for the calls of this user. */
export const staysResident = ({ env, settings }: ServerChoice): boolean =>
  settings.isResident ?? ((env.CI ?? "") === "" && !SHORT_LIVED.some((file) => existsSync(file)));
