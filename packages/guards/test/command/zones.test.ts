import { describe, expect, test } from "vitest";
import { zoneOf } from "../../command/paths.ts";

const PLACE = { folder: "/home/dev/app", home: "/home/dev", project: "/home/dev/app", variables: {} };

describe("a folder around the home is no project, whatever the agent was started in", () => {
  test.each([
    ["/", "/usr/lib/x", "system"],
    ["/", "/srv/data", "other"],
    ["/", "/home/dev/notes", "home-file"],
    ["/home", "/home/other/x", "other"],
    ["/home/dev", "/home/dev/notes", "home-file"],
    ["/home/dev/app", "/home/dev/app/build", "inside"],
    // Without a home of its own, as in a container.
    ["/etc", "/etc/ssh/config", "inside"],
  ])("in %s, %s is in the zone %s", (project, path, zone) => {
    expect(zoneOf(path, { ...PLACE, folder: project, project })).toBe(zone);
  });
});

describe("TMPDIR alone makes no folder one for temporary files, because a project's agent settings can set it", () => {
  test.each([
    ["/", "/usr/lib/x", "system"],
    ["/srv", "/srv/data/x", "other"],
    ["/home/dev", "/home/dev/notes", "home-file"],
    ["/home/dev/notes", "/home/dev/notes/x", "home-file"],
    ["/scratch/tmp", "/scratch/tmp/x", "temp"],
    ["/scratch/tmp.dev/", "/scratch/tmp.dev", "temp-root"],
    ["/private/var/folders/x1/T/", "/private/var/folders/x1/T/y", "temp"],
    ["tmp", "/srv/x", "other"],
  ])("with %s, %s is in the zone %s", (TMPDIR, path, zone) => {
    expect(zoneOf(path, { ...PLACE, variables: { TMPDIR } })).toBe(zone);
  });
});
