import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../../test/support/property-runs.ts";
import type { Guard } from "../../guard.ts";
import { cloud } from "../../rules/cloud.ts";
import { filesystem } from "../../rules/filesystem.ts";
import { git } from "../../rules/git.ts";
import { decisionOf } from "./judge.ts";
import { RESPELLINGS } from "./respellings.ts";

/** One of each class of rules. */
const STOPPED: readonly (readonly [Guard, string])[] = [
  [filesystem, "rm -rf /"],
  [filesystem, "rm -r -f .git"],
  [filesystem, "rm -rf ../other"],
  [filesystem, "find .. -delete"],
  [filesystem, "chmod -R 777 /etc"],
  [filesystem, "mv /etc /tmp/x"],
  [filesystem, "dd if=/dev/zero of=/dev/sda"],
  [filesystem, "mkfs.ext4 /dev/sda1"],
  [filesystem, "rsync -a --delete src/ /srv/www"],
  [git, "git reset --hard"],
  [git, "git -C sub clean -fd"],
  [git, "git checkout -- ."],
  [git, "git push --force origin main"],
  [git, "git push origin +x"],
  [git, "git stash drop"],
  [git, "git commit --no-verify"],
  [cloud, "terraform destroy"],
  [cloud, "kubectl -n shop delete pod web"],
  [cloud, "aws s3 rb s3://backups"],
  [cloud, "docker system prune -a"],
  [cloud, "redis-cli FLUSHALL"],
  [cloud, "npm publish"],
];

const ALLOWED: readonly (readonly [Guard, string])[] = [
  [filesystem, "rm -rf build"],
  [filesystem, "find src -name x.pyc -delete"],
  [filesystem, "chmod +x run.sh"],
  [git, "git reset --soft HEAD"],
  [git, "git push --force-with-lease"],
  [git, "git clean -n"],
  [cloud, "terraform plan"],
  [cloud, "kubectl get pods"],
  [cloud, "npm publish --dry-run"],
];

describe.each(Object.entries(RESPELLINGS))("%s", (_, respell) => {
  test.each(STOPPED.map(([guard, command]) => [command, guard] as const))(
    "keeps the verdict on %s",
    (command, guard) => {
      const expected = decisionOf(guard, command);
      expect(expected).not.toBe("allow");
      expect(decisionOf(guard, respell(command.split(" ")))).toBe(expected);
    },
  );

  test.each(ALLOWED.map(([guard, command]) => [command, guard] as const))("allows %s", (command, guard) => {
    expect(decisionOf(guard, respell(command.split(" ")))).toBe("allow");
  });
});

test("options that decide nothing do not change the verdict, wherever they stand", () => {
  const command = fc.constantFrom(
    { guard: filesystem, words: ["rm", "-rf", "~"], extra: ["-v", "--one-file-system"] },
    { guard: git, words: ["git", "push", "-f", "origin", "x"], extra: ["-v", "--tags", "--quiet"] },
    { guard: git, words: ["git", "reset", "--hard", "HEAD"], extra: ["-q", "--quiet"] },
    { guard: cloud, words: ["kubectl", "delete", "pod", "web"], extra: ["--wait=false", "--namespace=shop"] },
  );
  fc.assert(
    fc.property(command, fc.nat(4), fc.nat(2), ({ guard, words, extra }, at, which) => {
      const option = extra[which % extra.length] ?? "-v";
      const place = Math.max(2, Math.min(at, words.length));
      const spelled = [...words.slice(0, place), option, ...words.slice(place)].join(" ");
      expect(decisionOf(guard, spelled)).toBe(decisionOf(guard, words.join(" ")));
    }),
  );
});

test("the text of messages, searches and comments is no command", () => {
  const dangerous = fc.constantFrom(...STOPPED.map(([, command]) => command));
  const inert = fc.constantFrom(
    (text: string) => `git commit -m '${text}'`,
    (text: string) => `grep -rn "${text}" src`,
    (text: string) => `echo '${text}' >> notes.txt`,
    (text: string) => `true # ${text}`,
    (text: string) => `cat <<'EOF'\n${text}\nEOF`,
    (text: string) => `gh issue create --title '${text}'`,
  );
  fc.assert(
    fc.property(dangerous, inert, (command, write) => {
      for (const guard of [filesystem, git, cloud]) expect(decisionOf(guard, write(command))).toBe("allow");
    }),
  );
});

test("no command makes a rule throw", () => {
  const programs = ["rm", "git", "find", "chmod", "kubectl", "psql", "dd", "rsync", "tar", "aws", "mv", "redis-cli"];
  const word = fc.oneof(
    fc.constantFrom(
      "-rf",
      "--",
      "-",
      "",
      "$X",
      "*",
      "~",
      "..",
      "/",
      "push",
      "reset",
      "delete",
      "--hard",
      "-c",
      "{}",
      "+",
      ";",
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...programs), fc.array(word, { maxLength: 6 }), (program, words) => {
      const command = [
        program,
        ...words.map((one) => (one === "$X" || one === "*" ? one : `'${one.replaceAll("'", "")}'`)),
      ];
      for (const guard of [filesystem, git, cloud]) decisionOf(guard, command.join(" "));
    }),
    propertyRuns(300),
  );
});
