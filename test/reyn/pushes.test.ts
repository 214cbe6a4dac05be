import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

const FILE = "home/.kodelet/hooks.json";
const declare = (place: Workspace, ...hooks: readonly object[]) => place.write(FILE, JSON.stringify({ hooks }));
const turnEnd = (place: Workspace, flags = "", payload: object = {}) =>
  runInProcess(place, `run turn_end -q ${flags}`, {
    stdin: JSON.stringify({ conv_id: "s1", response: "done", ...payload }),
  });
const warningsOf = (result: { readonly stdout: string }): unknown => JSON.parse(result.stdout).warnings;
const drained = async (place: Workspace, session = "s1") =>
  JSON.parse((await runInProcess(place, `inbox drain --all --session ${session}`)).stdout);
const EMPTY = { messages: [], wake: false };

describe("template_push", () => {
  const template = (more: object) => ({ on: "turn_end", name: "t", template_push: { message: "m", ...more } });

  test("wakes unless it says otherwise, and carries the name of its hook", async () => {
    await using place = await workspace();
    await declare(place, template({}));
    expect(await turnEnd(place)).toMatchObject({ stderr: "", code: 0 });
    const messages = [{ role: "system", hook: "t", content: "[hook:t] m" }];
    expect(await drained(place)).toEqual({ messages, wake: true });
  });

  test("keeps a name that ends in a number, also where it looks like that of a nameless entry", async () => {
    await using place = await workspace();
    await declare(place, { ...template({ wake: false }), name: "task#7" });
    await turnEnd(place);
    expect(await drained(place)).toMatchObject({ messages: [{ hook: "task#7", content: "[hook:task#7] m" }] });
  });

  test("may name every field of the payload, unknown ones too, and takes none for a template", async () => {
    await using place = await workspace();
    const fields = "{{ agent_name }} {{ chain_id }} {{ user_text }} {{ task_id }} {{ status }}";
    await declare(place, template({ message: fields }));
    const payload = { agent_name: "ann", chain_id: "c1", user_text: "{{ 7 * 7 }}", task_id: "t9", status: "completed" };
    await turnEnd(place, "", payload);
    expect(await drained(place)).toMatchObject({ messages: [{ content: "[hook:t] ann c1 {{ 7 * 7 }} t9 completed" }] });
  });

  test("decides by templates whether it pushes, and whether it wakes", { tags: "slow" }, async () => {
    await using place = await workspace();
    const by = { wake: "{{ status == 'failed' }}", push_when: "{{ status != 'ok' }}" };
    await declare(place, template(by));
    await turnEnd(place, "", { status: "ok" });
    await turnEnd(place, "", { status: "late" });
    expect(await drained(place)).toMatchObject({ messages: [{}], wake: false });
    await turnEnd(place, "", { status: "failed" });
    expect(await drained(place)).toMatchObject({ messages: [{}], wake: true });
  });

  test("lands in the session that it names", { tags: "slow" }, async () => {
    await using place = await workspace();
    await declare(place, template({ session: "{{ task_id }}", wake: false }));
    await turnEnd(place, "", { task_id: "other" });
    expect(await drained(place)).toEqual(EMPTY);
    expect(await drained(place, "other")).toMatchObject({ messages: [{ content: "[hook:t] m" }], wake: false });
  });

  const skips: { title: string; push: object; why: string }[] = [
    { title: "a name that stands for nothing", push: { message: "{{ nobody }}" }, why: 'there is no "nobody"' },
    { title: "a flag that is none", push: { wake: "perhaps" }, why: "its wake is neither true nor false" },
    { title: "an empty message", push: { message: "{{ '' }}" }, why: "its message is empty" },
    { title: "a way to code", push: { message: "{{ ''.constructor }}" }, why: 'there is no "(…).constructor"' },
  ];
  test.each(skips)(
    "is skipped, and says why, for $title; the point goes on",
    { tags: "slow" },
    async ({ push, why }) => {
      await using place = await workspace();
      await declare(place, template(push));
      const result = await turnEnd(place);
      expect(result).toMatchObject({ stderr: "", code: 0 });
      expect(warningsOf(result)).toEqual([expect.stringMatching(/^the push of t was skipped: /)]);
      expect(result.stdout).toContain(JSON.stringify(why).slice(1, -1));
      expect(await drained(place)).toEqual(EMPTY);
      expect(await place.read("home/.local/state/hookctl/audit.jsonl")).toContain("the push of t was skipped");
    },
  );

  const again = (words: string) => words.repeat(40);
  const endless: { title: string; message: string; limit: string; says: RegExp }[] = [
    {
      title: "that takes for ever",
      message: `{% set x = [1] %}${again("{% set x = [x, x] %}")}{{ x }}`,
      limit: "700ms",
      says: /^t exceeded its 700 ms timeout/,
    },
    {
      title: "that takes more memory than it may",
      message: "{% set n = range(9999) %}{{ n|join('x')|replace('x', n|join('y'))|replace('y', n|join('z')) }}",
      limit: "15s",
      says: /: a text or a list would have more than 10000000 items$/,
    },
    {
      title: "that prints more than a hook may",
      message: `{{ '${"x".repeat(1000)}' * 4500 }}`,
      limit: "15s",
      says: /^t printed more than 4 MiB/,
    },
  ];
  test.each(endless)(
    "a template $title is ended, and the point goes on",
    { tags: "slow" },
    async ({ message, limit, says }) => {
      await using place = await workspace();
      await declare(place, template({ message }));
      const result = await turnEnd(place, `--timeout ${limit}`);
      expect(result).toMatchObject({ stderr: "", code: 0 });
      // On a busy machine another one says that it was slow.
      expect(warningsOf(result)).toContainEqual(expect.stringMatching(says));
      expect(await drained(place)).toEqual(EMPTY);
    },
  );
});

describe("shell_push", () => {
  const good = { push_when: true, wake: false, message: "2 left" };
  const shell = (command: string | readonly string[]) => ({
    ...{ on: "turn_end", name: "p", shell_push: command, sandbox: "off" },
  });
  const prints = (value: unknown) => shell(["printf", "%s", typeof value === "string" ? value : JSON.stringify(value)]);

  test("pushes what it prints, as a text for a shell and as a list without one", async () => {
    await using place = await workspace();
    const text = shell(`printf '%s' '${JSON.stringify(good)}'`);
    await declare(place, text, { ...prints({ ...good, wake: true, message: "$HOME" }), name: "list" });
    expect(await turnEnd(place)).toMatchObject({ stderr: "", code: 0 });
    expect(await drained(place)).toEqual({
      messages: [
        { role: "system", hook: "p", content: "[hook:p] 2 left" },
        { role: "system", hook: "list", content: "[hook:list] $HOME" },
      ],
      wake: true,
    });
  });

  test("may keep silent, and may name another session or none", async () => {
    await using place = await workspace();
    await declare(place, prints({ ...good, push_when: false }));
    expect(await turnEnd(place)).toEqual({ stdout: "{}\n", stderr: "", code: 0 });
    await declare(place, prints({ ...good, session: "s2" }), prints({ ...good, session: null }));
    await turnEnd(place);
    expect(await drained(place)).toMatchObject({ messages: [{ content: "[hook:p] 2 left" }] });
    expect(await drained(place, "s2")).toMatchObject({ messages: [{ content: "[hook:p] 2 left" }] });
  });

  test("reads the event on stdin, and may log on stderr", async () => {
    await using place = await workspace();
    const script = `echo log >&2; m=$(sed 's/.*"response":"\\([^"]*\\)".*/\\1/'); printf '{"push_when":true,"wake":true,"message":"%s"}' "$m"`;
    await declare(place, shell(script));
    expect(await turnEnd(place)).toMatchObject({ stderr: "", code: 0 });
    expect(await drained(place)).toMatchObject({ messages: [{ content: "[hook:p] done" }] });
  });

  const without = (key: keyof typeof good) => Object.fromEntries(Object.entries(good).filter(([name]) => name !== key));
  const faults: { title: string; hook: object; says: string }[] = [
    { title: "an exit other than 0", hook: shell(`echo '${JSON.stringify(good)}'; exit 4`), says: "p failed: exit 4" },
    {
      title: "a limit that has passed",
      hook: { ...shell("sleep 5"), timeout: "200ms" },
      says: "p exceeded its 200 ms timeout",
    },
    { title: "a program that is not there", hook: shell(["/no/such"]), says: "p could not be started" },
    { title: "a line before the JSON", hook: shell("echo hi; echo '{}'"), says: "p did not print valid JSON" },
    { title: "nothing at all", hook: shell(":"), says: "p did not print valid JSON" },
    { title: "a list", hook: prints([good]), says: "p printed a JSON array" },
    { title: "no push_when", hook: prints(without("push_when")), says: 'p printed "push_when" as nothing' },
    { title: "no wake", hook: prints(without("wake")), says: 'p printed "wake" as nothing' },
    { title: "no message", hook: prints(without("message")), says: 'p printed "message" as nothing' },
    { title: "a number for a flag", hook: prints({ ...good, wake: 1 }), says: 'p printed "wake" as 1' },
    { title: "a text for a flag", hook: prints({ ...good, push_when: "true" }), says: 'p printed "push_when" as ' },
    { title: "an empty message", hook: prints({ ...good, message: "" }), says: 'p printed "message" as ' },
    { title: "a message that is a number", hook: prints({ ...good, message: 7 }), says: 'p printed "message" as 7' },
    { title: "a session that is a number", hook: prints({ ...good, session: 3 }), says: 'p printed "session" as 3' },
  ];
  test.each(faults)("is skipped for $title, and the point goes on", async ({ hook, says }) => {
    await using place = await workspace();
    await declare(place, hook);
    const result = await turnEnd(place);
    expect(result).toMatchObject({ stderr: "", code: 0 });
    expect(warningsOf(result)).toEqual([expect.stringContaining(says)]);
    expect(result.stdout).not.toContain("pushes");
    expect(await drained(place)).toEqual(EMPTY);
  });

  test("cannot stop the agent, whatever else it prints", async () => {
    await using place = await workspace();
    await declare(place, prints({ ...good, blocked: true, decision: "deny", sesion: "s2" }));
    const result = await turnEnd(place);
    expect(result).toMatchObject({ code: 0 });
    expect(JSON.parse(result.stdout)).toMatchObject({
      pushes: [good],
      warnings: [
        expect.stringContaining('unknown key "blocked"'),
        expect.stringContaining('unknown key "decision"'),
        expect.stringContaining('Did you mean "session"'),
      ],
    });
  });
});

describe("passive pushes wait", () => {
  const push = (message: string, wake: boolean) => ({ on: "turn_end", template_push: { message, wake } });
  const taken = async (place: Workspace, flags = "") =>
    JSON.parse((await runInProcess(place, `inbox drain ${flags} --session s1`)).stdout);

  test("they ride along with the next turn that a hook opens, and open none", async () => {
    await using place = await workspace();
    await declare(place, push("p", false));
    await turnEnd(place);
    for (const _ of [1, 2]) expect(await taken(place)).toEqual(EMPTY);
    expect(JSON.parse((await runInProcess(place, "inbox --session s1")).stdout)).toMatchObject({
      messages: [{ content: "[hook:turn_end] p" }],
      wake: false,
    });
    await declare(place, push("w", true));
    await turnEnd(place);
    expect(await taken(place)).toMatchObject({
      messages: [{ content: "[hook:turn_end] p" }, { content: "[hook:turn_end] w" }],
      wake: true,
    });
    expect(await taken(place, "--all")).toEqual(EMPTY);
  });

  test("or with the next turn of a person, whose caller takes them with --all", async () => {
    await using place = await workspace();
    await declare(place, push("p", false));
    await turnEnd(place);
    expect(await taken(place, "--all")).toMatchObject({ messages: [{ content: "[hook:turn_end] p" }], wake: false });
    expect(await taken(place, "--all")).toEqual(EMPTY);
  });
});
