import { describe } from "vitest";
import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { testNoHooks } from "./no-hooks.ts";

describe("no hooks configured: the answer is the same bytes as ever, and no process, file or library is behind it", () =>
  testNoHooks(EVENT_NAMES));
