import { AGENT_NAMES } from "../../src/agents/agent.ts";
import { testInstalledLines } from "./installed-lines.ts";

testInstalledLines(AGENT_NAMES);
