import { AGENT_NAMES } from "../../../../src/protocol/agent-names.ts";
import { testAgentTrust } from "./agent-trust.ts";
import { testInstalledLines } from "./installed-lines.ts";

testInstalledLines(AGENT_NAMES);
testAgentTrust(AGENT_NAMES);
