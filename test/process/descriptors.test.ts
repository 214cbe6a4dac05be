import { open } from "node:fs/promises";
import { expect, test } from "vitest";
import { toolCall } from "../support/payloads.ts";
import { printResponse, shellQuote } from "../support/shell.ts";
import { spawnHookctl } from "../support/spawn-hookctl.ts";
import { workspace } from "../support/workspace.ts";

const isLinux = process.platform === "linux";
const LEAKED = [7, 20, 100];

test.runIf(isLinux)("no descriptor of the caller leaks into a hook", async () => {
  await using place = await workspace();
  const secret = await place.write("secret", "not for hooks");
  await using handle = await open(secret, "r");
  const seen = `${place.dir}/seen`;
  await place.hook("looker", `ls -l /proc/self/fd > ${shellQuote(seen)}; ${printResponse({})}`);

  const stdio: ("pipe" | "ignore" | number)[] = ["pipe", "pipe", "pipe"];
  while (stdio.length <= Math.max(...LEAKED)) stdio.push("ignore");
  for (const descriptor of LEAKED) stdio[descriptor] = handle.fd;
  const result = await spawnHookctl(place, ["run", "before_tool_call", "-q"], { stdio, stdin: toolCall() });

  expect(result).toEqual({ stdout: '{"blocked":false}\n', stderr: "", code: 0, signal: null });
  const doors = await place.read("seen");
  expect(doors).toContain("0 -> ");
  expect(doors).not.toContain(secret);
});
