import { describe, expect, test } from "vitest";
import { analyzeCommand } from "../../command/analyze.ts";
import type { Word } from "../../command/call.ts";
import { fileAccessesOf } from "../../command/files/file-access.ts";
import { type OptionSpec, parseOptions } from "../../command/options.ts";
import { resolvePath, zoneOf } from "../../command/paths.ts";
import { PLACE } from "./compact.ts";

const word = (text: string): Word => ({ text: text.replaceAll("?", "\0"), source: text, isGlob: false, printedBy: [] });

describe("options are read as getopt does", () => {
  const SPEC: OptionSpec = { values: "-n --name", flags: "--recursive --force", attached: "-i" };
  test.each<[string, OptionSpec, string]>([
    ["-rf x -v", SPEC, "-r -f -v | x"],
    ["-rn3 -n 4 x", SPEC, "-r -n=3 -n=4 | x"],
    ["--name=a --name b --recurs --for x", SPEC, "--name=a --name=b --recursive --force | x"],
    ["--re=x", SPEC, "--recursive=x | "],
    ["-- -r x", SPEC, " | -r x"],
    ["- x", SPEC, " | - x"],
    ["-i.bak -i x", SPEC, "-i=.bak -i | x"],
    ["-a x -b", { endsAtOperand: true }, "-a | x -b"],
    ["-name x -type f", { hasSingleDash: true, values: "-name -type" }, "-name=x -type=f | "],
    ["-n", SPEC, "-n | "],
    ["? x", SPEC, " | ? x unknown"],
    ["-? x", SPEC, "-? | x unknown"],
    ["-- ?", SPEC, " | ?"],
  ])("%s", (text, spec, expected) => {
    const { options, operands, hasUnknown } = parseOptions(text.split(" ").map(word), spec);
    const shown = options.map(({ name, value }) => (value === null ? name : `${name}=${value.text}`)).join(" ");
    const rest = operands.map((one) => one.text).join(" ");
    expect(`${shown} | ${rest}${hasUnknown ? " unknown" : ""}`.replaceAll("\0", "?")).toBe(expected);
  });
});

describe("the zone of a path", () => {
  test.each([
    ["/", "root"],
    ["/*", "root"],
    ["/?", "root"],
    ["//../.", "root"],
    ["/etc/x", "system"],
    ["/b*", "system"],
    ["/home/dev", "home"],
    ["/home/dev/*", "home"],
    ["/home/dev/.*", "home"],
    ["/home/dev/?", "home"],
    ["/home", "home"],
    ["/home/?", "home"],
    ["/home/dev/.ssh/x", "home-file"],
    ["/home/dev/D*", "home-file"],
    ["/home/dev/.../x", "home-file"],
    [".", "project"],
    ["*", "project"],
    [".*", "project"],
    ["./", "project"],
    ["build/..", "project"],
    ["build", "inside"],
    ["./?", "inside"],
    ["build/?", "inside"],
    ["*.o", "inside"],
    [".git", "repository"],
    [".git/hooks/x", "repository"],
    [".gi?", "inside"],
    [".gi*", "repository"],
    ["..", "home"],
    ["../other", "home-file"],
    ["/tmp/x", "temp"],
    ["/tmp", "temp-root"],
    ["/tmp/*", "temp-root"],
    ["/var/tmp/a/b", "temp"],
    ["/dev/sda", "device"],
    ["/dev/null", "stream"],
    ["/srv/x", "other"],
    ["/home/other/x", "other"],
    ["?", "unknown"],
    ["?/x", "unknown"],
    ["/proc/self/cwd", "project"],
    ["/proc/self/root/etc", "system"],
  ])("%s is %s", (path, zone) => {
    expect(zoneOf(resolvePath(word(path), PLACE), PLACE)).toBe(zone);
  });

  test("a relative path in a folder that is not known is not known", () => {
    expect(zoneOf(resolvePath(word("x"), { folder: null }), PLACE)).toBe("unknown");
  });
});

/** `read a, write b`, with paths from the project's folder. */
const accesses = (command: string): string =>
  analyzeCommand(command, PLACE)
    .calls.flatMap((call) => fileAccessesOf(call))
    .map(({ kind, path }) => `${kind} ${path.replace("/home/dev/project/", "")}`)
    .join(", ")
    .replaceAll("\0", "?");

describe("the files of a call", () => {
  test.each([
    ["cat a b > c 2>> d < e", "read a, read b, write c, write d, read e"],
    ["grep -r x src -f list", "read list, read x, read src"],
    ["sed -i s/a/b/ x", "write x"],
    ["sed -n p x", "read x"],
    ["awk '{print}' x", "read x"],
    ["cp a b c", "read a, read b, write c"],
    ["cp -t c a", "read a, write c"],
    ["mv a b", "delete a, write b"],
    ["rm -rf a", "delete a"],
    ["chmod 600 a", "mode a"],
    ["dd if=a of=/dev/sda", "read a, write /dev/sda"],
    ["curl -d @a -F x=@b -o c https://h/x", "read a, read b, write c"],
    ["curl -O https://h/x.sh", "write x.sh"],
    ["wget https://h/x.sh", "write x.sh"],
    ["tar czf a.tgz b", "write a.tgz, read b"],
    ["tar xf a.tgz -C b", "read a.tgz, write b"],
    ["scp -i k a host:b", "read a"],
    ["find . -name x -delete", "delete ?"],
    ["tool ~/.ssh/id_rsa --key=k", "use /home/dev/.ssh/id_rsa, use k"],
    ["bash x.sh a", "read x.sh"],
    ["echo rm x", ""],
    ["git commit -m .env", ""],
    ["sudo cat a", "read a"],
    ["{ a; } > f", "write f"],
    ["ssh host 'cat /etc/shadow'", ""],
  ])("%s", (command, expected) => expect(accesses(command)).toContain(expected));
});
