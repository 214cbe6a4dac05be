import { expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { toolCall } from "../support/payloads.ts";
import { CALLS, scene } from "./calls.ts";

const EMPTY = /^$/;

test.each(Object.entries(CALLS))("%s, as a program of its own", async (_name, { args, after, ...call }) => {
  const { stdin = "", stdout = EMPTY, stderr = EMPTY, code = 0 } = call;
  await using place = await scene();
  if (after !== undefined) await runMain(place, after.split(" "), { stdin: toolCall("ls") });
  expect(await place.run(args === "" ? [] : args.split(" "), { stdin })).toEqual({
    stdout: expect.stringMatching(stdout),
    stderr: expect.stringMatching(stderr),
    code,
    signal: null,
  });
});
