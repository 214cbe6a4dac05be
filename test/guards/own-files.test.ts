import { expect, test } from "vitest";
import { AGENT_INSTALLS, AGENTS } from "../../src/agents/agents.ts";
import { AGENT_FILES } from "../../src/guards/own-files.ts";

test("the files of agents are those of src/agents", () => {
  const found = { project: new Set<string>(), user: new Set<string>(), machine: new Set<string>() };
  for (const { name, settings } of Object.values(AGENTS)) {
    const { project, local, user, machine } = settings.files;
    const { trust, switches = [] } = AGENT_INSTALLS[name];
    for (const path of [project, local]) if (path !== undefined) found.project.add(path);
    if (user !== undefined) found.user.add(user);
    for (const path of [machine, settings.machineFileOnMac]) if (path !== undefined) found.machine.add(path);
    for (const [scope, path] of [
      ["project", project],
      ["user", user],
      ["machine", machine],
    ] as const) {
      const toml = path === undefined ? undefined : settings.tomlFile;
      if (toml !== undefined) found[scope].add(`${path?.replace(/[^/]+$/, toml)}`);
    }
    for (const path of trust?.files ?? []) found.user.add(path);
    for (const [location, path] of switches.flatMap(({ files }) => files)) found[location].add(path);
  }
  const sorted = (paths: Iterable<string>): readonly string[] => [...paths].sort();
  expect({
    project: sorted(found.project),
    user: sorted(found.user),
    machine: sorted(found.machine),
  }).toEqual({
    project: sorted(AGENT_FILES.project),
    user: sorted(AGENT_FILES.user),
    machine: sorted(AGENT_FILES.machine),
  });
});
