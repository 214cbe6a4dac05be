import { relative } from "node:path";
import type { CommandLine } from "../../cli/command-table.ts";
import type { CommandResult } from "../../cli/output.ts";
import { effectiveFile } from "../../config/config-files.ts";
import type { Host } from "../../host.ts";
import { ensureCompileCache } from "../../install/compile-cache.ts";
import { initText } from "../../report/scaffold-text.ts";
import { openSite, readBundled, type ScaffoldFile, type ScaffoldSite, scaffold } from "./scaffold.ts";

/** Two hooks, the test cases of one, and a settings file: what is missing is created, what is there is kept. */
export async function init(line: CommandLine<"init">, host: Host): Promise<CommandResult> {
  const site = await openSite(line, host);
  if (!site.ok) return site;
  await ensureCompileCache(host);
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
function otherSettings({ context }: ScaffoldSite): string | null {
  const { projectDir } = context.scopes;
  const places = { projectDirs: [projectDir], homeDir: null, configHome: null, explicitFile: null };
  const inForce = effectiveFile(places, "project");
  const path = inForce === null ? SETTINGS : relative(projectDir, inForce);
  return path === SETTINGS ? null : path;
}

function starterFiles(): readonly ScaffoldFile[] {
  const filled = (name: string): string => readBundled(`starter/${name}`).replaceAll("@SCHEMA@", SCHEMA_FOLDER);
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
      about: "settings, with autocompletion in your editor",
    },
  ];
}

/** Where an editor finds the schemas once the project has its own hookctl: of the same version and without a network. */
const SCHEMA_FOLDER = "../node_modules/hookctl/docs/schema";
