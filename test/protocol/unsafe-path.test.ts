import { expect, test } from "vitest";
import { explain } from "../../src/protocol/problem-messages/explain.ts";
import {
  combineUnsafePaths,
  GROUP_OR_WORLD_WRITABLE,
  ownedByAnother,
  type UnsafePath,
  WRITABLE_BY_OTHERS_AND_ROOT_OWNED,
} from "../../src/protocol/unsafe-path.ts";

const place = (path: string, cause: string): UnsafePath => ({ place: path, cause });

test.each([
  {
    title: "places with one cause are told together, and one command mends them",
    places: [place("/p/a b", GROUP_OR_WORLD_WRITABLE), place("/p", GROUP_OR_WORLD_WRITABLE)],
    summary: "/p/a b, /p: each is writable by group or others",
    fix: "chmod go-w '/p/a b' /p",
  },
  {
    title: "what belongs to others is told as theirs, and is not a chmod of one's own",
    places: [
      place("/p/a", GROUP_OR_WORLD_WRITABLE),
      place("/p/b", ownedByAnother(7)),
      place("/p", WRITABLE_BY_OTHERS_AND_ROOT_OWNED),
    ],
    summary:
      "/p/a is writable by group or others; /p/b belongs to another user (uid 7); /p is writable by group or others and belongs to root",
    fix: 'chmod go-w /p/a && sudo chown "$USER" /p/b && sudo chmod go-w /p',
  },
  {
    title: "a place that was met twice is told once",
    places: [place("/p", GROUP_OR_WORLD_WRITABLE), place("/p", GROUP_OR_WORLD_WRITABLE)],
    summary: "/p is writable by group or others",
    fix: "chmod go-w /p",
  },
])("$title", ({ places, summary, fix }) => {
  const unsafe = combineUnsafePaths(places);
  if (unsafe === null) throw new Error("there are places");
  expect(explain({ code: "HOOK_REFUSED_UNSAFE", hook: "guard", path: "/p/a", ...unsafe })).toMatchObject({
    summary: `guard was not started: ${summary}`,
    hint: `Other users could change it. Fix: ${fix}`,
  });
  expect(explain({ code: "TRUST_UNSAFE_PLACE", fix: null, ...unsafe })).toMatchObject({
    summary: `Nothing was approved: ${summary}.`,
    hint: `Other users could change what you approve. Fix: ${fix}`,
  });
});
