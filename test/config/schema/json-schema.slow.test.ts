import { allEventNames } from "../../../src/protocol/event.ts";
import { testEventSchemas } from "./event-schema.ts";

testEventSchemas(allEventNames());
