// Checks the JSON files of the agents against their shapes, which the sources rely on without a check of their own, and the tables of
// their tools: a name that means two things would let a rule see one of them alone.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { z } from "zod";

const texts = z.array(z.string());
const byName = z.record(z.string(), z.string());
const scope = z.enum(["project", "user", "local", "machine"]);
const paths = z.partialRecord(scope, z.string());

const toolRow = z.union([
  z.strictObject({
    tool: z.string(),
    names: byName.optional(),
    conversions: z.record(z.string(), z.enum(["milliseconds", "from-zero", "words"])).optional(),
    edits: z.strictObject({ list: z.string(), names: byName }).optional(),
    when: byName.optional(),
    bare: z.string().optional(),
    text: texts.optional(),
  }),
  z.strictObject({ kind: z.string(), claude: z.string().optional() }),
]);
const toolTable = z.record(z.string(), z.union([z.string(), toolRow, z.array(toolRow)]));

const agentProcess = z.strictObject({
  variables: texts,
  nameInAgentVariable: z.string().optional(),
  programs: texts,
  packages: texts,
});

const template = z.record(z.string(), z.json());
const fieldPaths = z.union([z.string(), texts]);
const field = z.union([
  fieldPaths,
  z.strictObject({ arguments: fieldPaths }),
  z.strictObject({ result: fieldPaths, failedIf: byName.optional() }),
  z.strictObject({ error: z.string() }),
  z.strictObject({ lastMessage: z.string() }),
  z.strictObject({ text: texts, else: z.string().optional(), prefix: z.string().optional() }),
  z.strictObject({ object: byName }),
  z.strictObject({ matches: byName }),
  z.strictObject({ value: z.json() }),
]);
const fields = z.record(z.string(), field);
const answerKinds = z.enum(["deny", "ask", "allow", "halt", "change", "context", "followUp", "notify"]);
const answerFormats = z.partialRecord(answerKinds, z.union([z.string(), template, z.null()]));
const protocolEvent = z.strictObject({
  like: z.literal("claude").optional(),
  raises: z
    .array(
      z.strictObject({
        event: z.string(),
        fieldSet: z.string().optional(),
        fields: fields.optional(),
        if: byName.optional(),
        unless: byName.optional(),
      }),
    )
    .optional(),
  answers: z
    .looseObject({ canAskWithChange: z.literal(true).nullable().optional(), changeIf: byName.optional() })
    .refine(({ canAskWithChange: _asks, changeIf: _if, ...formats }) => answerFormats.safeParse(formats).success)
    .optional(),
  isSettingsChange: z.literal(true).optional(),
  isOnRequest: z.literal(true).optional(),
  limitMs: z.int().optional(),
});

const conditions = z.record(
  z.string(),
  z.union([z.enum(["text", "object", "list", "no list", "present", "absent"]), texts]),
);
const transcript = z.strictObject({
  seenIn: z.string(),
  places: z.array(
    z.strictObject({
      variable: z.string().nullable(),
      folder: z.string(),
      path: texts,
      projectFile: z.string().optional(),
    }),
  ),
  unreadable: z.string().optional(),
  own: z.array(conditions),
  entries: z.array(
    z.strictObject({
      if: conditions.optional(),
      session: z.string().optional(),
      cwd: texts.optional(),
      calls: z
        .strictObject({
          in: texts,
          if: conditions.optional(),
          id: z.string(),
          tool: z.string(),
          input: z.string(),
          time: z.array(z.string().regex(/^(?:call|message|entry)\./)),
          subagentIf: texts.optional(),
        })
        .optional(),
    }),
  ),
});

const switchFiles = z.array(z.tuple([z.enum(["project", "user", "machine"]), z.string()]));

/** Each kind of file with its shape. */
const SHAPES = {
  "agent.json": z.strictObject({
    title: z.string(),
    testedWith: z.string().nullable(),
    projectVariable: z.string().nullable(),
    omitsEventName: z.literal(true).optional(),
    settings: z.strictObject({
      files: paths,
      machineFileOnMac: z.string().optional(),
      formerFiles: paths.optional(),
      isStartFolderOnly: z.literal(true).optional(),
      userFolder: z.strictObject({ variable: z.string(), instead: z.string() }).optional(),
      tomlFile: z.string().optional(),
      readsWholeFolder: z.literal(true).optional(),
    }),
    ownFolders: z.strictObject({ user: z.string(), project: z.string() }),
    process: agentProcess,
    contextLimit: z.int(),
    followUpLimit: z.int(),
    withoutProgram: z.enum(["allows", "blocks", "unknown"]),
    cage: z
      .strictObject({
        file: z.string(),
        hides: z.string().optional(),
        values: z.record(z.string(), z.enum(["shell", "bashStart", "zshStart", "temp"])),
        shellVariable: z.string().optional(),
        projectFiles: texts.optional(),
        hiddenBy: texts.optional(),
        ownSandbox: z.string().optional(),
        shellArgument: z.string().optional(),
      })
      .optional(),
    withoutCage: z.string().optional(),
    unsupportedEvents: texts,
  }),
  "protocol.json": z.strictObject({
    like: z.literal("claude").optional(),
    mcp: z.string().optional(),
    mcpOf: z.strictObject({ server: z.string(), tool: z.string() }).optional(),
    baseFields: fields.optional(),
    subagent: fields.optional(),
    asks: z
      .strictObject({ modes: z.record(z.string(), z.enum(["held", "dropped"])), headlessIf: byName.optional() })
      .nullable()
      .optional(),
    call: z.strictObject({ event: z.string().optional(), shell: z.string(), payload: template.optional() }),
    fieldSets: z.record(z.string(), fields).optional(),
    formats: z.record(z.string(), template).optional(),
    events: z.record(z.string(), protocolEvent),
  }),
  "install.json": z.strictObject({
    format: z.union([
      z.strictObject({ kind: z.literal("module") }),
      z.strictObject({
        kind: z.literal("settings"),
        root: template,
        machineRoot: template.optional(),
        entry: template,
      }),
    ]),
    stillToDo: z.string(),
    machineNote: z.string().optional(),
    usesLoginShell: z.literal(true).optional(),
    trustsEachEntry: z.literal(true).optional(),
    adoptableHooks: z.enum(["grouped", "flat"]).optional(),
    disablingVariables: z.record(z.string(), z.union([scope, z.literal("all")])).optional(),
    prefixVariables: texts.optional(),
    namesakes: texts.optional(),
    companionFiles: z.record(z.string(), z.record(z.string(), z.json())).optional(),
    trustFiles: texts.optional(),
    switches: z.array(
      z.strictObject({
        keys: z.array(texts),
        disables: z.enum(["true", "false", "yes", "set", "names ours", "excludes ours", "without ours"]),
        effect: z.string().optional(),
        files: switchFiles,
        machineFiles: switchFiles.optional(),
      }),
    ),
  }),
  "samples.json": z.strictObject({
    captured: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.json()))),
    documented: z.record(z.string(), z.record(z.string(), z.json())),
  }),
  "copilot-tools.json": z.strictObject({ table: toolTable, asClaude: toolTable }),
  "other-programs.json": z.array(agentProcess.extend({ title: z.string() })),
  "tools.json": toolTable,
  "transcripts.json": z.record(z.string(), transcript),
};

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Files that have not the shape of their kind. */
function shapeFaults() {
  const files = ["packages/agents", "src/dialects/tools"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(ROOT, folder, name)),
  );
  return files
    .filter((file) => file.endsWith(".json") && !file.endsWith("package.json"))
    .flatMap((file) => {
      const [, shape] = Object.entries(SHAPES).find(([end]) => file.endsWith(end)) ?? [];
      if (shape === undefined) return [`${relative(ROOT, file)} is of no known kind`];
      const checked = shape.safeParse(JSON.parse(readFileSync(file, "utf8")));
      return checked.success ? [] : [`${relative(ROOT, file)}: ${z.prettifyError(checked.error)}`];
    });
}

/** The faults of all tables in a built tree, as sentences. */
/** @param {string} dist */
export async function tableFaults(dist) {
  const misshapen = shapeFaults();
  if (misshapen.length > 0) return misshapen;
  const load = (/** @type {string} */ path) => import(pathToFileURL(join(dist, path)).href);
  const [{ AGENTS }, { grok }, vocabulary] = await Promise.all([
    load("packages/agents/agents.js"),
    load("packages/agents/grok/grok.js"),
    load("src/protocol/tools/vocabulary.js"),
  ]);
  const agents = [...Object.entries(AGENTS), ["grok", grok]];
  return agents.flatMap(([agent, { tools }]) =>
    Object.entries({ ...tools.borrowed?.(), ...tools.table }).flatMap(([name, rows]) =>
      [rows].flat().flatMap((row) => rowFaults(name, row, vocabulary).map((fault) => `${agent}, ${name}: ${fault}`)),
    ),
  );
}

/**
 * @param {string} name
 * @param {import("../src/protocol/tools/tool-table.ts").ToolRow} row
 * @param {typeof import("../src/protocol/tools/vocabulary.ts")} vocabulary
 */
function rowFaults(name, row, { PORTABLE_TOOLS, portableToolNamed, namesOfPortable, portableArguments }) {
  const { tool, claude, names = {}, conversions = {}, when = {}, edits } = row;
  const meant = portableToolNamed(name);
  const isOther = meant !== null && tool !== null && meant !== tool && !namesOfPortable(tool).includes(name);
  /** @type {readonly string[]} */
  const claudeNames = Object.values(PORTABLE_TOOLS).flatMap((one) => one.claude);
  const faults = isOther ? [`the name means ${meant}, the row ${tool}`] : [];
  if (tool === null) {
    const isUnknown = claude !== undefined && !claudeNames.includes(claude) && !["LS", "NotebookEdit"].includes(claude);
    if (isUnknown) faults.push(`Claude Code has no ${claude}`);
    if (meant !== null && claude === undefined) faults.push(`a tool of its own with the name of ${meant}`);
    return faults;
  }
  const taken = portableArguments(tool) ?? new Map();
  const targets = [...Object.values(names), ...Object.values(edits?.names ?? {})];
  for (const target of targets) if (!taken.has(target)) faults.push(`${tool} takes no ${target}`);
  for (const [key, target] of Object.entries(names)) {
    if (key !== target && taken.has(key) && !Object.values(names).includes(key))
      faults.push(`${key} is an argument of ${tool}, and here it means ${target}`);
    if (Object.hasOwn(when, key)) faults.push(`${key} both chooses the row and has a value`);
  }
  for (const key of Object.keys(conversions))
    if (!taken.has(names[key] ?? key)) faults.push(`${key} is converted into no argument of ${tool}`);
  return faults;
}
