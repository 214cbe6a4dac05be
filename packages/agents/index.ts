export { AGENTS } from "./agents.ts";
export { loadAgent } from "./load-agent.ts";
