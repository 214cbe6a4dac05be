import { describe, expect, test } from "vitest";
import { type Accounts, isPrivateGroup, writableByOthers } from "../../src/fs/permissions.ts";

const ADA = 1000;
const PASSWD =
  "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000:,,,:/home/ada:/bin/sh\nbob:x:1001:1001::/home/bob:/bin/sh\n";
const GROUP = "root:x:0:\nada:x:1000:\nbob:x:1001:\nusers:x:100:ada,bob\n";

describe("a group is the user's alone", () => {
  const rows: { title: string; gid?: number; uid?: number; passwd?: string; group?: string; isPrivate: boolean }[] = [
    { title: "where it is the primary one, of the same name, without members", isPrivate: true },
    { title: "where the only member is the user", group: "ada:x:1000:ada\n", isPrivate: true },
    { title: "not with another member", group: "ada:x:1000:bob\n", isPrivate: false },
    { title: "not with another member beside the user", group: "ada:x:1000:ada,bob\n", isPrivate: false },
    { title: "not under another name", group: "staff:x:1000:\n", isPrivate: false },
    {
      title: "not where a second line of its number has a member",
      group: `${GROUP}team:x:1000:bob\n`,
      isPrivate: false,
    },
    {
      title: "not where it is the primary one of another",
      passwd: `${PASSWD}eve:x:1002:1000::/:/bin/sh\n`,
      isPrivate: false,
    },
    { title: "not where it is not the primary one", passwd: "ada:x:1000:100::/:/bin/sh\n", isPrivate: false },
    { title: "not where it is the one of another user", gid: 1001, isPrivate: false },
    { title: "not where it is shared", gid: 100, isPrivate: false },
    { title: "not where it is in no list", group: "", isPrivate: false },
    { title: "not where the user is in no list", passwd: "", isPrivate: false },
    { title: "not where both lists are broken", passwd: "::\n\0", group: ":::", isPrivate: false },
    { title: "not where it is root's", gid: 0, uid: 0, isPrivate: false },
  ];
  test.each(rows)("$title", ({ gid = ADA, uid = ADA, passwd = PASSWD, group = GROUP, isPrivate }) => {
    expect(isPrivateGroup(gid, uid, { passwd, group })).toBe(isPrivate);
  });
});

test("the lists are read at the first right of a group to write, and once", () => {
  let reads = 0;
  const read = (): Accounts => {
    reads += 1;
    return { passwd: PASSWD, group: GROUP };
  };
  const isOpen = writableByOthers(ADA, read);
  expect([0o755, 0o644, 0o757, 0o777].map((mode) => isOpen({ mode, gid: ADA }))).toEqual([false, false, true, true]);
  expect(reads).toBe(0);
  expect([ADA, 100, 0, 1001].map((gid) => isOpen({ mode: 0o775, gid }))).toEqual([false, true, true, true]);
  expect(reads).toBe(1);
});
