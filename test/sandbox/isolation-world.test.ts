import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "./bubblewrap.ts";
import { type Probe, runProbe } from "./probe.ts";

const WRITABLE_MOUNTS = `
points = {line.split()[4].replace("\\\\040", " ") for line in read("/proc/self/mountinfo").splitlines()}
said = " ".join(sorted(point for point in points if not os.statvfs(point).f_flag & os.ST_RDONLY))
`;

const WRITABLE_SPECIAL_FILES = `
found = []
for top in ("/proc", "/sys", "/dev"):
    for folder, _, names in os.walk(top):
        for name in names:
            path = folder + "/" + name
            try:
                if not os.path.islink(path):
                    os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY))
                    found.append(path)
            except OSError:
                pass
said = " ".join(sorted(found))
`;

const arrange: Probe["arrange"] = async (place) => {
  await place.write("project/out/file", "");
  return { escaped: () => false };
};

/** Its own folder for temporary files, and devices. */
const OWN = /^\/(tmp\/\.hookctl|dev\/(full|null|pts|random|tty|urandom|zero))$/;
const reported = (said: string): readonly string[] =>
  said
    .replace(/^tried /, "")
    .trim()
    .split(" ");

describe.skipIf(missingHere !== null)(`all that a hook sees${unlessMissing}`, () => {
  test("no mount is writable but its own folders and what was granted", async () => {
    const probe = { title: "", attempt: WRITABLE_MOUNTS, arrange };
    expect(reported((await runProbe(probe, "off")).said)).toContain("/");
    expect(reported((await runProbe(probe, "require")).said).filter((path) => !OWN.test(path))).toEqual([]);
    const granted = reported((await runProbe(probe, { network: true, write_paths: ["out/"] })).said);
    expect(granted.filter((path) => !OWN.test(path))).toEqual([expect.stringMatching(/\/project\/out$/)]);
  });

  test("it has no capability, can get none, and its system calls are filtered", async () => {
    const attempt = `said = " ".join(read("/proc/self/status").split())`;
    const probe = { title: "", attempt, arrange };
    const locked = [/CapPrm: 0+ CapEff: 0+ CapBnd: 0+ CapAmb: 0+ /, /NoNewPrivs: 1 /, /Seccomp: 2 /];
    const control = (await runProbe(probe, "off")).said;
    expect(locked.every((line) => line.test(control))).toBe(false);
    const { said } = await runProbe(probe, "require");
    expect(locked.filter((line) => !line.test(said))).toEqual([]);
  });

  test("no file of the kernel can be opened for writing, and no device but those that keep nothing", async () => {
    const probe = { title: "", attempt: WRITABLE_SPECIAL_FILES, arrange };
    const { said } = await runProbe(probe, "require");
    expect(said).toMatch(/^tried \//);
    expect(reported(said).filter((path) => !OWN.test(path))).toEqual(["/dev/pts/ptmx"]);
  });
});
