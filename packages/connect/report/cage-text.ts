import type { JsonRecord } from "../../../src/protocol/json/write.ts";
import { listNames, truncateEscaped } from "../../../src/protocol/text/text.ts";
import { displayPath, type PathContext } from "../../../src/report/display-path.ts";
import { type Cage, type CagePlace, type EffectiveCage, isRefused, type ReachedFile } from "../../cage/index.ts";

const ACCESS: Readonly<Record<CagePlace["access"], string>> = {
  write: "read and write",
  read: "read only",
  hidden: "hidden",
  own: "its own",
};

const NETWORKS = { open: "open", off: "off, the loopback included" } as const;

const listText = (hosts: readonly string[]): string =>
  `only ${truncateEscaped(hosts.join(" "), 400)} (nobody sees what a tunnel to them carries), and a loopback for the session`;

/** How the settings switch the cage; `off` also without settings. */
type ShownMode = EffectiveCage["mode"] | "off";

/** The places of a cage by what a call may do there. Everything else is readable. */
export function cageText(
  mode: ShownMode,
  { settings, removed }: Cage,
  places: readonly CagePlace[],
  paths: PathContext,
): string {
  const shown = places.map(({ path, access, why }) => ({ access, path: displayPath(path, paths), why }));
  const width = Math.max(0, ...shown.map(({ path }) => path.length));
  const groups = Object.entries(ACCESS).flatMap(([access, title]) => {
    const lines = shown
      .filter((one) => one.access === access)
      .map(({ path, why }) => `  ${path.padEnd(width)}  ${why}\n`);
    return lines.length === 0 ? [] : [`${title}:\n`, ...lines];
  });
  const network = typeof settings.network === "string" ? NETWORKS[settings.network] : listText(settings.network);
  return `mode: ${mode}\n${groups.join("")}network: ${network}\nremoved variables: ${truncateEscaped(removed.join(" "), 400)}\neverything else: read only\n`;
}

/** The place of one path. */
export const placeText = (path: string, { access, why, path: place }: CagePlace, paths: PathContext): string =>
  `${truncateEscaped(path, 200)}: ${ACCESS[access]} (${why}: ${displayPath(place, paths)})\n`;

/** A command's files as the cage would treat them; null if the settings have no cage. */
export interface CagedCommand {
  readonly mode: EffectiveCage["mode"];
  readonly files: readonly ReachedFile[];
  /** Agents whose shell calls run in the cage, and those whose calls do not. */
  readonly agents: readonly { readonly title: string; readonly why: string | null }[];
}

/** The end of `explain`: what the files that the command names would be inside. */
export function cagedCommandText({ mode, files, agents }: CagedCommand, paths: PathContext): string {
  const lines = files.map((file) => {
    const { use, path, place } = file;
    const verdict = isRefused(file) ? "✖ refused" : "✔ allowed";
    return `  ${verdict}: ${use} ${displayPath(path, paths)} (${ACCESS[place.access]}: ${place.why})\n`;
  });
  const named = (isIn: boolean) => agents.filter(({ why }) => (why === null) === isIn).map(({ title }) => title);
  const [caged, free] = [named(true), named(false)];
  const whose =
    mode === "observe"
      ? "it observes, so the command would run outside"
      : `${caged.length === 0 ? "no agent's call" : `calls of ${listNames(caged)}`}${free.length === 0 ? "" : `, not of ${listNames(free)}`}`;
  const none = files.length === 0 ? "  it names no files\n" : "";
  return `\nIn the cage (${whose}):\n${lines.join("")}${none}`;
}

export const cagedCommandJson = ({ mode, files, agents }: CagedCommand): JsonRecord => ({
  mode,
  agents: agents.map(({ title, why }) => ({ agent: title, caged: why === null && mode !== "observe" })),
  files: files.map((file) => ({
    path: file.path,
    use: file.use,
    access: file.place.access,
    why: file.place.why,
    refused: isRefused(file),
  })),
});

export const cageJson = (mode: ShownMode, { settings, removed }: Cage, places: readonly CagePlace[]): JsonRecord => ({
  schema: "hookctl.cage/1",
  mode,
  network: settings.network,
  places: places.map(({ path, access, why }) => ({ path, access, why })),
  removed,
});

/** What `enable cage` did to an agent. */
export interface CagedAgent {
  readonly agent: string;
  readonly isCaged: boolean;
  /** Its settings that name the shell. */
  readonly file: string | null;
  /** Why its calls are not caged. */
  readonly why: string | null;
  /** The settings by which the agent runs calls in its own sandbox; null if it has none. */
  readonly ownSandbox: string | null;
}

/** The end of a statement that calls of an agent are in the cage. */
export const ownSandboxText = (settings: string | null): string =>
  settings === null ? "" : `; those in its own sandbox stay there (${settings})`;

interface CageSwitched {
  readonly isOn: boolean;
  readonly isChanged: boolean;
  readonly file: string;
  readonly agents: readonly CagedAgent[];
}

export function cageSwitchedText({ isOn, isChanged, file, agents }: CageSwitched): string {
  const head = isChanged
    ? `✔ Switched the cage ${isOn ? "on" : "off"} (${file})\n`
    : `The cage is ${isOn ? "on" : "off"} already.\n`;
  if (!isOn) return head;
  const lines = agents.map(({ agent, isCaged, file: settings, why, ownSandbox }) =>
    isCaged
      ? `  ✔ ${agent}: shell calls of new sessions (${settings})${ownSandboxText(ownSandbox)}\n`
      : `  ▲ ${agent}: not caged: ${why}\n`,
  );
  const none = agents.some(({ isCaged }) => isCaged) ? "" : "✖ No agent here can be caged.\n";
  return `${head}${lines.join("")}${none}What a call may reach: hookctl cage show\n`;
}

export const cageSwitchedJson = ({ isOn, isChanged, file, agents }: CageSwitched): JsonRecord => ({
  schema: "hookctl.cage-switched/1",
  on: isOn,
  is_changed: isChanged,
  file,
  agents: agents.map(({ agent, isCaged, file: settings, why }) => ({ agent, caged: isCaged, file: settings, why })),
});
