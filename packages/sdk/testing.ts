/** The package's entry `hookctl/testing`: helpers for the tests of hooks. */
export { HookctlError } from "./library/hookctl-error.ts";
export type { RunHook, RunResult, RunValue } from "./library/result-types.ts";
export { type HookIdentity, type HookUnderTest, type TestHookOptions, testHook } from "./library/test-hook.ts";
