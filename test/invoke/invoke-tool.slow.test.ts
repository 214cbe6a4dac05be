import { describe } from "vitest";
import { FAILING, testFailingTools } from "./failing-tools.ts";

describe("a tool that gives no answer has failed", () => testFailingTools(FAILING));
