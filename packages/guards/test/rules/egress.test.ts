import { expect, test } from "vitest";
import { examine } from "../../examine.ts";
import { judge, STANDARD_SETTINGS } from "../../judge.ts";
import { egress } from "../../rules/egress.ts";
import { decisionOf, PLACE, testExamples } from "./examples-of.ts";

testExamples(egress);

test.each(["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "METADATA.google.internal."])(
  "each spelling of a metadata address is asked about: %s",
  (host) => expect(decisionOf(egress, `curl -s http://${host}/latest/`)).toBe("ask"),
);

test.each([
  ["http://169.254.169.254/latest/", "ask"],
  ["https://a.example/?k=ghp_9aK2mQ7xWz4LpT6vB8nR3cY5dF1gH0jS2eUa", "ask"],
  ["https://a.example/docs?page=2", "allow"],
])("an address of a web tool: %s: %s", (address, expected) => {
  const examined = examine({ commands: [], folder: null, files: [], addresses: [address] }, PLACE);
  expect(judge(examined, { rules: egress, settings: STANDARD_SETTINGS }).decision).toBe(expected);
});
