// Text of the generated parts that no table of the program has.

/** @type {Readonly<Record<string, string>>} */
export const EXIT_WORDS = {
  ok: "Allowed, or the command succeeded.",
  checkFailed:
    "A check of `test`, `check` or `doctor` failed, `try` found no event, or `--strict` found something that would not start; a pack was not changed.",
  blocked: "Blocked, halted, or a person must confirm. Nothing else exits with 2.",
  usage: "Wrong command or option, or no payload.",
  badPayload: "The payload is not valid.",
  fault: "A bug in hookctl, or the run was interrupted.",
  outputLost:
    "Output could not be written (stdout or a file; `head` may leave a text early), or the log could not be read.",
  recursion: "Recursion: hookctl was called from its own hooks.",
  notApproved: "An approval is missing, or `HOOKCTL_TRUST` approves nothing.",
  badConfig: "The settings are not valid.",
};

/** @type {Readonly<Record<string, string>>} */
export const KIND_WORDS = {
  ...{
    duration: 'duration: `"500ms"`, `"5s"`',
    size: 'size: `"64MiB"`, or bytes',
    flag: "`true` or `false`",
    count: "whole number, 0 or more",
  },
  ...{ ruleChoices: "object of `off`, `ask`, `block`" },
  ...{ network: '`"open"`, `"off"` or a list of hosts' },
  ...{ number: "number", texts: "list of strings", match: "object of field paths", durations: "object of durations" },
  ...{ variables: "object of strings", text: "text", sandbox: '`"off"`, `"auto"`, `"require"` or an object' },
};

/** @type {Readonly<Record<string, string>>} */
export const SCHEME_WORDS = { text: "text", command: "text or list", tool: "`server.tool`", push: "object" };

export const FAMILIES = [
  ["USAGE_", "Command line"],
  ["PAYLOAD_", "Payload"],
  ["HOOK_", "A hook that failed or was refused"],
  ["REPLY_", "A response that cannot be read"],
  ["CONFIG_", "Settings"],
  ["CASE_", "Test cases"],
  ["PACK_", "Packs of hooks"],
  ["EXPORT_", "Export"],
  ["SERVE_", "Server"],
  ["", "Other problems"],
];
