import { expect, test } from "vitest";
import { displayPath } from "../../src/report/display-path.ts";

const here = { cwd: "/home/me/shop", homeDir: "/home/me" };

test.each([
  { title: "below the folder it is told from there", path: "/home/me/shop/.kodelet/hooks", shown: ".kodelet/hooks" },
  { title: "below home from home", path: "/home/me/.kodelet/hooks", shown: "~/.kodelet/hooks" },
  { title: "elsewhere whole", path: "/srv/hooks", shown: "/srv/hooks" },
  { title: "beside the folder whole or from home", path: "/home/me/shop2/hooks", shown: "~/shop2/hooks" },
  { title: "without a home whole", path: "/home/me/x", around: { cwd: "/srv", homeDir: null }, shown: "/home/me/x" },
  { title: "from the root nothing is shorter", path: "/x", around: { cwd: "/", homeDir: "/" }, shown: "/x" },
  { title: "a name cannot steer a terminal", path: "/srv/\u001b[2J", shown: "/srv/\\u001b[2J" },
])("$title", ({ path, around = here, shown }) => {
  expect(displayPath(path, around)).toBe(shown);
});
