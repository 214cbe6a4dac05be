export { packCommands } from "./commands/pack-commands.ts";
