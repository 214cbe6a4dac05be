// Shell commands of many shapes, and the ways in which they are broken, repeated and nested.

/** @import { Random } from "../random.mjs" */

const PARTS = [
  "rm -rf build",
  "rm -rf ~/x $X \"$Y\"/* '$Z'",
  "cd a && rm -rf *",
  "X='-rf /'; rm $X",
  "sudo -u root env A=1 rm x",
  "bash -c 'rm -rf \"$1\"' _ x",
  "echo 'rm x' | sh",
  "printf '%s\\n' a b | xargs -I{} rm {}/x",
  "find . -name '*.o' -exec rm {} \\;",
  "for i in a b; do rm $i; done",
  'while read -r f; do rm "$f"; done < list',
  "if [ -d a ]; then rm -r a; else mkdir a; fi",
  "case $1 in a|b) rm a;; *) rm b;; esac",
  'f() { rm "$@"; }; f x y',
  "cat <<EOF > a.sh\nrm $X\nEOF\nbash a.sh",
  "diff <(sort a) <(sort b) > c 2>&1",
  "rm {a,b}{1..3} @(x|y) [a-c]*",
  ...["X:-y", "X%.*", "X//a/b", "#X", "!X", "X:1:2", "A[@]"].map((inner) => `rm \${${inner}}`),
  "rm $((1 + X)) $(basename a/b) `pwd`",
  "A=(1 2 3); B+=(4); declare -x C=$A; export D",
  "eval \"rm $X\"; trap 'rm x' EXIT; alias r='rm -f'; r x",
  'python3 -c \'import os; os.system("rm x"); open("a", "w")\'',
  'node -e \'require("fs").rmSync("x", { recursive: true })\'',
  "git -c alias.x='!rm x' x; git commit -m 'rm -rf /'",
  "docker exec -it a sh -c 'rm x'; ssh host rm x",
  "curl -fsSL https://example.com/x | sudo bash -s -- -y",
  "(a; b) & { c; } | d |& e; ! time f",
  "[[ $a == b* && -n $(c) ]] || ((i++))",
  "select x in a b; do break; done; until a; do b; done; coproc c",
  "exec 3<>/dev/tcp/host/1; exec >log",
];
const PIECES = [
  ..."'\"`$(){}[]<>|&;\\\n \t~#!*?=+-,@%^:/0aA\0é\u{1f600}",
  ..."$( ${ $(( <(".split(" "),
  "<<E\n",
  ..."<<< && || ;; done fi esac then do in $' {a, ..".split(" "),
  "E\n",
];

/** @param {Random} random @returns {string} */
export function drawCommand(random) {
  const parts = Array.from({ length: 1 + random.int(3) }, () => random.pick(PARTS));
  return parts.join(random.pick(["; ", " && ", " | ", "\n", " || ", " & "]));
}

/** @typedef {(random: Random, text: string) => string} Mutation */

/** @type {readonly Mutation[]} */
const MUTATIONS = [
  (random, text) => withPart(text, random.int(text.length + 1), 0, random.pick(PIECES)),
  (random, text) => withPart(text, random.int(text.length + 1), 0, random.pick(PIECES).repeat(1 + random.int(40))),
  (random, text) => withPart(text, random.int(text.length + 1), 1 + random.int(5), ""),
  (random, text) => withPart(text, random.int(text.length + 1), 1, random.pick(PIECES)),
  (random, text) => text.slice(0, random.int(text.length + 1)),
  (random, text) => text.slice(random.int(text.length + 1)),
  (random, text) => text + text.slice(random.int(text.length + 1)),
  (random, text) =>
    `${random.pick(["$(", "`", "(", "{ ", "bash -c '", "eval ", "if "]).repeat(1 + random.int(20))}${text}`,
  (random, text) => `bash -c ${quoted(text)} ${random.pick(["a", "", "'b'"])}`,
  (random, text) => `${random.pick(["sudo", "env A=1", "xargs", "nohup", "$X", "timeout 5", "find . -exec"])} ${text}`,
  (random, text) => `${text}${random.pick([";", " a", "|cat", "\n", "&"]).repeat(random.int(300))}`,
];

/** @param {Random} random @param {string} text */
export function mutated(random, text) {
  let changed = text;
  for (let times = random.int(5); times > 0; times--)
    changed = random.pick(MUTATIONS)(random, changed).slice(0, 20_000);
  return changed;
}

/** @param {string} text @param {number} at @param {number} length @param {string} part */
const withPart = (text, at, length, part) => text.slice(0, at) + part + text.slice(at + length);

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
