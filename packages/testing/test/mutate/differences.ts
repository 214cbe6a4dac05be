import { expect } from "vitest";
import { ARGUMENT_KINDS } from "../../mutate/argument-kinds.ts";
import { respell } from "../../mutate/respell.ts";
import type { Respelling } from "../../test-report.ts";
import { startedPrograms } from "./started-programs.ts";

const CHANGE_ARGUMENTS = new Set(ARGUMENT_KINDS.map(({ name }) => name));
/** In an encoded text the test could not replace the folder of the program. */
const PATHS = ["absolute path", "path with dots or double slashes", "pattern as a path"];

const isComparable = ({ kinds }: Respelling): boolean =>
  kinds.every((kind) => !CHANGE_ARGUMENTS.has(kind)) &&
  (kinds.length === 1 || kinds.every((kind) => !PATHS.includes(kind)));

/** The respellings after which bash starts something else than for the command itself. */
export async function differences(command: string, most: number): Promise<readonly unknown[]> {
  const respellings = respell(command, { most, isHarmless: false }).filter(isComparable);
  const [expected, ...found] = await startedPrograms([command, ...respellings.map((one) => one.command)]);
  expect(expected).not.toEqual([]);
  expect(respellings.length).toBeGreaterThan(most / 2);
  return respellings.flatMap((one, index) =>
    JSON.stringify(found[index]) === JSON.stringify(expected) ? [] : [{ ...one, started: found[index] }],
  );
}
