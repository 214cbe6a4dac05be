import { describe } from "vitest";
import { ANSWERS, testAnswers } from "./own-commands.ts";

describe("with own_commands: ask", () => testAnswers(ANSWERS));
