import { AGENT_NAMES } from "../../src/agents/agent.ts";
import { testAllowing } from "./missing-program.ts";

testAllowing(AGENT_NAMES);
