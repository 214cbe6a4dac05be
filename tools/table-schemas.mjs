// The schemas of the tables in JSON files, by the paths of the files in the repository. The build and a test check each file: at run
// time the tables are trusted, because a check would cost every tool call.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const GUARDS = [
  "agent-config",
  "cloud",
  "egress",
  "filesystem",
  "git",
  "protected-paths",
  "remote-code",
  "secrets",
  "self-protection",
  "system",
];

/** Names separated by single spaces. */
const names = z.string().regex(/^\S+(?: \S+)*$/, "names are separated by single spaces");
const pattern = z.string().refine(isPattern, "not a valid pattern");
const why = z.string().optional();
const optionFields = {
  why,
  values: names.optional(),
  flags: names.optional(),
  attached: names.optional(),
  endsAtOperand: z.literal(true).optional(),
  hasSingleDash: z.literal(true).optional(),
  hasSignals: z.literal(true).optional(),
};

/** A table whose keys are names of programs, functions or commands. Each name may be in one key only. */
/** @param {z.ZodType} row */
const byName = (row) =>
  z.record(names, row).superRefine((table, { addIssue }) => {
    const seen = new Set();
    for (const name of Object.keys(table).flatMap((key) => key.split(" "))) {
      if (seen.has(name)) addIssue({ code: "custom", message: `${name} is in two rows` });
      seen.add(name);
    }
  });

const example = z.strictObject({ command: z.string(), folder: z.string().optional(), why });
const examples = z.strictObject({
  blocked: z.array(example),
  asked: z.array(example),
  allowed: z.array(example),
  gaps: z.array(example.required({ why: true })),
});

const wrapper = z.strictObject({
  ...optionFields,
  skipped: z.int().positive().optional(),
  hasAssignments: z.literal(true).optional(),
  texts: names.optional(),
  folders: names.optional(),
  text: z.enum(["joined", "each"]).optional(),
  isRemote: z.literal(true).optional(),
  shells: names.optional(),
  addsArguments: z.literal(true).optional(),
  mounts: names.optional(),
  interpreter: names.optional(),
});

const accessKind = z.enum(["read", "write", "delete", "mode", "use"]);
const access = z.strictObject({
  ...optionFields,
  operands: accessKind.optional(),
  others: accessKind.optional(),
  skipped: z.int().positive().optional(),
  script: names.optional(),
  reads: names.optional(),
  writes: names.optional(),
  inPlace: names.optional(),
  keeps: names.optional(),
  transfer: z
    .strictObject({
      from: accessKind,
      recursive: names.optional(),
      trial: names.optional(),
      content: z.enum(["of all", "of slash"]).optional(),
      isLink: z.literal(true).optional(),
    })
    .optional(),
  rule: z.enum("archiver chmod cpio curl dd filter find git mount patch socat tar unzip wget".split(" ")).optional(),
});

const connection = z.strictObject({
  ...optionFields,
  grammar: z.enum(["curl", "wget"]).optional(),
  operands: z.enum("url given address remote image mail socat".split(" ")).optional(),
  first: z.literal(true).optional(),
  hostOptions: names.optional(),
  ports: names.optional(),
  port: z.union([z.int().positive(), z.literal("second")]).optional(),
  commands: names.optional(),
  default: names.optional(),
  unless: names.optional(),
  methods: names.optional(),
  heads: names.optional(),
  bodies: names.optional(),
  puts: names.optional(),
  uploads: names.optional(),
  sends: z.literal(true).optional(),
  isGivenOnly: z.literal(true).optional(),
  rule: z.literal("httpie").optional(),
});

const effect = z.strictObject({
  ...optionFields,
  kind: z.enum(["delete", "delete tree", "destroy", "empty", "rewrite", "mode"]).optional(),
  skipped: z.int().positive().optional(),
  given: names.optional(),
  only: names.optional(),
  unless: names.optional(),
  appends: names.optional(),
  recursive: names.optional(),
  rule: z.enum("chmod copy dd edit find move rsync tar".split(" ")).optional(),
});

const zone = "root system home home-file project repository inside temp temp-root device stream other unknown".split(
  " ",
);
const pathKinds = [
  ..."vital system-file personal gives-access repository-data repository-hook repository-itself unversioned made-again cache generated running-kernel site installed shared".split(
    " ",
  ),
];
const facts = [
  ...pathKinds,
  ..."glob narrow excluding top dot part-unknown into-the-project on-a-host open restricting set-user lost cloned blank whole there".split(
    " ",
  ),
];
/** @param {readonly string[]} known */
const namesOf = (known) =>
  names.refine((text) => text.split(" ").every((name) => known.includes(name)), `not one of ${known.join(", ")}`);

const verdicts = z.strictObject({
  zones: z.record(z.enum(zone), z.string()),
  paths: z.record(z.enum(pathKinds), z.strictObject({ why, path: pattern })),
  effects: z.record(
    z.enum([
      ..."delete destroy mirror move raw empty rewrite replace append mode".split(" "),
      "delete tree",
      "mode tree",
    ]),
    z.strictObject({
      why,
      rule: z.string(),
      does: z.string(),
      verdicts: z.array(
        z.strictObject({
          why,
          zones: namesOf(zone).optional(),
          when: namesOf(facts).optional(),
          decision: z.enum(["block", "ask", "allow", "unknown"]),
          rule: z.string().optional(),
          does: z.string().optional(),
          what: z.string().optional(),
        }),
      ),
    }),
  ),
});

const origin = z.strictObject({
  ...optionFields,
  origin: z.enum(["network", "decoder"]),
  unless: names.optional(),
  only: names.optional(),
  needsOperand: z.literal(true).optional(),
  instead: names.optional(),
  words: names.optional(),
  rule: z.enum("archive browser curl github hexdump scrambled socat toStdout wget".split(" ")).optional(),
});

const languages = "python node perl ruby php lua awk r julia osascript tcl other".split(" ");
const interpreter = z.strictObject({
  ...optionFields,
  kind: z.enum(["shell", "powershell", ...languages]),
  names: pattern,
  code: names,
  other: names,
  commands: names.optional(),
  inlineCommands: names.optional(),
});

const credentials = z.strictObject({
  patterns: z.record(z.string(), pattern),
  kinds: z.array(
    z.strictObject({
      why,
      certainty: z.enum(["sure", "likely"]),
      what: z.string(),
      clues: z.string().regex(/^[^A-Z]+$/, "clues are in lower case"),
      path: pattern,
      except: pattern.optional(),
    }),
  ),
});

const clues = z.array(z.string().regex(/^[^A-Z]+$/, "clues are in lower case"));
const suspectedSecret = z.strictObject({ why, clues, pattern, ignoresCase: z.literal(true).optional() });

const valueKinds =
  "home folder temporary join same path parent variable glob names entries walk tree module requirer member called each".split(
    " ",
  );
const methodKinds = "same each some glob rglob entries joinpath split join concat format run sql sibling".split(" ");
const functions = z.strictObject({
  modules: byName(names),
  runs: names,
  effects: z.record(z.string(), names),
  opens: names,
  prints: names,
  environment: names,
  pathMethods: byName(names),
  values: z.record(z.enum(valueKinds), names),
  methods: z.record(z.enum(methodKinds), names),
  languages: z.array(
    z.strictObject({
      names: z.enum(languages),
      comment: pattern.optional(),
      has: z.array(z.enum("regex quoting lines triple sigils longBrackets".split(" "))),
      interpolation: z.enum("prefix template hash dollar none".split(" ")),
      concatenates: z.string().optional(),
      bareCalls: z.literal(true).optional(),
      commandQuotes: z.string().optional(),
      evaluates: names.optional(),
      commands: pattern.optional(),
      deletes: pattern.optional(),
    }),
  ),
});

const launchers = z.strictObject({
  globalValues: byName(names),
  launchers: z.array(wrapper.extend({ commands: z.array(names).min(1) })),
});

const toolGuesses = z.strictObject({
  terminals: pattern,
  talks: pattern,
  searches: pattern,
  runsCode: pattern,
  languages: z.record(pattern, z.array(z.string())),
  shells: z.record(pattern, z.string()),
  programs: pattern,
});

const windowsCommands = z.strictObject({
  programs: byName(z.string()),
  methods: byName(z.string()),
  options: byName(z.string()),
  cmdOptions: byName(z.string()),
});

const programs = z.array(
  z.strictObject({
    why,
    kind: z.enum("shell text source folder variable interpreter wrapper opaque writer".split(" ")),
    programs: names,
    files: names.optional(),
    switches: pattern.optional(),
    endings: names.optional(),
  }),
);

const gitSettings = z.array(
  z.strictObject({
    why,
    rule: z.string(),
    settings: names.optional(),
    variables: names.optional(),
    value: pattern,
    form: z.string(),
  }),
);

const filter = z.strictObject({
  ...optionFields,
  needs: z.record(names, pattern).optional(),
  script: pattern.optional(),
  scripts: names.optional(),
  only: names.optional(),
  others: names.optional(),
});

const prefixedSecret = z.strictObject({
  kind: z.string(),
  clues: z.string().refine((clues) => clues === clues.toLowerCase(), "clues are in lower case"),
  pattern,
  flags: z.enum(["g", "gi", "gm"]),
  is: z.enum([
    "random",
    "random token",
    "user and password",
    "password in a URL",
    "typed password",
    "directory password",
  ]),
});

/** Fields in braces, with a known format or the length at which the text is cut. */
const text = z.string().refine((words) => {
  const formats = [...words.matchAll(/\{\w+, (\w+)\}/g)].map(([, format]) => format);
  return formats.every((format) =>
    /^\d+$|^(?:quoted|name|json|duration|size|line)$|^(?:quotedS|s)uggestion$|^ending$/.test(format ?? ""),
  );
}, "a field has no such format");
const template = z.union([text, z.record(z.string(), text)]);
const messages = z.record(z.string(), z.strictObject({ by: z.string().optional(), summary: template, hint: template }));
const warnings = z.record(z.string(), z.union([text, z.strictObject({ by: z.string(), text: template })]));

const transfer = z.strictObject(optionFields);
const paths = z.array(z.string());

/** Files whose change the guard `agent-config` asks about. */
const configFiles = z.strictObject({
  why: z.string().optional(),
  rule: z.string(),
  files: paths.min(1),
  except: paths.optional(),
  text: pattern.optional(),
  known: names.optional(),
  blind: z.literal(true).optional(),
  deleted: z.literal(true).optional(),
});
const syscall = z.int().nonnegative().nullable();
const syscalls = z.array(z.strictObject({ why: z.string(), calls: z.record(z.string(), z.tuple([syscall, syscall])) }));

/** JSON Schemas of keys: an optional key may be absent or null, and a change has the type of what an event can change. */
const jsonSchemas = z.record(
  z.string(),
  z.looseObject({
    type: z.enum(["array", "boolean", "number", "object", "string"]).optional(),
    description: z.string().optional(),
    examples: z.array(z.unknown()).optional(),
    optional: z.literal(true).optional(),
    change: z.enum(["any", "input", "message", "output", "post", "pre"]).optional(),
  }),
);

/** @type {Readonly<Record<string, z.ZodType>>} */
const TABLE_SCHEMAS = {
  "packages/authoring/dialect-keys.json": z.record(
    z.string(),
    z.strictObject({ payload: jsonSchemas, reply: jsonSchemas }),
  ),
  "src/shell/programs.json": programs,
  "packages/authoring/commands/samples.json": z.record(
    z.enum(["deny", "halt", "ignore", "follow up"]),
    z.strictObject({
      reply: z.record(z.string(), z.unknown()),
      caseName: z.string(),
      expect: z.record(z.string(), z.unknown()),
      answer: z.strictObject({ response: z.string(), meaning: z.string() }).optional(),
    }),
  ),
  "packages/testing/mutate/program-folders.json": z.record(z.string(), names),
  "packages/testing/mutate/program-switches.json": z.record(z.string(), z.record(z.string(), z.string().nullable())),
  "packages/testing/mutate/shell-words.json": z.strictObject({
    builtins: names,
    declarations: names,
    reserved: names,
    posix: names,
  }),
  "packages/cage/network.json": z.strictObject({
    variables: z.record(z.string(), z.string()),
    javaPrograms: names,
    javaOptions: z.string(),
    mirror: z.strictObject({
      variables: z.record(z.string(), z.string()),
      path: z.string().regex(/^\/\w+\/$/),
      registry: z.url(),
    }),
    downloads: names,
    closedNetworks: z.array(z.strictObject({ why: z.string(), networks: names })),
  }),
  "packages/cage/places.json": z.strictObject({
    hidden: z.array(z.strictObject({ why: z.string(), paths })),
    caches: z.array(z.strictObject({ program: z.string(), paths, own: paths })),
    ofTools: z.strictObject({ write: paths, read: paths }),
    shown: names,
    closedInProject: paths,
    variables: names,
    shownInCache: names,
    sharedWithCall: z.string(),
    gitKeys: names,
  }),
  "packages/sandbox/syscalls.json": z.strictObject({ forbidden: syscalls, hidden: syscalls }),
  "packages/jinja/values/entities.json": z.strictObject({
    withoutSemicolon: z.record(z.string(), z.string()),
    withSemicolon: z.record(z.string(), z.string()),
  }),
  "packages/guard-hooks/own-files.json": z.strictObject({ project: paths, user: paths, machine: paths }),
  "packages/guards/effects/intents.json": z.strictObject({
    sameEffect: byName(names),
    synonyms: byName(names),
    ignored: names,
    folders: names,
  }),
  "packages/guards/command/zones.json": z.array(z.strictObject({ zone: z.enum(zone), roots: names })),
  "packages/guards/command/transfer-options.json": z.strictObject({ curl: transfer, wget: transfer }),
  "packages/guards/command/connections.json": byName(connection),
  "packages/guards/command/files/access-rules.json": byName(access),
  "packages/guards/command/files/git-operands.json": byName(z.enum(["read", "write", "delete", "names"])),
  "packages/guards/command/started/command-options.json": byName(
    z.strictObject({
      ...optionFields,
      texts: names.optional(),
      scripts: names.optional(),
      commands: z.array(pattern).optional(),
      readsOperands: z.literal(true).optional(),
      readsInput: z.literal(true).optional(),
      rule: z.enum(["ssh", "socat"]).optional(),
    }),
  ),
  "packages/guards/command/inline-code/functions.json": functions,
  "packages/guards/command/started/launchers.json": launchers,
  "packages/guards/command/started/windows-commands.json": windowsCommands,
  "packages/guards/tool-guesses.json": toolGuesses,
  "packages/guards/command/started/wrappers.json": byName(wrapper),
  "packages/guards/rules/filesystem/effects.json": byName(effect),
  "packages/guards/rules/filesystem/verdicts.json": verdicts,
  "packages/guards/rules/git/settings.json": gitSettings,
  "packages/guards/rules/remote-code/origins.json": byName(origin),
  "packages/guards/rules/agent-config/files.json": z.strictObject({ samples: paths, rows: z.array(configFiles) }),
  "packages/guards/rules/egress/hosts.json": z.strictObject({ metadata: names, paste: names, known: names }),
  "packages/guards/rules/cloud/verbs.json": z.strictObject({
    commands: names,
    others: names,
    tools: z.strictObject({ servers: pattern, verbs: pattern, things: pattern, sure: pattern, publishes: pattern }),
  }),
  "packages/guards/rules/secrets/filters.json": byName(filter),
  "src/protocol/problem-messages/messages.json": messages,
  "src/protocol/problem-messages/warnings.json": z.strictObject({ guard: warnings, other: warnings }),
  "src/redact/token-kinds.json": z.strictObject({ kinds: z.record(z.string(), pattern), marks: names }),
  "src/redact/prefixed-secrets.json": z.array(prefixedSecret),
  "packages/guards/command/inline-code/interpreters.json": z.array(interpreter),
  "src/redact/credential-files.json": credentials,
  "src/audit/credential-folders.json": z.record(z.string(), paths),
  "src/audit/plain-text.json": z.strictObject({ anywhere: clues, besideSeparator: clues }),
  "src/audit/suspected-secrets.json": z.array(suspectedSecret),
  "packages/guards/rules/rules/examples.json": examples,
  "packages/guards/rules/rules/programs.json": z.strictObject({
    names: z.record(names, names),
    programs: byName(
      z.strictObject({
        ...optionFields,
        grammar: z.enum(["curl", "wget"]).optional(),
        abbreviates: z.literal(true).optional(),
        options: z.array(names).optional(),
        commands: z.array(z.string()).optional(),
        splitsNames: z.literal(true).optional(),
      }),
    ),
  }),
  ...Object.fromEntries(GUARDS.map((guard) => [`packages/guards/rules/${guard}/examples.json`, examples])),
};

/** The schemas of all tables; `rules` is that of the rules of a guard, which settings may add to. */
/** @param {z.ZodType} rules @returns {Readonly<Record<string, z.ZodType>>} */
export const tableSchemas = (rules) => ({
  ...TABLE_SCHEMAS,
  ...Object.fromEntries(GUARDS.map((guard) => [`packages/guards/rules/${guard}/rules.json`, rules])),
});

/** The faults of all tables below a folder, as sentences. */
/** @param {string} folder @param {z.ZodType} rules @returns {readonly string[]} */
export function jsonTableFaults(folder, rules) {
  return Object.entries(tableSchemas(rules)).flatMap(([path, schema]) => {
    const read = schema.safeParse(JSON.parse(readFileSync(join(folder, path), "utf8")));
    return read.success ? [] : [`${path}: ${z.prettifyError(read.error)}`];
  });
}

/** @param {string} text */
function isPattern(text) {
  try {
    return new RegExp(text.replace(/\{[a-z ]+\}/g, "x")) instanceof RegExp;
  } catch {
    return false;
  }
}
