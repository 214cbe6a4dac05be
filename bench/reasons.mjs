/** Why a target is missed, for the performance page: what costs the rest. */
export const WHY = {
  start: "after Node's own start, hookctl's code is loaded and looks for settings and hooks",
  native: "the runtime in the executable starts, and hookctl looks for settings and hooks",
  hook: "a hook is found, its approval checked, its process started with limits and a group, its response checked and recorded; the code for that is loaded first",
  process: "a runtime of tens of megabytes starts a process at two to three times the price that a small program pays",
  identity: "every hook's file is compared with what is known of it, and the code for hooks is loaded",
  parser: "the shell parser and the guards' rules are loaded",
  limits: "a start has limits, a process group, and a search for what it leaves behind",
  checks: "each hook also gets the checks of the protocol and copies of its folder",
  redaction: "every line is searched for many kinds of secrets",
  sandbox: "bubblewrap builds a file system for each hook",
  session: "every call starts Node",
  sessionNative: "every call starts the executable, and the guard from it",
};
