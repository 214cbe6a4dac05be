import { relative } from "node:path";
import type { CommandResult } from "../../cli/command-result.ts";
import type { CommandLine } from "../../cli/command-table.ts";
import { effectiveFile } from "../../config/config-files.ts";
import type { Host } from "../../host.ts";
import { ensureCompileCache } from "../../install/compile-cache.ts";
import { initText } from "../../report/scaffold-text.ts";
import { openSite, readBundled, type ScaffoldFile, type ScaffoldSite, scaffold } from "./scaffold.ts";

/** Creates two hooks, test cases and a settings file. Existing files are kept. */
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

/** The existing settings file, if it has another path: a new one would be a second file, which is an error. */
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

/** The schemas of a hookctl that is installed in the project: the same version, and no network access. */
const SCHEMA_FOLDER = "../node_modules/hookctl/docs/schema";
