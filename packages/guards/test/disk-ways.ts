import { chmod, mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace } from "../../../test/support/workspace.ts";
import { ALL, ALLOWING, FILES, guardFile, OF_PROJECT, type Way } from "./way.ts";

const inProject = (place: Workspace, name: string, text: string) => place.write(`project/${name}`, text);
const override = (change: object) => ({
  on: ["project", "user"] as const,
  act: (place: Workspace) => inProject(place, ".kodelet/hooks.json", JSON.stringify({ overrides: { guard: change } })),
});
const settings = (scope: "project" | "home") => `${scope}/.kodelet/hooks.json`;
const storeOf = ({ home }: Workspace): string => join(home, ".local/state/hookctl/trust.json");

export const FILE_WAYS: readonly Way[] = [
  { title: "it is edited", on: ["project"], act: (place, kind) => writeFile(guardFile(place, kind), ALLOWING) },
  {
    title: "it loses its execute bit",
    on: FILES,
    act: (place, kind) => chmod(guardFile(place, kind), 0o644),
  },
  {
    title: "it is moved into another folder",
    on: FILES,
    act: (place, kind) => rename(guardFile(place, kind), join(place.dir, "moved")),
  },
  {
    title: "it gets another name",
    on: FILES,
    act: (place, kind) => rename(guardFile(place, kind), `${guardFile(place, kind)}-old`),
  },
  {
    title: "it is disabled by its name",
    // The user's own are switched off in this way on purpose: docs/contract-kodelet.md.
    on: ["project"],
    act: (place, kind) => rename(guardFile(place, kind), `${guardFile(place, kind)}.disable`),
  },
  { title: "it is deleted", on: FILES, act: (place, kind) => rm(guardFile(place, kind)) },
  {
    title: "the hooks folder is deleted",
    on: FILES,
    act: (place, kind) => rm(join(guardFile(place, kind), ".."), { recursive: true }),
  },
  {
    title: "the .kodelet folder is deleted",
    on: FILES,
    act: (place, kind) => rm(join(guardFile(place, kind), "../.."), { recursive: true }),
  },
  {
    title: "its shebang names no program",
    on: FILES,
    act: (place, kind) => writeFile(guardFile(place, kind), "#!/nowhere/sh\n"),
  },
  {
    title: "its interpreter is gone",
    on: FILES,
    act: (place) => rm(join(place.dir, "bin", "interpreter")),
  },
  {
    title: "it becomes a link to a program that allows",
    on: ["project"],
    act: async (place, kind) => {
      await writeFile(join(place.project, "allowing"), ALLOWING, { mode: 0o755 });
      await rm(guardFile(place, kind));
      await symlink(join(place.project, "allowing"), guardFile(place, kind));
    },
  },
  {
    title: "the hooks folder becomes a link to another one",
    on: ["project"],
    act: async (place) => {
      const hooks = join(place.project, ".kodelet", "hooks");
      await rename(hooks, join(place.project, "hooks"));
      await mkdir(join(place.project, "other"));
      await symlink(join(place.project, "other"), hooks);
    },
  },
  {
    title: "a twin in capitals lies beside it",
    on: FILES,
    act: (place) => place.write("project/.kodelet/hooks/GUARD", ALLOWING, 0o755),
  },
  {
    title: "the project brings a hook of its name",
    on: ["user"],
    act: (place) => place.write("project/.kodelet/hooks/guard", ALLOWING, 0o755),
  },
  {
    title: "a plugin of the project brings a hook of its name",
    on: FILES,
    act: (place) => place.write("project/.kodelet/plugins/org@repo/hooks/guard", ALLOWING, 0o755),
  },
  { title: "its declaration is deleted", on: ["declared"], act: (place) => rm(join(place.dir, settings("project"))) },
  {
    title: "its declaration says another command",
    on: ["declared"],
    act: (place) =>
      place.write(
        settings("project"),
        '{"hooks":{"before_tool_call":[{"name":"guard","command":"true","fail_open":false}]}}',
      ),
  },
  {
    title: "its declaration is switched off",
    on: ["declared"],
    act: async (place) => {
      const text = (await place.read(settings("project"))) ?? "";
      await place.write(settings("project"), text.replace('"name"', '"enabled":false,"name"'));
    },
  },
];

export const SETTINGS_WAYS: readonly Way[] = [
  { title: "a project override says enabled: false", ...override({ enabled: false }) },
  { title: "a project override has a match that never fits", ...override({ match: { tool_name: "never" } }) },
  { title: "a project override says fail_open: true", ...override({ fail_open: true }) },
  { title: "a project override says priority: 1e9", ...override({ priority: 1e9 }) },
  { title: "a project override says timeout: 1ms", ...override({ timeout: "1ms" }) },
  { title: "a project override says observe: true", ...override({ observe: true }) },
  {
    title: "the project's settings say enabled: false",
    on: ["project", "user", "rule"],
    act: (place) => inProject(place, ".kodelet/hooks.json", '{"settings":{"enabled":false}}'),
  },
  {
    title: "a second settings file of the project says enabled: false",
    on: OF_PROJECT,
    act: async (place) => {
      if ((await place.read(settings("project"))) === null) await place.write(settings("project"), '{"version":1}');
      await inProject(place, ".hookctlrc.yaml", "settings: {enabled: false}\n");
      await inProject(place, ".kodelet/hooks.yaml", "overrides: {guard: {enabled: false}}\n");
    },
  },
  {
    title: "a second settings file of the user is there",
    on: ["rule"],
    act: async (place) => {
      await rename(join(place.home, ".kodelet/hooks.json"), join(place.home, ".kodelet/hooks.yaml"));
      await place.write(settings("home"), '{"version":1}');
    },
  },
  {
    title: "the project's settings are broken",
    on: ALL,
    act: (place) => place.write(settings("project"), '{"hooks":'),
  },
  { title: "the user's settings are broken", on: ALL, act: (place) => place.write(settings("home"), '{"hooks":') },
  { title: "the user's settings are emptied", on: ["rule"], act: (place) => place.write(settings("home"), "") },
  {
    title: "the project has settings with a slip",
    on: ALL,
    act: (place) => place.write(settings("project"), '{"hooks":{},"setings":{}}'),
  },
];

export const STORE_WAYS: readonly Way[] = [
  { title: "the store of approvals is cut short", on: OF_PROJECT, act: (place) => truncate(storeOf(place), 40) },
  { title: "the store of approvals is emptied", on: OF_PROJECT, act: (place) => truncate(storeOf(place), 0) },
  {
    title: "the store of approvals is of a version from the future",
    on: OF_PROJECT,
    act: (place) => writeFile(storeOf(place), '{"version":99,"approvals":{}}'),
  },
  {
    title: "the store of approvals is a folder",
    on: OF_PROJECT,
    act: async (place) => {
      await rm(storeOf(place));
      await mkdir(storeOf(place));
    },
  },
  {
    title: "the store of approvals is deleted",
    on: OF_PROJECT,
    act: (place) => rm(storeOf(place)),
    enough: {
      why: "without a store nothing is approved, which is told",
      at: ["run", "open", "closed"],
      effect: "said",
    },
  },
];
