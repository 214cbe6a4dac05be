import { test } from "vitest";
import { expectAllCounted } from "./counting-processes.ts";

test("60 processes at once count one key without losing one, though some wait for long", () => expectAllCounted(60));
