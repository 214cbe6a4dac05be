import { rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { parseRunJson } from "../support/json-output.ts";
import { type Workspace, workspace } from "../support/workspace.ts";

/** As Reyn's users have it: settings of the whole program, and hooks among them. */
const REYN_YAML = `
model: standard
models:
  standard: provider/model
safety:
  loop:
    max_hook_driven_turns: 2
  on_limit:
    mode: unattended
hooks:
  - on: turn_end
    template_push:
      message: "Run complete. Check for pending tasks."
      wake: true

  - on: session_start
    shell_exec: "echo session-started >> hooks.log"

  - name: dynamic
    on: turn_end
    shell_push: "scripts/decide-next.sh"   # prints one directive
    matcher: any
`;
const SCRIPT = `#!/bin/sh
cat > /dev/null
printf '{"push_when":true,"wake":false,"message":"%s"}' "$(basename "$PWD")"
`;
const ADDED = `hooks:
- 'on': turn_end
  template_push: {message: self-go, wake: true}
`;

async function project(text = REYN_YAML): Promise<Workspace> {
  const place = await workspace();
  await place.write("project/reyn.yaml", text);
  await place.write("project/scripts/decide-next.sh", SCRIPT, 0o755);
  return place;
}

const run = async (place: Workspace, point = "turn_end", flags = "") => {
  const stdin = JSON.stringify({ conv_id: "s1", point, agent_name: "ann", chain_id: "c", user_text: "hello" });
  return parseRunJson(await runInProcess(place, `run ${point} -q --json ${flags}`, { stdin }));
};
const drained = async (place: Workspace) =>
  JSON.parse((await runInProcess(place, "inbox drain --all --session s1")).stdout) as {
    messages: { content: string }[];
  };
const contents = async (place: Workspace) => (await drained(place)).messages.map(({ content }) => content);
const refused = { outcome: "refused", failure: { code: "HOOK_REFUSED_UNTRUSTED" } };

describe("the hooks of a reyn.yaml", () => {
  test("have no effect before they are approved, and nothing of them runs", async () => {
    await using place = await project();
    expect(await run(place)).toMatchObject({ decision: "continue", hooks: [refused, refused] });
    expect(await contents(place)).toEqual([]);
    expect((await runInProcess(place, "trust --show")).stdout).toContain("reyn.yaml");
  });

  test("run as they stand, commands in the project's folder, beside settings of other programs", async () => {
    await using place = await project();
    await place.write("project/.kodelet/hooks.yaml", "hooks:\n  - { on: turn_end, inject: ours }\n");
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
    expect((await run(place)).hooks).toHaveLength(3);
    expect(await contents(place)).toEqual([
      "[hook:turn_end] Run complete. Check for pending tasks.",
      "[hook:dynamic] project",
    ]);
    await run(place, "session_start");
    expect(await place.read("project/hooks.log")).toBe("session-started\n");
    expect(await runInProcess(place, "list")).toMatchObject({ code: 0 });
  });

  test("ask again after an edit, of their scripts too; until then the approved ones apply", {
    tags: "slow",
  }, async () => {
    await using place = await project();
    await runInProcess(place, "trust --yes");
    await place.write("project/reyn.yaml", REYN_YAML.replace("Run complete.", "Other words."));
    await run(place);
    expect(await contents(place)).toContain("[hook:turn_end] Run complete. Check for pending tasks.");
    await place.write("project/scripts/decide-next.sh", `${SCRIPT}\n`, 0o755);
    expect((await run(place)).hooks).toMatchObject([{}, { failure: { code: "HOOK_REFUSED_CHANGED" } }]);
  });

  test("are joined by those of .reyn/hooks.yaml, which is approved by itself", { tags: "slow" }, async () => {
    await using place = await project();
    await place.write("project/.reyn/hooks.yaml", ADDED);
    await runInProcess(place, "trust reyn.yaml");
    await run(place);
    const own = ["[hook:turn_end] Run complete. Check for pending tasks.", "[hook:dynamic] project"];
    expect(await contents(place)).toEqual(own);
    await runInProcess(place, "trust .reyn/hooks.yaml");
    await run(place);
    expect(await contents(place)).toEqual([...own, "[hook:turn_end] self-go"]);
    await rm(`${place.dir}/project/reyn.yaml`);
    await runInProcess(place, "trust --yes");
    await run(place);
    expect(await contents(place)).toEqual(["[hook:turn_end] self-go"]);
  });
});

describe("safety of a reyn.yaml", () => {
  const rows: { safety: string; wakes: readonly boolean[]; code: number }[] = [
    { safety: "{ loop: { max_hook_driven_turns: 1 } }", wakes: [true, false], code: 0 },
    { safety: "{ loop: { max_hook_driven_turns: 0 } }", wakes: [true, true, true], code: 0 },
    { safety: "{ loop: { max_hook_driven_turns: many } }", wakes: [true, true, true], code: 0 },
    {
      safety: "{ loop: { max_hook_driven_turns: 1 }, on_limit: { mode: interactive } }",
      wakes: [true, false],
      code: 2,
    },
    { safety: "{ loop: { max_hook_driven_turns: 1 }, on_limit: { mode: unattended } }", wakes: [true, false], code: 0 },
    {
      safety: "{ loop: { max_hook_driven_turns: 1 }, on_limit: { mode: auto_extend } }",
      wakes: [true, true, false],
      code: 0,
    },
    { safety: "{ loop: { max_hook_driven_turns: 1 }, on_limit: ask_user }", wakes: [true, false], code: 2 },
    { safety: "{ loop: { max_hook_driven_turns: 1 }, on_limit: abort }", wakes: [true, false], code: 2 },
    { safety: "[]", wakes: [true, true], code: 0 },
  ];
  test.each(rows)("$safety", { tags: "slow" }, async ({ safety, wakes, code }) => {
    const hooks = "hooks:\n  - on: turn_end\n    template_push: { message: again }\n";
    await using place = await project(`safety: ${safety}\n${hooks}`);
    await runInProcess(place, "trust --yes");
    let last = 0;
    const woken: boolean[] = [];
    for (const _ of wakes) {
      const stdin = JSON.stringify({ conv_id: "s1", point: "turn_end" });
      last = (await runInProcess(place, "run turn_end -q", { stdin })).code;
      woken.push(JSON.parse((await runInProcess(place, "inbox drain --session s1")).stdout).wake);
    }
    expect({ woken, last }).toEqual({ woken: wakes, last: code });
  });

  test("counts without hooks beside it, for those of .reyn/hooks.yaml", { tags: "slow" }, async () => {
    await using place = await project("safety: { loop: { max_hook_driven_turns: 1 } }\n");
    await place.write("project/.reyn/hooks.yaml", ADDED);
    await runInProcess(place, "trust --yes");
    const wakes = [];
    for (const _ of [1, 2]) {
      await run(place);
      wakes.push(JSON.parse((await runInProcess(place, "inbox drain --session s1")).stdout).wake);
    }
    expect(wakes).toEqual([true, false]);
  });

  test("does not loosen what the user or the project's own file says", { tags: "slow" }, async () => {
    await using place = await project(
      "safety: { loop: { max_hook_driven_turns: 0 } }\nhooks:\n  - { on: turn_end, template_push: { message: m } }\n",
    );
    await place.write("home/.kodelet/hooks.json", '{"settings":{"max_hook_driven_turns":1}}');
    await runInProcess(place, "trust --yes");
    await run(place);
    await drained(place);
    expect((await run(place)).warnings).toEqual([expect.stringContaining("the limit is 1")]);
  });
});

describe("a reyn.yaml without hooks is Reyn's alone", () => {
  const texts = ["", "model: standard\n", "hooks:\n", "hooks: []\n", "- a hook\n"];
  test.each(texts)("%j costs no warning and waits for no approval", async (text) => {
    await using place = await project(text);
    expect(await runInProcess(place, "run turn_end", { stdin: '{"point":"turn_end"}' })).toEqual({
      stdout: "{}\n",
      stderr: "",
      code: 0,
    });
    expect(await runInProcess(place, "list")).toMatchObject({ code: 0 });
    expect(await runInProcess(place, "trust --yes")).toMatchObject({ code: 0 });
    expect((await runInProcess(place, "trust --list --json")).stdout).toContain('"entries":[]');
  });
});

test("a bad entry is named with its index and takes nobody else's hooks out", async () => {
  await using place = await project("hooks:\n  - on: turn_end\n    template_push: { message: m }\n  - on: turn_end\n");
  await place.write("project/.reyn/hooks.yaml", ADDED);
  await runInProcess(place, "trust --yes");
  const result = await run(place);
  expect(result).toMatchObject({ decision: "continue", warnings: [expect.stringContaining("hooks[1]")] });
  expect(await contents(place)).toEqual(["[hook:turn_end] self-go"]);
});
