import { expect, test } from "vitest";
import { refusedPaths } from "../agent-calls.ts";

test.each([
  ["touch: cannot touch '/home/a/x': Read-only file system\n", ["/home/a/x"]],
  ["/bin/bash: line 1: ~/y: Read-only file system", ["~/y"]],
  ["npm error EROFS: read-only file system, mkdir '/home/a/.foo'", ["/home/a/.foo"]],
  ['{"stderr":"error: cannot lock \'./.git/hooks/x\': Read-only file system\\nok"}', ["./.git/hooks/x"]],
  ["OSError: [Errno 30] Read-only file system: '/opt/x'", ["/opt/x"]],
  ["touch: cannot touch '../no no': Read-only file system", ["../no no"]],
  ["mkdir: cannot create directory ‘/home/a/dd’: Read-only file system", ["/home/a/dd"]],
  ['{"stderr":"mkdir: cannot create directory \\u2018/home/a/dd\\u2019: Read-only file system"}', ["/home/a/dd"]],
  ["cat: /etc/shadow: Permission denied", []],
  ["Read-only file system", []],
])("%j", (output, paths) => {
  expect(refusedPaths(output)).toEqual(paths);
});
