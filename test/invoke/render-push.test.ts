import { describe, expect, test } from "vitest";
import { renderPush } from "../../packages/handlers/render-push.ts";

const PAYLOAD = {
  event: "turn_end",
  agent_name: "ann",
  chain_id: "c7",
  user_text: "{{ chain_id }}{% raw %}",
  task_id: "t1",
  status: "aborted",
  tool_input: { command: "ls", files: ["a", "b"] },
  count: 3,
};

const rendered = (push: object, payload: object = PAYLOAD): unknown =>
  JSON.parse(renderPush(JSON.stringify({ push, payload })));
const said = (message: string, payload?: object): unknown =>
  (rendered({ message }, payload) as { message?: unknown }).message;
const whyNot = (push: object): unknown => (rendered(push) as { skipped?: unknown }).skipped;

const RANGE = "range() gives at most 100000 numbers";
const TOO_MANY = "a text or a list would have more than 10000000 items";
const GROWN = "it is nested too deeply or grows too long";
const LOOP = "{% for i in range(9999) %}";

describe("the message of a template_push", () => {
  test.each([
    ["plain", "plain"],
    ["{{ agent_name }} on {{ chain_id }}, {{ task_id }}: {{ status }}", "ann on c7, t1: aborted"],
    ["{{ tool_input.command }} {{ tool_input['files'][1] }}", "ls b"],
    ["{% for file in tool_input.files %}{{ loop.index }}{{ file }} {% endfor %}", "1a 2b "],
    ["{% if count > 2 %}many{% else %}few{% endif %}", "many"],
    ["{% set n = count + 1 %}{{ n }} {{ tool_input.files | join('+') | upper }}", "4 A+B"],
    ["{% macro tag(word) %}<{{ word }}>{% endmacro %}{{ tag(status) }}", "<aborted>"],
    ["{{ nobody | default('nobody') }} {{ nobody is defined }}", "nobody False"],
    ["{% for i in range(3) %}{{ i }}{% endfor %}{% for i in range(4, 0, -2) %}{{ i }}{% endfor %}", "01242"],
  ])("%s", (template, text) => expect(said(template)).toBe(text));

  test("takes every value of the payload as data, never as a template", () => {
    expect(said("{{ user_text }}")).toBe("{{ chain_id }}{% raw %}");
  });

  test("has each number as Python reads it", () => {
    const big =
      '{"push":{"message":"{{ id }} {{ far }} {{ one }}"},"payload":{"id":12345678901234567890,"far":1e400,"one":1.0}}';
    expect(JSON.parse(renderPush(big))).toMatchObject({ message: "12345678901234567890 inf 1.0" });
  });

  test("is not led astray by a field that is named like a constant or like something every object has", () => {
    const payload = JSON.parse('{"true":false,"range":1,"constructor":"c","__proto__":{"a":"own"},"namespace":2}');
    expect(said("{{ true }} {{ range }} {{ constructor }} {{ __proto__.a }}", payload)).toBe("True 1 c own");
  });
});

describe("a name that stands for nothing", () => {
  test.each([
    ["{{ nobody }}", 'its message: there is no "nobody"'],
    ["{{ tool_input.nothing.more }}", 'its message: there is no "tool_input.nothing"'],
    ["{% if nobody %}x{% endif %}", 'its message: there is no "nobody"'],
    ["{% for one in nobody %}x{% endfor %}", 'its message: there is no "nobody"'],
    ["{{ tool_input.files[9] }}", 'its message: there is no "tool_input.files[9]"'],
    ["{{ [] | first }}", "its message: there is no first item: the sequence is empty"],
  ])("skips the push where the message has it: %s", (message, why) => expect(whyNot({ message })).toBe(why));

  test("is false in wake and in push_when", () => {
    expect(rendered({ message: "m", wake: "{{ nobody }}" })).toMatchObject({ push_when: true, wake: false });
    expect(rendered({ message: "{{ nobody }}", push_when: "{{ nobody }}" })).toMatchObject({ push_when: false });
  });

  test("is the current session where the session has it, as in Reyn; another fault skips the push", () => {
    expect(rendered({ message: "m", session: "{{ nobody }}" })).toMatchObject({ push_when: true, session: null });
    expect(whyNot({ message: "m", session: "{{ 1 / 0 " })).toMatch(/^its session: /);
  });
});

describe("wake and push_when", () => {
  test("are true where nothing is said", () => {
    expect(rendered({ message: "m" })).toEqual({ push_when: true, wake: true, message: "m", session: null });
  });

  test.each(["true", "1", "yes", "on", "TRUE", " Yes\n", "{{ count == 3 }}", "{{ 1 }}"])("%j is true", (flag) =>
    expect(rendered({ message: "m", wake: flag })).toMatchObject({ wake: true }),
  );

  test.each(["false", "0", "no", "off", "", " ", "{{ count == 4 }}", "{{ nobody }}", "Off"])("%j is false", (flag) => {
    expect(rendered({ message: "m", wake: flag })).toMatchObject({ wake: false });
    expect(rendered({ message: "m", push_when: flag })).toMatchObject({ push_when: false });
  });

  test.each([true, false])("may be the plain value %j", (wake) =>
    expect(rendered({ message: "m", wake })).toMatchObject({ wake }),
  );

  test.each(["maybe", "2", "{{ agent_name }}"])("%j is neither, and skips the push", (flag) => {
    expect(whyNot({ message: "m", wake: flag })).toMatch(/^its wake is neither true nor false: "/);
    expect(whyNot({ message: "m", push_when: flag })).toMatch(/^its push_when is neither true nor false: "/);
  });
});

test("the session is a text or a template, and where it is empty the payload's own", () => {
  expect(rendered({ message: "m", session: "other" })).toMatchObject({ session: "other" });
  expect(rendered({ message: "m", session: "{{ chain_id }}-log" })).toMatchObject({ session: "c7-log" });
  expect(rendered({ message: "m", session: "{{ '' }}" })).toMatchObject({ session: null });
});

test.each(["", " \n", "{% if count > 5 %}many{% endif %}"])("the empty message %j is not pushed", (message) =>
  expect(whyNot({ message })).toBe("its message is empty"),
);

describe("a template runs no code and ends", () => {
  const reached: readonly string[] = [
    ...["{{ ''.constructor }}", "{{ ''.constructor.constructor('return process')() }}", "{{ agent_name.__proto__ }}"],
    ...["{{ ({}).__proto__ }}", "{{ ''.__class__.__mro__ }}", "{{ range.constructor }}", "{{ process.env }}"],
    ...[
      "{{ agent_name | attr('constructor') }}",
      "{{ globalThis }}",
      "{{ require('fs') }}",
      "{{ tool_input.toString }}",
    ],
    ...[
      "{% include '/etc/passwd' %}",
      "{% import 'os' as os %}",
      "{{ raise_exception('x') }}",
      "{{ strftime_now('%Y') }}",
    ],
  ];
  test.each(reached)("%s reaches nothing", (message) => expect(whyNot({ message })).toMatch(/^its message: /));

  const doubled = "{% set x = x ~ x %}".repeat(40);
  const endless = [
    { title: "a range of a thousand million", message: "{% for i in range(10**9) %}x{% endfor %}", why: RANGE },
    { title: "a range without a step", message: "{{ range(0, 1, 0) }}", why: "range() arg 3 must not be zero" },
    {
      title: "loops in loops",
      message: `${LOOP}${LOOP}x{% endfor %}{% endfor %}`,
      why: "it takes more than 1000000 steps",
    },
    { title: "a text that doubles 40 times", message: `{% set x = 'x' %}${doubled}{{ x }}`, why: TOO_MANY },
    {
      title: "20,000 brackets",
      message: `{{ ${"(".repeat(20_000)}1${")".repeat(20_000)} }}`,
      why: "line 1: it is nested more than 100 levels deep",
    },
    { title: "20,000 operators", message: `{{ 1${" + 1".repeat(20_000)} }}`, why: GROWN },
    {
      title: "a value in itself as JSON",
      message: "{% set l = [] %}{{ l.append(l) }}{{ l|tojson }}",
      why: "Circular reference detected",
    },
    { title: "a power of thousands of digits", message: "{{ 9 ** (9 ** 9) }}", why: "a number would be too large" },
    { title: "a line indented by a thousand million", message: "{{ 'a' | indent(10**9, true) }}", why: TOO_MANY },
    {
      title: "an expression without an end",
      message: "{{ broken",
      why: "line 1: unexpected end of template, expected '}}'",
    },
  ];
  test.each(endless)("$title", ({ message, why }) => expect(whyNot({ message })).toBe(`its message: ${why}`));
});
