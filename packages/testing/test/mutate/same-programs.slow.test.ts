import { describe, expect, test } from "vitest";
import { differences } from "./differences.ts";

describe("bash starts the same programs with the same arguments", () => {
  test.each([
    "cd . && git push --force origin 'my branch' 2>&1 | tail -3",
    'cd . && rm -r "a b" ~/x; git reset --hard',
    'rm -rf $HOME/x && chmod -R 777 "$PWD" > out',
    'for f in a b; do rm -- "$f"; done',
    "git commit -m 'it'\\''s \"x\" $y `z`' -n",
    "A=1 rm {a,b}.txt *.nope",
    "cat <<E | xargs rm\na\nE\nrm b",
    "if [ -d . ]; then ls; else rm x; fi",
    'f() { rm "$1"; }; f a; ! git status',
    "ls | while read -r x; do rm $x; done; rm y & wait",
    "(cd . && ls -la) >/dev/null 2>&1 || rm z # it's done",
    "git log --format='%h \\\\ %s' é 'ü'",
  ])("%s", async (command) => expect(await differences(command, 400)).toEqual([]));
});
