import { expect, test } from "vitest";
import { renderPush } from "../../packages/handlers/render-push.ts";
import { checkEntries } from "../../src/config/schema/check-entries.ts";
import { readPush } from "../../src/dialects/response/read-push.ts";
import { isBlank, trimPythonSpace } from "../../src/protocol/text/text.ts";

/** All characters of which Python's `str.strip` takes from the ends of a text. */
const BLANK = [9, 10, 11, 12, 13, 28, 29, 30, 31, 32, 0x85, 0xa0, 0x1680]
  .concat(Array.from({ length: 11 }, (_, index) => 0x2000 + index))
  .concat([0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);
const all = Array.from({ length: 0x1_0000 }, (_, code) => code);

test("blank is what Python strips, among all characters", () => {
  expect(all.filter((code) => isBlank(String.fromCharCode(code)))).toEqual(BLANK);
  expect(isBlank("")).toBe(true);
  expect(trimPythonSpace("\u0085 a \u001fb\u001c\n")).toBe("a \u001fb");
  expect(trimPythonSpace(" \u0085")).toBe("");
  expect(trimPythonSpace("\ufeff")).toBe("\ufeff");
});

const rows: { title: string; text: string; blank: boolean }[] = [
  ...BLANK.map((code) => ({ title: code.toString(16), text: String.fromCharCode(code), blank: true })),
  { title: "none", text: "", blank: true },
  { title: "feff", text: "\ufeff", blank: false },
  { title: "200b", text: "\u200b", blank: false },
];
test.each(rows)("$title as a message or a command is blank: $blank", ({ text, blank }) => {
  const entries = [
    { on: "turn_end", template_push: { message: text } },
    { on: "turn_end", shell_push: text },
    { on: "turn_end", shell_exec: text },
  ];
  for (const entry of entries) expect(checkEntries([entry], "f").ok).toBe(!blank);
  const directive = JSON.stringify({ push_when: true, wake: true, message: text });
  expect(readPush({ name: "h", path: "p" }, Buffer.from(directive)).ok).toBe(!blank);
  const rendered = JSON.parse(renderPush(JSON.stringify({ push: { message: "{{ text }}" }, payload: { text } })));
  expect("skipped" in rendered).toBe(blank);
});

test.each(rows)("$title as a name is none: $blank", ({ text, blank }) => {
  const checked = checkEntries([{ on: "turn_end", name: text, template_push: { message: "m" } }], "f");
  expect(checked).toMatchObject({ ok: true, value: { entries: [{ name: blank ? "turn_end#1" : text }] } });
});

test("a name of the list form is taken without the white space at its ends, as in Reyn", () => {
  const checked = checkEntries([{ on: " Turn_End\u0085", name: " a b\u001f", template_push: { message: "m" } }], "f");
  expect(checked).toMatchObject({ ok: true, value: { entries: [{ name: "a b", on: "turn_end" }] } });
});
