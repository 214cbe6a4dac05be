import { expect, test } from "vitest";
import { lineReader } from "../../src/process/bounded-output.ts";
import { startInteractive } from "../../src/process/interactive-process.ts";
import { lifeline } from "../support/lifeline.ts";
import { request } from "../support/request.ts";
import { workspace } from "../support/workspace.ts";

test("lines come whole, however the stream was cut, and a last one without its end does not", () => {
  const heard: string[] = [];
  const { add } = lineReader(100, (line) => heard.push(line));
  const bytes = Buffer.from("één\n\ntwo\nthr");
  for (let at = 0; at < bytes.length; at++) add(bytes.subarray(at, at + 1));
  add(Buffer.from("ee\nfour\nfive"));
  expect(heard).toEqual(["één", "", "two", "three", "four"]);
});

test("the limit counts from the last restart, and what goes over it is not heard", () => {
  const heard: string[] = [];
  const lines = lineReader(6, (line) => heard.push(line));
  lines.add(Buffer.from("12345\n"));
  expect(lines.isOver()).toBe(false);
  lines.restart();
  lines.add(Buffer.from("abc"));
  lines.add(Buffer.from("def\n"));
  expect([lines.isOver(), heard]).toEqual([true, ["12345"]]);
});

test("an interactive process answers line by line and ends with its stdin", async () => {
  await using place = await workspace();
  await using life = await lifeline(place.dir);
  const file = await place.hook("parrot", `${life.hold}; while read -r word; do echo "$word!"; done; echo bye >&9`);
  const { input, timeoutMs, ...child } = request(file);
  let hear: (line: string) => void = () => undefined;
  const heard = new Promise<string>((settle) => {
    hear = settle;
  });
  const talk = startInteractive(child, (line) => hear(line));
  talk.writeLine("hello");
  expect(await heard).toBe("hello!");
  await talk.close();
  expect(await talk.outcome).toMatchObject({ termination: { kind: "exited", exitCode: 0 } });
  expect(await life.released).toBe("held\nbye\n");
});
