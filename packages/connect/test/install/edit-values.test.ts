import { describe, expect, test } from "vitest";
import { setTomlTexts, setVariables } from "../../install/settings-file/edit-values.ts";

const POLICY = ["shell_environment_policy", "set", "BASH_ENV"];
const setTo = (text: string, value: string | undefined): string | null => setTomlTexts(text, [{ path: POLICY, value }]);

describe("a text in TOML", () => {
  test.each([
    ["", '\n[shell_environment_policy.set]\nBASH_ENV = "/s"\n'],
    ['model = "m"', 'model = "m"\n\n[shell_environment_policy.set]\nBASH_ENV = "/s"\n'],
    [
      '[shell_environment_policy]\ninherit = "core"\n[a]\n',
      '[shell_environment_policy]\ninherit = "core"\n[a]\n\n[shell_environment_policy.set]\nBASH_ENV = "/s"\n',
    ],
    [
      '[shell_environment_policy.set] # mine\nA = "1"\n[b]\n',
      '[shell_environment_policy.set] # mine\nBASH_ENV = "/s"\nA = "1"\n[b]\n',
    ],
    [
      '[shell_environment_policy.set]\nBASH_ENV = "/old"\n\n[b]\n',
      '[shell_environment_policy.set]\nBASH_ENV = "/s"\n\n[b]\n',
    ],
  ])("is set in %j", (before, after) => {
    expect(setTo(before, "/s")).toBe(after);
    expect(setTo(after, "/s")).toBe(after);
  });

  test("is taken away, and its table if that is empty then", () => {
    expect(setTo('a = 1\n\n[shell_environment_policy.set]\nBASH_ENV = "/s"\n', undefined)).toBe("a = 1\n");
    expect(setTo('[shell_environment_policy.set]\nBASH_ENV = "/s"\nA = "1"\n', undefined)).toBe(
      '[shell_environment_policy.set]\nA = "1"\n',
    );
    expect(setTo('model = "m"\n', undefined)).toBe('model = "m"\n');
  });

  test.each(['[shell_environment_policy]\nset = { A = "1" }\n', "not TOML ["])("is not set in %j", (before) => {
    expect(setTo(before, "/s")).toBeNull();
  });
});

describe("a variable in a file of lines", () => {
  const set = (text: string, value: string | undefined): string => setVariables(text, [{ path: ["BASH_ENV"], value }]);

  test("is set, in the place of its other values, and taken away", () => {
    expect(set("", "/a b")).toBe('BASH_ENV="/a b"\n');
    expect(set("KEY=1", "/s")).toBe('KEY=1\nBASH_ENV="/s"\n');
    expect(set("export BASH_ENV=/old\nKEY=1\n", "/s")).toBe('KEY=1\nBASH_ENV="/s"\n');
    expect(set('BASH_ENV="/s"\nKEY=1\n', "/s")).toBe('BASH_ENV="/s"\nKEY=1\n');
    expect(set('KEY=1\nBASH_ENV="/s"\n', undefined)).toBe("KEY=1\n");
  });
});
