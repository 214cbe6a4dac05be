import fc from "fast-check";

type Text = fc.Arbitrary<string>;
const pick = (...texts: readonly string[]): Text => fc.constantFrom(...texts);
const join = (separator: string, ...parts: readonly Text[]): Text =>
  fc.tuple(...parts).map((texts) => texts.join(separator));
const list = (part: Text, separator: string, most = 3): Text =>
  fc.array(part, { minLength: 1, maxLength: most }).map((texts) => texts.join(separator));

const NAMES = ["x", "y", "Z"];
const name = pick(...NAMES);
const plain = pick(
  "a",
  "b",
  "-r",
  "-f",
  "/",
  "~",
  "b/c",
  "a-b",
  "-x=1",
  "..",
  "1",
  "foo.txt",
  "a.b.c",
  "x,y",
  "",
  "A B",
);
const bare = plain.filter((text) => text !== "" && !text.includes(" "));

const quoted = (text: Text): Text =>
  fc.tuple(text, fc.nat(5)).map(([one, how]) => {
    if (how === 0) return `'${one}'`;
    if (how === 1) return `"${one}"`;
    if (how === 2) return `$'${[...one].map((char) => `\\x${char.charCodeAt(0).toString(16)}`).join("")}'`;
    if (how === 3 && one.length > 1) return `${one.slice(0, 1).replace(/[ ~]/, "\\$&")}'${one.slice(1)}'`;
    if (how === 4) return one === "" ? '""' : one.replace(/[^\w/.]/g, "\\$&");
    return one === "" ? "''" : one.replace(/ /g, "\\ ");
  });

const OPERATORS = [":-", "-", ":+", "+", ":=", "=", "%", "%%", "#", "##", "/", "//", "^^", ",,"];

/** Random commands of which each program is a stub, so that a real shell can run them. */
export const { command } = fc.letrec<{ command: string; word: string; simple: string; text: string }>((tie) => {
  const word = tie("word");
  const simple = tie("simple");
  const script = tie("command");
  const variable = fc.tuple(name, fc.boolean()).map(([one, isBraced]) => (isBraced ? `\${${one}}` : `$${one}`));
  const parameter = fc.tuple(name, pick(...OPERATORS), bare).map(([one, operator, text]) => {
    const operand = operator === "/" || operator === "//" ? `${text.replaceAll("/", ".")}/Q` : text;
    return /[\^,]/.test(operator) ? `\${${one}${operator}}` : `\${${one}${operator}${operand}}`;
  });
  const special = pick(
    "$1",
    "$2",
    "$#",
    '"$@"',
    "$*",
    '"$*"',
    "$@",
    "$PWD",
    "$HOME",
    '"$HOME/x"',
    `\${#x}`,
    `\${x:1}`,
    `\${x:0:1}`,
    "$((1+2))",
    "$((x+1))",
    `\${#}`,
  );
  const substitution = fc.oneof(
    join("", fc.constant("$(echo "), list(word, " ", 2), fc.constant(")")),
    join(
      "",
      fc.constant("`echo "),
      list(
        quoted(plain).filter((text) => !text.includes("\\")),
        " ",
        2,
      ),
      fc.constant("`"),
    ),
    join("", fc.constant("$(printf '%s' "), word, fc.constant(")")),
    join("", fc.constant("$(basename "), quoted(bare.filter((text) => !/^[-/]/.test(text))), fc.constant(")")),
    join("", fc.constant("$("), simple, fc.constant("; echo z)")),
    fc.constant("$(pwd)"),
  );
  const expansion = fc.oneof(variable, parameter, special, substitution);
  const brace = fc.oneof(
    join("", fc.constant("{"), list(bare, ",", 3), fc.constant(",w}")),
    pick("{1..3}", "a{b,}c", "{a,{b,c}}d", "{a..c}", "{3..1}", "{a}", "{01..3}"),
  );
  const assignment = join(
    "=",
    name,
    fc.oneof(
      quoted(plain),
      expansion,
      expansion.map((one) => `"${one.replaceAll('"', "")}"`),
    ),
  );
  const program = pick("p", "q", "r", "p", "q", "\\p", "'p'", "/STUBS/p", "r");
  const body = list(simple, "; ", 2);
  const inner = script.filter((text) => !/['\n]/.test(text));
  return {
    text: quoted(plain),
    word: fc.oneof(
      { weight: 5, arbitrary: quoted(plain) },
      { weight: 2, arbitrary: bare },
      { weight: 4, arbitrary: expansion },
      { weight: 3, arbitrary: expansion.map((one) => `"${one.replaceAll('"', "")}"`) },
      { weight: 1, arbitrary: brace },
      { weight: 1, arbitrary: join("", bare, variable) },
      { weight: 1, arbitrary: join("", variable, pick("/a", "'b c'", "-")) },
    ),
    simple: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 8, arbitrary: join(" ", program, list(word, " ")) },
      { weight: 2, arbitrary: assignment },
      { weight: 1, arbitrary: join(" ", assignment, program, list(word, " ")) },
      {
        weight: 1,
        arbitrary: join(" ", pick("cd", "pushd"), pick("a", "b", "..", "/", "a/d", ".", '"$PWD"', "-")).map(
          (one) => `${one} >/dev/null`,
        ),
      },
      { weight: 1, arbitrary: join(" ", pick("export", "declare", "readonly Q; export"), assignment) },
      { weight: 1, arbitrary: join(" ", fc.constant("set --"), list(word, " ")) },
      { weight: 1, arbitrary: pick("shift", "popd >/dev/null", "true", ":", "false", "unset x", "IFS=,", "cd") },
      { weight: 1, arbitrary: list(word, " ").map((one) => `eval p ${one}`) },
      {
        weight: 1,
        arbitrary: join(
          " ",
          pick(
            "env",
            "command",
            "nohup",
            "nice -n 1",
            "timeout 9",
            "env A=1",
            "exec",
            "env -u x",
            "command -p env",
            "builtin eval",
            "xargs -r",
            "time",
          ),
          program,
          list(word, " "),
        ),
      },
      { weight: 1, arbitrary: inner.map((one) => `bash -c '${one}' s k l`) },
      { weight: 1, arbitrary: inner.map((one) => `echo '${one}' | bash`) },
      {
        weight: 1,
        arbitrary: join(
          "",
          pick("echo ", "printf '%s\\n' "),
          list(quoted(bare), " "),
          fc.constant(" | "),
          pick(
            "xargs p",
            "xargs -I{} q {} z",
            "xargs -n 9 p a",
            "while read -r x; do p $x; done",
            "while read x y; do p $y; done",
            "{ read x; p $x; }",
            "cat | xargs r",
            "tee f | xargs q",
          ),
        ),
      },
      { weight: 1, arbitrary: join("", pick("read x y <<< ", "read -r x <<< ", "printf -v x %s "), word) },
    ),
    command: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      {
        weight: 6,
        arbitrary: fc
          .tuple(
            simple,
            fc.array(fc.tuple(pick("; ", " && ", " || ", " | ", "; ", "\n", " & wait; "), simple), { maxLength: 3 }),
          )
          .map(([first, rest]) => first + rest.map((pair) => pair.join("")).join("")),
      },
      { weight: 1, arbitrary: body.map((one) => `(${one})`) },
      { weight: 1, arbitrary: body.map((one) => `{ ${one}; }`) },
      {
        weight: 1,
        arbitrary: fc.tuple(list(word, " "), body).map(([words, one]) => `for x in ${words}; do ${one}; done`),
      },
      {
        weight: 1,
        arbitrary: fc.tuple(simple, body, body).map(([test, yes, no]) => `if ${test}; then ${yes}; else ${no}; fi`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(word, bare, body, body)
          .map(([one, pattern, yes, no]) => `case ${one} in ${pattern}) ${yes};; *) ${no};; esac`),
      },
      { weight: 1, arbitrary: fc.tuple(body, list(word, " ")).map(([one, words]) => `f() { ${one}; }; f ${words}`) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(pick("E", "'E'"), list(word, " "))
          .map(([mark, words]) => `bash <<${mark}\np ${words}\nE\n`),
      },
      { weight: 1, arbitrary: list(word, " ").map((words) => `x=(${words}); p "\${x[@]}" \${x[1]} "\${#x[@]}"`) },
      { weight: 1, arbitrary: fc.tuple(script, pick("; ", "\n"), script).map((parts) => parts.join("")) },
      { weight: 1, arbitrary: body.map((one) => `(trap '${one.replaceAll("'", "")}' EXIT)`) },
    ),
  };
});
