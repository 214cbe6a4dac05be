import { describe, expect, test } from "vitest";
import { calls } from "./compact.ts";

/** The calls of one program, because most cases are about one. */
const rm = (command: string | readonly string[]): readonly string[] =>
  calls(command).filter((one) => /^(?:\/bin\/)?rm /.test(one));

describe("the words of a call", () => {
  test.each([
    ["rm -rf /", "rm [-rf, /]"],
    ["\\rm -r\\f '/'", "rm [-rf, /]"],
    ["/bin/rm -rf /", "rm [-rf, /]"],
    ["/bin/RM -rf /", "rm [-rf, /]"],
    ["'C:\\bin\\rm.exe' -rf /", "rm [-rf, /]"],
    [`"r"m -r"f" $'\\x2f'`, "rm [-rf, /]"],
    ["rm ~/x ~ '~' ~root/y", "rm [/home/dev/x, /home/dev, ~, /root/y]"],
    [`rm "$HOME/x" \${HOME}y $PWD`, "rm [/home/dev/x, /home/devy, /home/dev/project]"],
    ["X='-rf /'; rm $X", "rm [-rf, /]"],
    [`X='-rf /'; rm "$X"`, "rm [-rf /]"],
    ["C='rm -rf'; $C /", "rm [-rf, /]"],
    ["r{m,} -rf {/,/etc}", "rm [r, -rf, /, /etc]"],
    ["rm f{1..3}", "rm [f1, f2, f3]"],
    ["rm *.o", "rm [*.o~]"],
    ["rm '*.o'", "rm [*.o]"],
    [`rm $UNSET "$UNSET/x" a$UNSET`, "rm [?, ?/x, a?]"],
    [`rm \${A:-/} \${A-b} \${A:=c} $A`, "rm [/, b, c, c]"],
    [
      `F=a/b.tar.gz; rm \${F%.gz} \${F%%.*} \${F##*/} \${F#*/} \${F/b/c} \${F:2:1} \${#F}`,
      "rm [a/b.tar, a/b, b.tar.gz, b.tar.gz, a/c.tar.gz, b, 10]",
    ],
    ["rm $((1 + 2 * 3)) $((16#f))", "rm [7, ?]"],
    ["rm $(echo -rf /) `echo x`", "rm [-rf, /, x]"],
    [`rm "$(printf '%s-%s' a b)" $(pwd)/x $(basename /a/b) $(dirname /a/b)`, "rm [a-b, /home/dev/project/x, b, /a]"],
    ["$(which rm) x", "rm [x]"],
    ["rm -rf $(mktemp -d)", "rm [-rf, /tmp/tmp.?]"],
    ["rm $(git rev-parse --show-toplevel)/x", "rm [/home/dev/project/x]"],
    [`A=(a 'b c'); rm "\${A[@]}" \${A[1]} \${#A[@]}`, "rm [a, b c, b, c, 2]"],
    ["IFS=,; X=-rf,/; rm $X", "rm [-rf, /]"],
    [`rm\${IFS}-rf\${IFS}/`, "rm [-rf, /]"],
    ['set -- -rf /; rm "$@"', "rm [-rf, /]"],
    ["read -r a b <<< '-rf /'; rm $a $b", "rm [-rf, /]"],
    ["printf -v X %s /; rm $X", "rm [/]"],
    ["export A=/x B=$A; rm $A", "rm [/x]"],
    ["rm @(a|b)", "rm [a]"],
  ])("%s", (command, expected) => expect(rm(command)).toContain(expected));
});

describe("where a call is found", () => {
  test.each<[string, readonly string[]]>([
    ["cd build && rm -rf *", ["rm [-rf, *~] in /home/dev/project/build"]],
    ["(cd build; rm x); rm y", ["rm [x] in /home/dev/project/build", "rm [y]"]],
    ["cd a || exit; rm x", ["rm [x] in /home/dev/project/a"]],
    ["cd a || true; rm x", ["rm [x]", "rm [x] in /home/dev/project/a"]],
    ["cd $X; rm x", ["rm [x] in ?"]],
    ["pushd a; popd; rm x; cd b; cd -; rm y", ["rm [x]", "rm [y]"]],
    ["if a; then rm x; elif b; then rm y; else rm z; fi", ["rm [x]", "rm [y]", "rm [z]"]],
    ["for i in a b; do rm $i; done", ["rm [a]", "rm [b]"]],
    ['for f in *; do rm "$f"; done', ["rm [*~]"]],
    ["printf 'a\\nb\\n' | while read -r f; do rm $f; done", ["rm [a]", "rm [b]"]],
    ["case $x in a) rm a;; *) rm b;; esac", ["rm [a]", "rm [b]"]],
    ['f() { rm "$1"; }; f x; f y', ["rm [x]", "rm [y]"]],
    ["X=a; f() { local X=b; rm $X; }; f; rm $X", ["rm [b]", "rm [a]"]],
    ["X=a; f() { declare -g X=b; }; f; rm $X", ["rm [b]"]],
    ["f() { typeset X=b; g; }; g() { X=c; rm $X; }; f; rm x$X", ["rm [c]", "rm [x?]"]],
    ["alias x='rm -rf'; x /", ["rm [-rf, /] via x (shell text)"]],
    ["trap 'rm x' EXIT", ["rm [x] via trap (shell text)"]],
    ["true && rm a; false && rm b; true || rm c", ["rm [a]"]],
    ["exit 0; rm x", []],
    ["diff <(rm a) <(rm b)", ["rm [a] via diff (substitution)", "rm [b] via diff (substitution)"]],
    ["[[ -n $(rm a) ]] && (( $(rm b) ))", ["rm [a]", "rm [b]"]],
    ["rm a & coproc rm b", ["rm [a]", "rm [b]"]],
    ["echo rm -rf / # rm -rf /", []],
    ["git commit -m 'rm -rf /'", []],
    ["cat <<EOF\nrm -rf /\nEOF", []],
  ])("%s", (command, expected) => expect([...rm(command)].sort()).toEqual([...expected].sort()));
});

describe("programs that start a program", () => {
  test.each([
    ["sudo -u root -E rm x", "rm [x] via sudo"],
    ["sudo A=1 rm x", "rm [x] via sudo"],
    ["env -i A=1 rm x", "rm [x] via env"],
    ["env - A=1 rm x", "rm [x] via env"],
    ["env -C /tmp rm x", "rm [x] in /tmp via env"],
    ["env -S 'rm x' y", "rm [x, y] via env"],
    ["command rm x", "rm [x] via command"],
    ["nohup nice -n 5 timeout -k 1 5 rm x", "rm [x] via timeout, nice, nohup"],
    ["exec rm x", "rm [x] via exec"],
    ["fakeroot -- rm x", "rm [x] via fakeroot"],
    ["prlimit --nofile=10 rm x", "rm [x] via prlimit"],
    ["numactl -N 0 rm x", "rm [x] via numactl"],
    ["ssh-agent -t 9 rm x", "rm [x] via ssh-agent"],
    ["proot -r /x rm x", "rm [x] via proot"],
    ["gdb -q -ex run --args rm x", "rm [x] via gdb"],
    ["setpriv --reuid=0 rm x", "rm [x] via setpriv"],
    ["unshare -rm rm x", "rm [x] via unshare"],
    ["$SUDO rm x", "rm [x] via ?"],
    ["bash -c 'rm x'", "rm [x] via bash (shell text)"],
    ["bash -euo pipefail -c 'rm \"$1\"' _ x", "rm [x] via bash (shell text)"],
    ["su - root -c 'rm x'", "rm [x] via su (shell text)"],
    ["sudo -s <<< 'rm x'", "rm [x] via sh (input), sudo"],
    ["echo rm x | sudo -u a -i", "rm [x] via sh (input), sudo"],
    ["sudo -i <<EOF\nrm x\nEOF", "rm [x] via sh (input), sudo"],
    ["sudo -s 'rm x'", "rm [x] via sudo (shell text)"],
    ["sudo -s rm x", "rm [x] via sudo"],
    ["echo rm x | su", "rm [x] via sh (input), su"],
    ["echo rm x | su - root", "rm [x] via sh (input), su"],
    ["echo rm x | doas -s", "rm [x] via sh (input), doas"],
    ["echo rm x | unshare -r", "rm [x] via sh (input), unshare"],
    ["echo rm x | chroot /x", "rm [x] via sh (input), chroot"],
    ["eval rm x", "rm [x] via eval (shell text)"],
    ["rsync a -e 'rm x' host:", "rm [x] via rsync (shell text)"],
    ["tar -cI 'rm x' -f a.tar b", "rm [x] via tar (shell text)"],
    ["tar cf a.tar b --checkpoint-action=exec='rm x'", "rm [x] via tar (shell text)"],
    ["ssh -voProxyCommand='rm x' host", "rm [x] via ssh (shell text)"],
    ["scp -o 'LocalCommand rm x' a host:", "rm [x] via scp (shell text)"],
    ["socat TCP:host:1 EXEC:'rm\\ x',pty", "rm [x] via socat (shell text)"],
    ["echo rm x | sh", "rm [x] via sh (input)"],
    ["bash <<EOF\nrm x\nEOF", "rm [x] via bash (input)"],
    ["bash <<< 'rm x'", "rm [x] via bash (input)"],
    ["echo rm x | bash /dev/stdin", "rm [x] via bash (input)"],
    ["bash -n +n -c 'rm x'", "rm [x] via bash (shell text)"],
    ["bash -inc 'rm x'", "rm [x] via bash (shell text)"],
    ["source <(echo rm x)", "rm [x] via source (shell text)"],
    ["echo cm0geA== | base64 -d | sh", "rm [x] via sh (input)"],
    ["echo 'rm x' > a.sh; bash a.sh", "rm [x] via bash (shell text)"],
    ["echo a b | xargs rm -f", "rm [-f, a, b] via xargs"],
    ["printf '%s\\n' a b | xargs -I{} rm {}/x", "rm [a/x] via xargs"],
    ["cat list | xargs rm", "rm [?] via xargs"],
    ["echo x | xargs -a list rm", "rm [?] via xargs"],
    ["echo x | xargs --replace= rm {}", "rm [x] via xargs"],
    ["find . -name '*.o' -exec rm {} \\;", "rm [./?] via find"],
    ["find /x -exec rm -rf {} +", "rm [-rf, /x] via find"],
    ["find . -name a -print0 | xargs -0 rm", "rm [./?] via xargs"],
  ])("%s", (command, expected) => expect(rm(command)).toContain(expected));
});

test("a shell that only checks the syntax starts nothing", () => {
  expect(rm("echo 'rm x' | bash -n")).toEqual([]);
});

describe("what is not followed is a gap", () => {
  test.each([
    ["f(){ f|f& };f", "gap: fork bomb"],
    [":(){ :|:& };:", "gap: fork bomb"],
    ["f(){ f; }; f", "gap: recursion"],
    ["f(){ g & }; g(){ f; }; f", "gap: fork bomb"],
    ["while true; do make & done", "gap: fork bomb"],
    ["until false; do (make &); done", "gap: fork bomb"],
    ["for ((;;)); do make & done", "gap: fork bomb"],
    ["while true; do make & wait; done", null],
    ["while read -r x; do make & done", null],
    ["while [[ $x ]]; do make & done", null],
    ['while [ "1" ]; do make & done', "gap: fork bomb"],
    ["if rm x", "gap: syntax"],
    ["rm 'x", "gap: syntax"],
    [`${"bash -c ".repeat(12)}x`, null],
  ])("%s", (command, expected) => {
    const gaps = calls(command).filter((one) => one.startsWith("gap"));
    expect(gaps).toEqual(expected === null ? [] : [expected]);
  });

  test("more than four mebibytes", () => expect(calls(`rm ${"x".repeat(4_200_000)}`)).toContain("gap: size"));
});
