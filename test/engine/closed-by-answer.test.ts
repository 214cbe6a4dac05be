import { describe, expect, test } from "vitest";
import { runMain } from "../support/in-process.ts";
import { workspace } from "../support/workspace.ts";

/** The answer comes from elsewhere, so that nothing in the hook's own text says what it is. */
const HOOK = `#!/bin/sh
if [ "$1" = hook ]; then cat "$HOME/answer"; exit; fi
`;

describe("an answer that cannot be used but asks to be fail-closed blocks the events that it names", () => {
  const event = '"event":"before_tool_call"';
  const rows: readonly (readonly [answer: string, code: number])[] = [
    [`{${event},"failOpen":false}`, 2],
    [`{${event},"fail_open":"false"}`, 2],
    [`{${event},"FAIL_OPEN":"no"}`, 2],
    [`{${event},"fial_open":false}`, 2],
    [`{${event},"fail_open":false,"prio":1}`, 2],
    [`{${event},"fail_open":true,"fail_open":false}`, 2],
    [`{${event},"fail_open":false`, 2],
    ['{"event":["before_tool_call","no_event"],"failOpen":false}', 2],
    [`{${event},"fail_closed":true}`, 2],
    [`{${event},"prio":1}`, 0],
    [`{${event},"fail_open":"true"}`, 0],
    ['{"event":"agent_stop","failOpen":false}', 0],
  ];
  test.each(rows)("%s: exit %i", async (answer, code) => {
    await using place = await workspace();
    await place.hook("guard", HOOK);
    await place.write("home/answer", answer);
    const stdin = '{"tool_name":"bash","tool_input":{}}';
    const result = await runMain(place, ["run", "before_tool_call"], { stdin });
    expect({ answer, code: result.code }).toEqual({ answer, code });
    expect(JSON.parse(result.stdout).blocked).toBe(code === 2);
    if (answer.includes(event)) expect(result.stderr).toContain("guard printed an invalid declaration");
  });
});
