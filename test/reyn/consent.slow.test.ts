import { describe } from "vitest";
import { ANSWERS, ENTRIES, testAnswers } from "./consent.ts";

describe.each(ENTRIES)("an entry of a project with $scheme", (entry) => testAnswers(entry, ANSWERS));
