import { EVENT_NAMES } from "../../src/protocol/event.ts";
import { testNewHooks } from "./new-hooks.ts";

testNewHooks(EVENT_NAMES, ["bash", "typescript", "python", "node"]);
