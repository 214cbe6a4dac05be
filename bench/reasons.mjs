/** Why a target is missed, for the performance page: what costs the rest. */
export const WHY = {
  start: "After Node's own start, hookctl's code is loaded and looks for settings and hooks",
  native: "The runtime in the executable starts, and hookctl looks for settings and hooks",
  hook: "A hook is found, its approval checked, its process started with limits and a group, its response checked and recorded; the code for that is loaded first",
  process: "A runtime of tens of megabytes starts a process at two to three times the price that a small program pays",
  identity: "Every hook's file is compared with what is known of it, and the code for hooks is loaded",
  guard: "The code of hooks, the guards' rules and the record is loaded, and the call is recorded",
  limits: "A start has limits, a process group, and a search for what it leaves behind",
  checks: "Each hook also gets the checks of the protocol and copies of its folder",
  redaction: "Every line is searched for many kinds of secrets",
  sandbox: "Bubblewrap builds a file system for each hook",
  served:
    "Every look at settings, approvals and hooks folders is repeated for every request, and a guard's call is recorded",
  servedHook:
    "Every look at settings, approvals and hooks is repeated, as is that for processes that a hook left behind; its response is checked and recorded",
  servedHookOnNode:
    "Node copies the table of its memory for each start, and a server has more of it; every look at settings, approvals and hooks is repeated, as is that for processes that a hook left behind; its response is checked and recorded",
  session: "Every call starts Node",
  sessionNative: "Every call starts the executable, and the guard from it",
};
