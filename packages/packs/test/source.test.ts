import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultPackName, parsePackArgument, parseSource, sourceText } from "../pack.ts";

describe("a source of packs", () => {
  const accepted: readonly (readonly [typed: string, source: string, revision: string | null, name: string | null])[] =
    [
      ["acme/guards", "https://github.com/acme/guards.git", null, "acme@guards"],
      ["acme/guards@v1.2.0", "https://github.com/acme/guards.git", "v1.2.0", "acme@guards"],
      ["acme/guards.git@main", "https://github.com/acme/guards.git", "main", "acme@guards"],
      ["acme/mono#packs/git@feature/x", "https://github.com/acme/mono.git#packs/git", "feature/x", "acme@mono-git"],
      ["https://git.example/a/b/guards.git", "https://git.example/a/b/guards.git", null, "b@guards"],
      ["https://git.example/guards/", "https://git.example/guards/", null, "guards"],
      ["https://git.example/a/guards.git@v1", "https://git.example/a/guards.git", "v1", "a@guards"],
      ["ssh://git@git.example:22/a/guards", "ssh://git@git.example:22/a/guards", null, "a@guards"],
      ["ssh://git@git.example/a/guards@v1", "ssh://git@git.example/a/guards", "v1", "a@guards"],
      ["git@git.example:a/guards.git", "git@git.example:a/guards.git", null, "a@guards"],
      ["git@git.example:a/guards.git@v1", "git@git.example:a/guards.git", "v1", "a@guards"],
      ["file:///srv/git/guards.git@0123abc", "file:///srv/git/guards.git", "0123abc", "guards"],
      ["npm:guards", "npm:guards", null, "guards"],
      ["npm:guards@^1.2.0", "npm:guards", "^1.2.0", "guards"],
      ["npm:@acme/guards", "npm:@acme/guards", null, "acme@guards"],
      ["npm:@acme/guards@next", "npm:@acme/guards", "next", "acme@guards"],
      ["./packs/guards@2", "./packs/guards@2", null, "guards-2"],
      ["../shop/.kodelet", "../shop/.kodelet", null, "shop"],
      ["/srv/hooks", "/srv/hooks", null, "hooks"],
      ["..", "..", null, null],
    ];
  test.each(accepted)("%s is %s at %s", (typed, source, revision, name) => {
    const parsed = parsePackArgument(typed);
    expect(parsed).toMatchObject({ ok: true, value: { revision } });
    if (!parsed.ok) return;
    expect(sourceText(parsed.value.source)).toBe(source);
    expect(defaultPackName(parsed.value.source)).toBe(name);
    expect(parseSource(source), "as a lock file has it").toEqual({ ok: true, value: parsed.value.source });
  });

  const refused: readonly string[] = [
    ...["", "guards", "guards@v1", "a/b/c", "-u/x", "--upload-pack=x", "https://", "https:///"],
    ...["ext::sh -c touch% /tmp/x", "ext::sh", "fd::17", "transport::address", "file://"],
    ...[
      "https://user:secret@git.example/a/b",
      "https://token@git.example/a/b",
      "ssh://git:secret@git.example/a/b",
      "ssh://-oProxyCommand=x/a",
    ],
    ...["git@-oProxyCommand=x:a/b", "-git@host:a/b", "git@host:", "git@host::x", "javascript:alert(1)"],
    ...["a/b@", "a/b@-x", "a/b@--upload-pack=x", "a/b@a..b", "a/b@HEAD^{tree}", "a/b@x:y", "a/b@@", "a/b@x y"],
    ...["a/b#../c", "a/b#", "a/b#/etc", "a/b#x#y", "a/b#-x", "https://git.example/a b", "https://git.example/a\nb"],
    ...["npm:", "npm:../x", "npm:/etc/passwd", "npm:git+https://x/y", "npm:x@file:/etc", "npm:x@https://h/t.tgz"],
    ...["npm:--registry=x", "npm:x/y", "npm:X"],
  ];
  test.each(refused)("%j is refused", (typed) => {
    expect(parsePackArgument(typed)).toMatchObject({ ok: false, error: { code: "PACK_BAD_SOURCE" } });
  });

  test("a password is not repeated in the message", () => {
    for (const typed of ["https://user:secret@git.example/a/b", "ssh://git:secret@git.example/a/b@v1"]) {
      expect(JSON.stringify(parsePackArgument(typed))).not.toContain("secret");
    }
  });

  test("no text throws, and what is accepted reads the same again", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (typed) => {
        const parsed = parsePackArgument(typed);
        if (parsed.ok)
          expect(parseSource(sourceText(parsed.value.source))).toEqual({ ok: true, value: parsed.value.source });
      }),
    );
  });

  test("no accepted URL or revision begins with a dash, so that git takes none of them for an option", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-@:/#.a-z]{1,20}$/), (typed) => {
        const parsed = parsePackArgument(typed);
        if (!parsed.ok || parsed.value.source.kind !== "git") return;
        expect(parsed.value.source.url).not.toMatch(/^-|::/);
        expect(parsed.value.revision ?? "").not.toMatch(/^-/);
      }),
    );
  });
});
