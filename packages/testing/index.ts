export { testingCommands } from "./commands/testing-commands.ts";
