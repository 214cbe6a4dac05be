export { authoringCommands } from "./commands/authoring-commands.ts";
