export { scriptingCommands } from "./commands/scripting-commands.ts";
