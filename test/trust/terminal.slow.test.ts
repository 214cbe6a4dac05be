import { describe } from "vitest";
import { hasScript } from "../support/on-terminal.ts";
import { ASKS, REVIEWS, testTerminal } from "./terminal.ts";

describe.skipIf(!hasScript)("on a terminal (needs script of util-linux)", () => testTerminal(REVIEWS, ASKS));
