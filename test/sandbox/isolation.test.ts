import { existsSync } from "node:fs";
import { describeProbes } from "./describe-probes.ts";
import { inWorkspace } from "./probe.ts";
import { CONNECT_TCP, tcp } from "./servers.ts";

// One file and one server, each really tried; all other ways out are in isolation-*.slow.test.ts.
describeProbes("out of the sandbox", [
  {
    title: "a new file in the project",
    attempt: `write(host["dir"] + "/project/new", "x")`,
    arrange: async (place) => ({ escaped: () => existsSync(inWorkspace(place, "project/new")) }),
  },
  { title: "TCP to a server on the host", attempt: CONNECT_TCP, arrange: () => tcp("127.0.0.1") },
]);
