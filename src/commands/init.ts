import { relative } from "node:path";
import { fileInForce } from "../config/places.ts";
import { initText } from "../report/scaffold-text.ts";
import type { World } from "../world.ts";
import { ensureCompileCache } from "./compile-cache.ts";
import type { RawLine } from "./flag-table.ts";
import { openSite, type Site, scaffold, shipped, type ToldFile } from "./scaffold.ts";
import { refuse } from "./start.ts";

/** Two hooks, the test cases of one, and a settings file: what is missing is created, what is there is kept. */
export async function init(line: RawLine, world: World): Promise<number> {
  const site = await openSite(line, world);
  if (!site.ok) return refuse(site.error, world);
  await ensureCompileCache(world);
  const settings = otherSettings(site.value);
  return scaffold(site.value, {
    files: starterFiles().filter(({ path }) => settings === null || path !== SETTINGS),
    settings,
    schema: "hookctl.init/1",
    textOf: initText,
    keepsOthers: true,
  });
}

const SETTINGS = ".kodelet/hooks.json";

/** The settings file that counts now: with ours before it nobody would read it any more. */
function otherSettings({ context }: Site): string | null {
  const { projectDir } = context.scopes;
  const places = { projectDirs: [projectDir], homeDir: null, configHome: null, explicitFile: null };
  const inForce = fileInForce(places, "project");
  const path = inForce === null ? SETTINGS : relative(projectDir, inForce);
  return path === SETTINGS ? null : path;
}

function starterFiles(): readonly ToldFile[] {
  const filled = (name: string): string => shipped(`starter/${name}`).replaceAll("@SCHEMA@", SCHEMA_FOLDER);
  return [
    {
      path: ".kodelet/hooks/deny-dangerous",
      text: filled("deny-dangerous"),
      isExecutable: true,
      event: "before_tool_call",
      about: "stops rm -rf, sudo, curl | sh",
    },
    {
      path: ".kodelet/hooks/audit-log",
      text: filled("audit-log"),
      isExecutable: true,
      event: "after_tool_call",
      about: "appends to .kodelet/audit.jsonl",
    },
    {
      path: ".kodelet/tests/deny-dangerous.json",
      text: filled("deny-dangerous.json"),
      isExecutable: false,
      event: "",
      about: "3 test cases",
    },
    {
      path: SETTINGS,
      text: filled("hooks.json"),
      isExecutable: false,
      event: "",
      about: "settings, completed by your editor",
    },
  ];
}

/** Where an editor finds the schemas once the project has its own hookctl: of the same version and without a network. */
const SCHEMA_FOLDER = "../node_modules/hookctl/docs/schema";
