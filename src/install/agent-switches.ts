import type { FoundRegistration, HooksSwitch, SwitchFile } from "../agents/agent-install.ts";
import { isObject, type UncheckedObject } from "../protocol/json/unchecked.ts";

/** A switch in one of the files that can hold it. */
export interface SwitchInFile extends HooksSwitch {
  readonly file: SwitchFile;
}

/** The switches that stop the agent from running our registrations, in the files that `read` returns. */
export function disablingSwitches(
  switches: readonly HooksSwitch[],
  registrations: readonly FoundRegistration[],
  read: (file: SwitchFile) => UncheckedObject,
): readonly SwitchInFile[] {
  return switches.flatMap((one): readonly SwitchInFile[] => {
    let isDecided = false;
    return one.files.flatMap((file) => {
      const value = valueAt(read(file), one.key);
      if (value === undefined || isDecided) return [];
      isDecided = typeof value === "boolean";
      return one.disablesHooks(value, registrations) ? [{ ...one, file }] : [];
    });
  });
}

const valueAt = (settings: UncheckedObject, key: readonly string[]): unknown =>
  key.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), settings);
