import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { errnoCode, pathErrno } from "../../src/protocol/errno.ts";

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    return error;
  }
}

const errors: { title: string; error: unknown; code: string | null }[] = [
  { title: "of a failed call", error: thrownBy(() => readFileSync("/nowhere/at/all")), code: "ENOENT" },
  {
    title: "of a call in another realm",
    error: runInNewContext("Object.assign(new Error(), { code: 'EACCES' })"),
    code: "EACCES",
  },
  { title: "without a code", error: new Error("our own fault"), code: null },
  { title: "with a number for a code", error: Object.assign(new Error(), { code: 2 }), code: null },
  { title: "that is no error", error: "ENOENT", code: null },
  { title: "that is nothing", error: null, code: null },
];

test.each(errors)("the code of what was thrown: one $title", ({ error, code }) => {
  expect(errnoCode(error)).toBe(code);
});

test("an error about the place is told by its code, and any other is thrown on", () => {
  expect(pathErrno(errors[0]?.error)).toBe("ENOENT");
  const fault = Object.assign(new Error("disk"), { code: "EIO" });
  expect(thrownBy(() => pathErrno(fault))).toBe(fault);
});
