// What hookctl costs inside a live process.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sampleBy } from "../child.mjs";
import { FIRST_HOOK } from "../workspace.mjs";

/** @import { Preparation } from "../group.mjs" */

const REDACTION = fileURLToPath(new URL("redaction-child.mjs", import.meta.url));
/** So many MB in one process, without what it takes to start it and to make them. */
const MEGABYTES = 8;
/** 12,000 requests in a second of one processor. */
const THOUSAND_MS = 1000 / 12;
const SPAWN = { against: "`child_process.spawn`", theirs: { raw: 1 } };
const WHY_LIMITS = "A start has limits, a process group, and a search for what it leaves behind";
const WHY_REDACTION = "Every line is searched for many kinds of secrets";
const WHY_SERVED =
  "Settings, approvals and hooks folders are read again for every request, and a guard's call is recorded";
/** What each request to a server costs that starts a hook. */
const WHY_SERVED_HOOK =
  "Node copies its page table for each start, and that of a server is larger; settings, approvals and hooks are read again, and processes that a hook left behind are searched for; its response is checked and recorded";

/** @type {Readonly<Record<string, Preparation>>} */
export const IN_PROCESS = {
  /** Our side of one start, against child_process alone. */
  P8: ({ workspace, dist, payload }) => {
    const scene = workspace.scene({ hooks: 1 });
    const what = "one start in a live process";
    return {
      figures: [{ ...SPAWN, what, ours: { library: 1 }, target: 1.2, whyMissed: WHY_LIMITS }],
      sample: sampleBy("library-child.mjs", { dist, file: join(scene.userHooks, FIRST_HOOK), input: payload }, scene),
    };
  },

  /** The evaluation of 1,000 shell commands by all guards, against parsing them. */
  P10: ({ workspace, dist }) => ({
    figures: [
      { what: "all guards, 1,000 commands", ours: { guards: 1 }, against: "parsing alone", theirs: { parser: 1 } },
    ],
    sample: sampleBy("guards-child.mjs", { dist }, workspace.scene()),
  }),

  /** 1 MB redacted, against what one shell hook adds to a run. */
  P12: ({ workspace, commands, dist }) => {
    const none = workspace.scene();
    const child = (/** @type {"redact" | "keep"} */ what) =>
      commands.plain(none, [process.execPath, REDACTION, `${dist}src/audit/redact.js`, String(MEGABYTES), what]);
    return {
      commands: {
        kept: child("keep"),
        redacted: child("redact"),
        none: commands.run(none),
        hook: commands.run(workspace.scene({ hooks: 1 })),
      },
      figures: [
        {
          what: "1 MB of output redacted",
          ours: { redacted: 1 / MEGABYTES, kept: -1 / MEGABYTES },
          against: "one sh hook in a run",
          theirs: { hook: 1, none: -1 },
          target: 1,
          whyMissed: WHY_REDACTION,
        },
      ],
    };
  },

  /** Requests to a warm `hookctl serve`. */
  P15: ({ workspace, program, payload }) => {
    if (!existsSync("/proc/self/stat")) return { skipped: "the server's processor time is read in /proc" };
    const guards = { filesystem: true, git: true, secrets: true };
    const [none, guarded] = [workspace.scene(), workspace.scene({ config: { guards } })];
    const hooked = workspace.scene({ hooks: 1 });
    for (const { home } of [none, guarded, hooked]) mkdirSync(join(home, ".git"));
    const task = {
      argv: program,
      payload,
      hook: join(hooked.userHooks, FIRST_HOOK),
      scenes: { none, guarded, hooked },
    };
    const below = (/** @type {number} */ ms) => ({ target: ms, whyMissed: WHY_SERVED });
    /** @type {{ measure: "wallMs" }} */
    const byClock = { measure: "wallMs" };
    return {
      mostRounds: 15,
      figures: [
        { ...below(THOUSAND_MS), what: "1,000 requests to serve, no hooks", ours: { thousand: 1 } },
        { ...byClock, ...below(0.5), what: "three guards in serve, median of 50", ours: { guards: 1 } },
        { ...byClock, ...below(3), what: "three guards in serve, slowest of 50", ours: { slowest: 1 } },
        {
          ...byClock,
          ...below(1.15),
          ...SPAWN,
          what: "one sh hook in serve",
          ours: { hook: 1 },
          whyMissed: WHY_SERVED_HOOK,
        },
      ],
      sample: sampleBy("serve-child.mjs", task, none),
    };
  },
};
