export { insightCommands } from "./commands/insight-commands.ts";
