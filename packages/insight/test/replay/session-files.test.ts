import { closeSync, openSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readLines } from "../../../../src/audit/log-files.ts";
import { makeFifo } from "../../../../test/support/fifo.ts";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import { workspace } from "../../../../test/support/workspace.ts";
import { TRANSCRIPTS } from "../../../agents/transcripts/transcripts.ts";
import { findSessionFiles } from "../../replay/sessions/find-session-files.ts";
import { readSession } from "../../replay/sessions/read-session.ts";
import { nothingUnread } from "../../replay/sessions/session-record.ts";

const pathsOf = (agent: "claude" | "codex" | "gemini", env: Readonly<Record<string, string>>) =>
  TRANSCRIPTS[agent].places.flatMap((place) => findSessionFiles(place, env).map(({ path }) => path));

test("session files are found below the home directory, or where the agent's variable says", async () => {
  await using place = await workspace();
  const own = await place.write("home/.claude/projects/-app/s1.jsonl", "");
  const subagent = await place.write("home/.claude/projects/-app/s1/subagents/agent-a.jsonl", "");
  await place.write("home/.claude/projects/-app/notes.txt", "");
  const other = await place.write("config/projects/-app/s2.jsonl", "");
  const rollout = await place.write("home/.codex/sessions/2026/11/20/rollout-a.jsonl", "");
  await place.write("home/.codex/sessions/2026/11/20/other.jsonl", "");
  expect(pathsOf("claude", place.env)).toEqual([own, subagent].sort());
  expect(pathsOf("claude", { ...place.env, CLAUDE_CONFIG_DIR: `${place.dir}/config` })).toEqual([other]);
  expect(pathsOf("claude", { ...place.env, CLAUDE_CONFIG_DIR: "config" })).toEqual([own, subagent].sort());
  expect(pathsOf("codex", place.env)).toEqual([rollout]);
});

test("the folder of a Gemini CLI project is named by a file beside its sessions", async () => {
  await using place = await workspace();
  await place.write("home/.gemini/tmp/app/chats/session-1.jsonl", "");
  const [found] = TRANSCRIPTS.gemini.places.flatMap((one) => findSessionFiles(one, place.env));
  expect(found?.projectFile).toBe(`${place.home}/.gemini/tmp/app/.project_root`);
});

test("no link is followed, and no FIFO is opened", async () => {
  await using place = await workspace();
  const secret = await place.write("elsewhere/s.jsonl", "");
  await place.write("home/.claude/projects/-app/s1.jsonl", "");
  symlinkSync(secret, join(place.home, ".claude/projects/-app/link.jsonl"));
  symlinkSync(join(place.dir, "elsewhere"), join(place.home, ".claude/projects/-other"));
  const fifo = join(place.home, ".claude/projects/-app/fifo.jsonl");
  makeFifo(fifo);
  expect(pathsOf("claude", place.env)).toEqual([`${place.home}/.claude/projects/-app/s1.jsonl`]);
  const unread = nothingUnread();
  for (const path of [fifo, join(place.home, ".claude/projects/-app/link.jsonl")])
    expect([...readSession({ path, transcript: null, folder: null, namedBy: null }, unread)]).toEqual([]);
  expect([...unread.files.values()]).toEqual(["it is not a regular file", "ELOOP"]);
});

test("any text is read in lines, whatever its length, and lines that are too long are left out", async () => {
  await using place = await workspace();
  const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "{", '"', "\u0000"), maxLength: 30 }), {
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 40 }), async (all, longest) => {
      const descriptor = openSync(await place.write("lines", all.map((line) => `${line}\n`).join("")), "r");
      const read = [...readLines(descriptor, longest)].map(({ bytes }) => bytes?.toString("utf8") ?? null);
      closeSync(descriptor);
      expect(read).toEqual(all.map((line) => (Buffer.byteLength(line) > longest ? null : line)));
    }),
    propertyRuns(100),
  );
});

test("a line of many megabytes between others is left out, with all that it takes", async () => {
  await using place = await workspace();
  const text = `first\n${"x".repeat(5 * 1024 * 1024)}\nlast`;
  const descriptor = openSync(await place.write("lines", text), "r");
  // The bytes of a line are only valid until the next one is read.
  const read: unknown[] = [];
  for (const { bytes } of readLines(descriptor, 1024)) read.push(bytes?.toString("utf8") ?? null);
  closeSync(descriptor);
  expect(read).toEqual(["first", null, "last"]);
});
