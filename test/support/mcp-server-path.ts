import { fileURLToPath } from "node:url";

/** fixtures/mcp-server.mjs with the SDK in one file: it starts in a third of the time. The global setup writes it. */
export const MCP_SERVER = fileURLToPath(new URL("../../node_modules/.cache/hookctl/mcp-server.mjs", import.meta.url));
