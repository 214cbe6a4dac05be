import { existsSync } from "node:fs";
import { canSwitchUser, WHY_SKIPPED } from "../support/as-user.ts";
import { describeProbes } from "./describe-probes.ts";
import { inWorkspace, type Probe } from "./probe.ts";
import { CONNECT_TCP, CONNECT_UNIX, tcp, unixStream } from "./servers.ts";

const cannot = canSwitchUser ? null : WHY_SKIPPED.replace(": skipped, ", "");

/** A few of the other files' probes: without root, bubblewrap works with a namespace of users. */
const probes: readonly Probe[] = [
  { title: "a Unix socket by its path", attempt: CONNECT_UNIX, arrange: unixStream, cannot },
  { title: "a server on the host", attempt: CONNECT_TCP, arrange: () => tcp("127.0.0.1"), cannot },
  {
    title: "a new file in the project",
    attempt: `write(host["dir"] + "/project/new", "x")`,
    arrange: async (place) => ({ escaped: () => existsSync(inWorkspace(place, "project/new")) }),
    cannot,
  },
  {
    title: "the arguments of all processes",
    attempt: `said = str(len([one for one in os.listdir("/proc") if one.isdigit()])) + " processes"`,
    arrange: async () => ({ escaped: (said) => Number(/(\d+) processes/.exec(said)?.[1]) > 5 }),
    cannot,
  },
  {
    title: "its own signal to hookctl",
    attempt: `os.kill(os.getppid(), signal.SIGKILL); time.sleep(1)`,
    arrange: async () => ({ escaped: (said) => said.startsWith("exit") }),
    cannot,
  },
];

describeProbes("an ordinary user's hook reaches nothing:", probes, { isUsers: true });
