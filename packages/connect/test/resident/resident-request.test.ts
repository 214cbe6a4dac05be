import { describe, expect, test } from "vitest";
import { isAsDescribed, readRequest } from "../../resident/resident-request.ts";

const number = (value: number): Buffer => {
  const four = Buffer.alloc(4);
  four.writeUInt32LE(value);
  return four;
};

const requestOf = (...parts: readonly string[]): Buffer => {
  const body = Buffer.concat([
    number(7),
    ...parts.flatMap((part) => [number(Buffer.byteLength(part)), Buffer.from(part)]),
  ]);
  return Buffer.concat([number(body.length), body]);
};

describe("readRequest", () => {
  test("reads variables as a process gets them", () => {
    const request = readRequest(requestOf("who", "/", "bridge\0", "B=1\0A=2=3\0B=4\0PATHx\0", "{}"));
    expect(Object.entries(request?.env ?? {})).toEqual([
      ["B", "1"],
      ["A", "2=3"],
    ]);
  });

  test.each([
    ["a part is missing", requestOf("who", "/", "", "")],
    ["a part is too much", requestOf("who", "/", "", "", "", "")],
    ["a part is longer than all", requestOf("who", "/", "", "", "{}").subarray(0, -1)],
  ])("reads nothing if %s", (_, bytes) => {
    expect(readRequest(bytes)).toBeNull();
  });
});

describe("isAsDescribed", () => {
  const description = Buffer.from("user 0\nHOME=/h\nPATH=/bin\n");
  test.each([
    [{ HOME: "/h", PATH: "/bin", OTHER: "1" }, true],
    [{ HOME: "/h", PATH: "/tmp" }, false],
    [{ HOME: "/h", PATH: "/bin", GIT_DIR: "/tmp" }, false],
    [{ HOME: "/h", PATH: "/bi" }, false],
  ])("%j: %s", (env, expected) => {
    expect(isAsDescribed({ description, env })).toBe(expected);
  });
});
