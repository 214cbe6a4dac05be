import { describe, expect, test } from "vitest";
import type { AllowRule } from "../../../../src/protocol/guard-settings.ts";
import type { RuleList, RuleSubject, ScopedRule } from "../../../../src/protocol/rule-settings.ts";
import { examine } from "../../examine.ts";
import { EXAMPLES } from "../../examples.ts";
import { type JudgeSettings, judge, reasonOf, STANDARD_SETTINGS } from "../../judge.ts";
import { git } from "../../rules/git.ts";
import { rules } from "../../rules/rules.ts";
import type { ToolCall } from "../../tool-call.ts";
import { KNOWN, rule } from "./known.ts";

const PLACE = { folder: "/home/dev/shop", home: "/home/dev", project: "/home/dev/shop", variables: {} };

const allowing = (match: string, more: Partial<ScopedRule> = {}, subject: RuleSubject = "commands"): AllowRule => {
  const own = rule(subject, "allow", match, more);
  return { text: match, folder: own.folder, rule: own };
};

const settingsWith = (own: readonly ScopedRule[], allow: readonly AllowRule[] = []): JudgeSettings => ({
  ...STANDARD_SETTINGS,
  rules: own,
  allow,
});
const call = (command: string): ToolCall => ({ commands: [command], folder: null, files: [] });
const verdict = (settings: JudgeSettings, given: ToolCall, guard = rules) =>
  judge(examine(given, PLACE), { rules: guard, settings });
const decided = (match: string, command: string, list: RuleList = "block"): string =>
  verdict(settingsWith([rule("commands", list, match)]), call(command)).decision;

describe("a block covers the command in every spelling, and more than its text", () => {
  test.each([
    ["npm publish", "npm publish"],
    ["npm publish *", "npm publish"],
    ["npm publish", "npm publish --tag next ./dir"],
    ["npm publish *", "npm --registry https://npm.example publish"],
    ["npm publish *", "npm publ"],
    ["npm install *", "npm i left-pad"],
    ["npm publish *", "npx npm@10 publish"],
    ["npm publish *", "corepack npm publish"],
    ["npm publish *", "node /usr/lib/node_modules/npm/bin/npm-cli.js publish"],
    ["npm publish *", "cd web && command npm publish"],
    ["npm publish *", "X=publish; npm $X"],
    ["npm publish *", "alias p='npm publish'\np"],
    ["npm publish *", "python3 -c \"import os; os.system('npm publish')\""],
    ["npm publish *", "python3 -c \"import subprocess; subprocess.run(['npm', 'publish'])\""],
    ["npm publish *", "node -e \"require('child_process').execSync('npm publish')\""],
    ["npm publish *", "ssh box.example npm publish"],
    ["npm publish *", "echo $(npm publish)"],
    ["git push --force *", "git -C web push origin main -f"],
    ["git push --force *", "git push --forc"],
    ["git push -f *", "git push --force"],
    ["rm -rf *", "rm --recursive x --force"],
    ["rm -rf /srv/data", "cd /srv && rm -fr data"],
    ["docker rm *", "docker --context c container rm -f web"],
    ["docker container *", "docker container rm x"],
    ["docker compose down *", "docker-compose -f x.yml down -v"],
    ["kubectl delete pod *", "kubectl -n shop delete pods/web"],
    ["terraform apply *", "terraform -chdir=infra apply --auto-approve"],
    ["terraform apply -auto-approve", "terraform apply --auto-approve"],
    ["pip install *", "python3.12 -m pip install requests"],
    ["curl -X DELETE *", "curl -sXDELETE https://api.example/x"],
    ["curl --request DELETE *", "curl https://api.example/x -X DELETE"],
    ["acme deploy --env prod *", "acme deploy --env=prod web"],
    ["acme deploy --env=prod", "acme --verbose deploy --env prod"],
    ["acme * --all", "acme rm --all"],
    ["aws * delete-*", "aws s3api delete-bucket --bucket x"],
    ["./deploy.sh *", "bash deploy.sh prod"],
    ["php artisan migrate *", "php artisan migrate --force"],
    ["sudo *", "sudo -n ls"],
    ["* --dangerously-skip-permissions", "claude -p x --dangerously-skip-permissions"],
  ])("%s: %s", (match, command) => {
    expect(decided(match, command)).toBe("block");
    expect(decided(match, command, "ask")).toBe("ask");
  });
});

test.each([
  ["npm publish *", "npm run publish-docs"],
  ["npm publish *", "npm run publish"],
  ["npm publish *", "npm pack publish"],
  ["npm publish *", "man npm-publish"],
  ["npm publish *", "echo npm publish"],
  ["npm publish *", "git commit -m 'npm publish'"],
  ["npm publish *", 'npm test "$FILE"'],
  ["npm publish *", "$EDITOR notes.md"],
  ["npm publish *", "cat <<E\nnpm publish\nE"],
  ["git push --force *", "git push --force-with-lease origin x"],
  ["git push --force *", 'git push origin "$BRANCH"'],
  ["git push --force *", "git push --force --no-force"],
  ["git push origin main", "git push origin fix"],
  ["rm -rf /srv/data", "rm -rf data"],
  ["docker rm *", "docker run --rm x"],
  ["find * -delete", "find . -depth -type l"],
  ["acme deploy --env prod *", "acme deploy --env dev"],
  ["terraform apply *", "terraform plan"],
])("%s: not %s", (match, command) => expect(decided(match, command)).toBe("allow"));

test.each([
  ["npm publish *", "npm $COMMAND"],
  ["npm publish *", "$TOOL publish"],
  ["npm publish *", "$(cat tool) publish --tag x"],
  ["rm -rf /srv/data *", 'rm -rf "$DIR"'],
  ["rm -rf /srv/data *", "rm -rf /srv/d*"],
  ["git push --force *", "git push --$X"],
  ["npm publish *", "npm() { npm; }; npm"],
])("what is known only at run time is asked about, %s: %s", (match, command) =>
  expect(decided(match, command)).toBe("ask"),
);

test("unless takes calls out, but none with an unknown setting before the subcommand", () => {
  const settings = settingsWith([rule("commands", "block", "npm publish *", { unless: ["npm publish --dry-run *"] })]);
  const decisions = (commands: readonly string[]) => commands.map((one) => verdict(settings, call(one)).decision);
  expect(decisions(["npm publish --dry-run", "npm publish --tag x --dry-run ./dir"])).toEqual(["allow", "allow"]);
  expect(
    decisions(["npm publish", "npm publish --dry-run && npm publish", "npm --registry x publish --dry-run"]),
  ).toEqual([...["block", "block", "block"]]);
});

test("the reason has the part, the person's words and the file", () => {
  const own = rule("commands", "block", "npm publish *", { reason: "ask Kim." });
  const [first] = verdict(settingsWith([own]), call("cd web; npm publish --tag x")).judged;
  expect(first?.finding.rule).toBe("commands.block");
  expect(first && reasonOf(first.finding)).toBe(
    "`npm publish --tag x` is blocked by the rule `npm publish *` in /home/dev/.kodelet/hooks.json: ask Kim. Do not look for another way: ask the person.",
  );
});

describe("an allow", () => {
  const push = "git push --force origin my-branch";
  const judged = (command: string, allow: AllowRule) => verdict(settingsWith([], [allow]), call(command), git).decision;

  test.each([
    [push, push],
    [push, "git push origin my-branch -f"],
    [push, `bash -c '${push}'`],
    [push, `cd web && ${push}`],
    ["git push --force origin my-*", push],
    ["git push *", push],
    ["git reset --hard", "git reset --hard"],
  ])("%s allows %s", (match, command) => expect(judged(command, allowing(match))).toBe("allow"));

  test.each([
    [push, `${push} main`],
    [push, `${push} --tags`],
    [push, `GIT_SSH_COMMAND=x ${push}`],
    [push, `${push} > ~/.bashrc`],
    [push, `sudo ${push}`],
    [push, `ssh box.example ${push}`],
    [push, `./${push}`],
    [push, `${push}; git reset --hard`],
    [push, `git -C ../other push --force origin my-branch`],
    ["git push --force origin my-*", "git push --force origin main"],
    ["git push *", "git -c core.hooksPath=/dev/null push --force origin main"],
    ["git push --force origin", push],
    ["git checkout x.ts", "git checkout -- x.ts"],
    ["git push --force origin $HOME", 'git push --force origin "$X"'],
  ])("%s does not allow %s", (match, command) => expect(judged(command, allowing(match))).not.toBe("allow"));

  test("of one project does not count elsewhere", () => {
    const here = allowing(push, { folder: "/home/dev/shop", level: 1 });
    expect([push, `cd web; ${push}`, `cd ../other; ${push}`].map((one) => judged(one, here))).toEqual([
      ...["allow", "allow", "ask"],
    ]);
  });

  const LEVELS = [0, 1, 2, 3] as const;
  test("overrides no stronger scope, and one of a project only its own file", () => {
    const overrides = LEVELS.map((own) =>
      LEVELS.map((allow) => {
        const settings = settingsWith(
          [rule("commands", "block", "npm publish *", { level: own, file: `/${own}` })],
          [allowing("npm publish", { level: allow, file: `/${allow}` })],
        );
        return verdict(settings, call("npm publish")).decision === "allow" ? allow : "-";
      }).join(""),
    );
    expect(overrides).toEqual(["0---", "01--", "012-", "0123"]);
  });

  test("lets the findings of other scopes stand", () => {
    const settings = settingsWith(
      [rule("commands", "block", "npm publish *"), rule("commands", "ask", "npm *", { level: 0 })],
      [allowing("npm publish")],
    );
    expect(verdict(settings, call("npm publish")).decision).toBe("ask");
  });
});

describe("files are those that are written, changed or deleted", () => {
  const decisionOf = (command: string, more: Partial<ScopedRule> = {}, allow: readonly AllowRule[] = []) =>
    verdict(settingsWith([rule("files", "block", "infra/**", more)], allow), call(command)).decision;

  test.each([
    ["echo x > infra/a.tf", "block"],
    ["cp a.tf infra/a.tf", "block"],
    ["cd infra; rm -f a.tf", "block"],
    ["sed -i s/a/b/ infra/a.tf", "block"],
    ["cat infra/a.tf", "allow"],
    ['echo x > "infra/$X"', "ask"],
    ["python3 -c \"open('infra/a.tf', 'w').write('')\"", "block"],
  ])("%s: %s", (command, expected) => expect(decisionOf(command)).toBe(expected));

  test("by tools, too, with exceptions", () => {
    const given = {
      ...call("true"),
      files: [{ path: "infra/a.md", action: "write", oldText: null, newText: "x" }],
    } as const;
    const settings = (unless: readonly string[]) => settingsWith([rule("files", "ask", "infra/**", { unless })]);
    expect(verdict(settings([]), given).decision).toBe("ask");
    expect(verdict(settings(["infra/*.md"]), given).decision).toBe("allow");
  });

  test("an allow names the file", () => {
    expect(decisionOf("echo x > infra/a.tf", {}, [allowing("infra/a.tf", {}, "files")])).toBe("allow");
    expect(decisionOf("echo x > infra/b.tf", {}, [allowing("infra/a.tf", {}, "files")])).toBe("block");
    expect(decisionOf("rm -rf infra", {}, [allowing("infra/a.tf", {}, "files")])).toBe("block");
  });
});

describe("hosts are those that programs and tools connect to", () => {
  const settings = settingsWith([rule("hosts", "block", "*.example.org"), rule("hosts", "ask", "db.example:5432")]);
  const decisionOf = (command: string) => verdict(settings, call(command)).decision;

  test.each([
    ["curl -s https://api.example.org/x", "block"],
    ["git clone git@git.example.org:a/b", "block"],
    ["npm publish --registry https://npm.example.org", "block"],
    ["scp x me@box.example.org:", "block"],
    ["psql -h db.example", "ask"],
    ["psql -h db.example -p 6432", "allow"],
    ["curl https://example.org", "allow"],
    ["echo https://api.example.org", "allow"],
    ['curl "https://$X.example.org"', "block"],
    ['curl "https://$X/a"', "ask"],
  ])("%s: %s", (command, expected) => expect(decisionOf(command)).toBe(expected));

  test("of tools", () => {
    const fetching = { commands: [], folder: null, files: [], addresses: ["https://API.example.org/x"] };
    expect(verdict(settings, fetching).decision).toBe("block");
    const allowed = { ...settings, allow: [allowing("api.example.org", {}, "hosts")] };
    expect(verdict(allowed, fetching).decision).toBe("allow");
    expect(verdict(allowed, call("curl https://api.example.org https://b.example.org")).decision).toBe("block");
  });
});

describe("the examples of rules", () => {
  const settings = settingsWith(KNOWN.rules);
  const { blocked, asked, allowed, gaps } = EXAMPLES.rules;
  const decisionOf = (command: string) => verdict(settings, call(command)).decision;
  test.each(blocked)("blocked: $command", ({ command }) => expect(decisionOf(command)).toBe("block"));
  test.each(asked)("asked: $command", ({ command }) => expect(decisionOf(command)).toBe("ask"));
  test.each([...allowed, ...gaps])("not stopped: $command", ({ command }) => expect(decisionOf(command)).toBe("allow"));
});
