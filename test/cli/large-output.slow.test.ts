import { test } from "vitest";
import { expectRedacted } from "./redacted-output.ts";

test("the redactor gives back a tool output of 40 MiB", { timeout: 600_000 }, () => expectRedacted(40 * 1024 * 1024));
