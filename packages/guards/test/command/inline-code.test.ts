import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokensOf } from "../../command/inline-code/tokens.ts";
import { calls } from "./compact.ts";

/** The effects of code that a here-document gives to a program. */
const effects = (program: string, code: string): readonly string[] =>
  calls(`${program} <<'EOF'\n${code}\nEOF`)
    .slice(1)
    .map((line) => line.replace(/ via .*/, ""));

const PYTHON = [
  ["from os import remove as r\nr('/x')", "rm [/x]"],
  ["from shutil import *\nrmtree('/x')", "rm [-rf, /x]"],
  ["import shutil as s\ns.rmtree('/x')", "rm [-rf, /x]"],
  ["__import__('os').system('a b')", "a [b]"],
  ["import os\ngetattr(os, 'remove')('/x')", "rm [/x]"],
  ["import os\n[os.remove(f) for f in os.listdir('.')]", "rm [*~]"],
  ["import os\n[os.remove(f) for f in os.listdir('.') if f.endswith('.o')]", "rm [?]"],
  ["import glob, os\nfor f in glob.glob('/x/*'):\n    os.remove(f)", "rm [/x/*~]"],
  ["import os\nfor f in os.listdir('/x'):\n    os.unlink(os.path.join('/x', f))", "rm [/x/*~]"],
  [
    "import os\nfor r, d, fs in os.walk('/x'):\n  for f in fs:\n    os.remove(os.path.join(r, f))",
    "find [/x, -delete]",
  ],
  ["from pathlib import Path\n[p.unlink() for p in Path.home().rglob('*.o')]", "find [/home/dev, -name, *.o, -delete]"],
  ["from pathlib import Path\n(Path('/x') / 'y').write_text('')", "tee [/x/y]"],
  ["import os, shutil\nshutil.rmtree(f\"{os.environ['HOME']}/x\")", "rm [-rf, /home/dev/x]"],
  ["import os, shutil\nshutil.rmtree(os.path.expanduser('~') + '/x')", "rm [-rf, /home/dev/x]"],
  ["import os\nos.system('rm %s' % '/x')", "rm [/x]"],
  ["import os\nos.system('rm {}'.format('/x'))", "rm [/x]"],
  ["import subprocess\nc = ['rm', '-rf']\nsubprocess.run(c + ['/x'])", "rm [-rf, /x]"],
  ["from subprocess import run as go\ngo('rm /x', shell=True)", "rm [/x]"],
  ["import shutil\ndef wipe(p):\n    shutil.rmtree(p)\nwipe('/x')", "rm [-rf, /x]"],
  ["import shutil\nfor p in ['/x', '/y']:\n    shutil.rmtree(p)", "rm [-rf, /y]"],
  ["exec(\"import os; os.remove('/x')\")", "rm [/x]"],
  ["list(map(__import__('os').remove, ['/x']))", "rm [/x]"],
  ["import shutil, sys\nshutil.rmtree(sys.argv[1])", "rm [-rf, ?]"],
  ["import tempfile, shutil\nshutil.rmtree(tempfile.mkdtemp())", "rm [-rf, /tmp/?]"],
  ["import os\np = '/x'\nif a:\n    p = '/y'\nos.remove(p)", "rm [/x]"],
] as const;

const NODE = [
  ["require('fs')['rmSync']('/x', { recursive: true })", "rm [-rf, /x]"],
  ["require('child_process')['execSync']('rm /x')", "rm [/x]"],
  ["import { rm } from 'fs/promises'\nawait rm('/x', { recursive: true })", "rm [-rf, /x]"],
  ["import * as f from 'node:fs'\nf.rmSync('/x')", "rm [-rf, /x]"],
  ["const { rm: r } = require('fs/promises'); r('/x')", "rm [-rf, /x]"],
  ["import('fs').then((m) => m.rmSync('/x'))", "rm [-rf, /x]"],
  ["import('fs').then(({ rmSync }) => rmSync('/x'))", "rm [-rf, /x]"],
  ["const fs = require('fs'); fs.rmSync(require('os').homedir())", "rm [-rf, /home/dev]"],
  ["for (const f of fs.readdirSync('/x')) fs.rmSync('/x/' + f)", "rm [-rf, /x/*~]"],
  ["fs.readdirSync('.').filter((f) => /o$/.test(f)).forEach((f) => fs.unlinkSync(f))", "rm [?]"],
  ["fs.readdir('.', (e, files) => files.forEach((f) => fs.unlink(f)))", "rm [*~]"],
  [`const d = '/x'; require('child_process').execSync(\`rm -rf \${d}\`)`, "rm [-rf, /x]"],
  ["const wipe = (p) => fs.rmSync(p);\nwipe('/x')", "rm [-rf, /x]"],
  ["function wipe(p) {\n  fs.rmSync(p);\n}\nwipe('/x')", "rm [-rf, /x]"],
  [`import { $ } from 'bun'; await $\`rm \${'/x'}\``, "rm [/x]"],
  ["const re = /[/'\"]/; fs.rmSync('/x')", "rm [-rf, /x]"],
  ["console.log(JSON.stringify(process.env))", "printenv []"],
] as const;

const OTHERS = [
  ["perl", "unlink for glob('/x/*')", "rm [/x/*~]"],
  ["perl", 'foreach my $f (glob("/x/*")) { unlink $f }', "rm [/x/*~]"],
  ["perl", "map { unlink } glob('/x/*')", "rm [/x/*~]"],
  ["perl", 'my $d = "/x"; system "rm -rf $d"', "rm [-rf, /x]"],
  ["perl", "s#a#b#; unlink '/x'", "rm [/x]"],
  ["perl", "open(F, '-|', 'rm /x')", "rm [/x]"],
  ["ruby", "File.send(:unlink, '/x')", "rm [/x]"],
  ["php", "call_user_func('unlink', '/x');", "rm [/x]"],
  ["ruby", "FileUtils.rm_rf Dir['/x/*']", "rm [-rf, /x/*~]"],
  ["ruby", "Dir.glob('/x/*').each { |f| File.delete(f) }", "rm [/x/*~]"],
  ["ruby", "Dir['/x/*'].each do |f| File.delete f end", "rm [/x/*~]"],
  ["ruby", 'system "rm #{ENV["HOME"]}/x"', "rm [/home/dev/x]"],
  ["php", "foreach (glob('/x/*') as $f) { unlink($f); }", "rm [/x/*~]"],
  ["php", "array_map('unlink', glob('/x/*'));", "rm [/x/*~]"],
  ["php", "$d = '/x'; exec(\"rm $d\");", "rm [/x]"],
  ["lua", "os.execute('rm ' .. '/x')", "rm [/x]"],
  ["tclsh", "exec rm /x", "rm [/x]"],
] as const;

describe("the effects of code", () => {
  test.each(PYTHON)("python: %s", (code, expected) => expect(effects("python3", code)).toContain(expected));
  test.each(NODE)("node: %s", (code, expected) => expect(effects("node", code)).toContain(expected));
  test.each(OTHERS)("%s: %s", (program, code, expected) => expect(effects(program, code)).toContain(expected));

  test("escapes of awk are replaced", () =>
    expect(calls(`awk 'BEGIN { system("rm\\040/x") }'`)).toContain("rm [/x] via awk (inline code)"));
  test("deno eval is code", () =>
    expect(calls(`deno eval "Deno.remove('/x')"`)).toContain("rm [-rf, /x] via deno (inline code)"));
});

describe("what code only mentions has no effect", () => {
  test.each([
    ["python3", "# os.remove('/x')\nprint('os.remove(\"/x\")')"],
    ["python3", "l = ['/x']\nl.remove('/x')"],
    ["python3", "import re\nre.compile('a').exec('/x')"],
    ["node", "// fs.rmSync('/x')\nconsole.log('rm -rf /x')"],
    ["node", "/* fs.rmSync('/x') */ new Map().delete('/x')"],
    ["node", "const s = 'a/b'.replace('/', '-'); /a/g.exec('/x')"],
    ["ruby", "=begin\nFile.delete('/x')\n=end\nh.delete('/x')"],
    ["perl", "print 'unlink \"/x\"'; # unlink '/x'"],
    ["php", "/* unlink('/x'); */ echo 'unlink';"],
  ])("%s: %s", (program, code) => expect(effects(program, code)).toEqual([]));
});

const NODE_SYNTAX = { comment: "//[^\\n]*|/\\*[\\s\\S]*?\\*/", has: ["regex"], interpolation: "template" } as const;

test.each([
  ["a / b / c", "a / b / c"],
  ['x = /[/]"/g; y', "x = regex ; y"],
  [`\`a\${ \`b\` }\` c`, "text c"],
  ["'a // b' // c", "text"],
  ["f(a[0])", "f ( a [ 0 ] )"],
])("the tokens of %s", (code, expected) =>
  expect(
    tokensOf(code, NODE_SYNTAX)
      .map(({ kind, text }) => (kind === "text" || kind === "regex" ? kind : text))
      .join(" "),
  ).toBe(expected),
);

test("any code is followed without an error", () => {
  const part = fc.constantFrom(
    ..."( ) [ ] { } ' \" ` \\ / # // /* */ $ @ % , ; : . => = == + | < > for in of if else def lambda import from as const function return x os . rm ( 'a' ) => \n f\" {x} $ {x} #{x} q( qw[ s/ each { |f| do".split(
      " ",
    ),
    "\n    ",
    " ",
  );
  const programs = fc.constantFrom(
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "lua",
    "awk -f -",
    "julia",
    "Rscript -",
    "tclsh",
  );
  fc.assert(
    fc.property(programs, fc.array(part, { maxLength: 60 }), (program, parts) => {
      expect(effects(program, parts.join(" "))).toBeInstanceOf(Array);
    }),
    { numRuns: 2000 },
  );
});
