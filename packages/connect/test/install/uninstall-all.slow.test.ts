import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { testHomes } from "./uninstalled-homes.ts";

testHomes(AGENT_NAMES, ["absent", "empty", "bare", "odd", "commented"]);
