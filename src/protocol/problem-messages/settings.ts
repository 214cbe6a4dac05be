import type { CaseProblem, ConfigProblem, Explanation } from "../problem.ts";
import { didYouMean } from "../text/nearest.ts";
import { shellQuote } from "../text/shell-quote.ts";
import { truncate } from "../text/text.ts";

export function explainSettings(problem: ConfigProblem): Explanation {
  const { file } = problem;
  switch (problem.code) {
    case "CONFIG_NOT_READABLE":
      return { summary: `${file} cannot be read: ${problem.cause}`, hint: "Check its path and permissions." };
    case "CONFIG_NOT_PARSED":
      return { summary: `${file} cannot be parsed: ${problem.cause}`, hint: "Settings are JSON or YAML." };
    case "CONFIG_UNKNOWN_KEY":
      return {
        summary: `${file}: unknown key "${truncate(problem.key, 60)}" in ${problem.entry}${didYouMean(problem.nearest)}`,
        hint: "Remove it, or correct the name.",
      };
    case "CONFIG_BAD_VALUE":
      return {
        summary: `${file}: ${problem.entry} is not valid: ${problem.detail}`,
        hint: "All keys: docs/configuration.md",
      };
    case "CONFIG_TEMPLATE":
      return {
        summary: `${file}: the template in ${problem.entry} cannot be compiled: ${truncate(problem.cause, 200)}`,
        hint: "Templates are Jinja2: docs/templates.md",
      };
    case "CONFIG_USER_ONLY":
      return {
        summary: `${file}: ${problem.entry} is only allowed in your user settings`,
        hint: `Move it to ${problem.userFile}`,
      };
    case "CONFIG_SECOND_FILE":
      return {
        summary: `two settings files: ${file} and ${problem.second}, and only one is allowed`,
        hint: `Move everything to one of them and delete the other. See both: ls -l ${shellQuote(file)} ${shellQuote(problem.second)}`,
      };
    case "CONFIG_CONTRADICTION":
      return { summary: `${file}: ${problem.entry}: ${problem.detail}`, hint: "Choose one of the two." };
  }
}

export function explainTestCase(problem: CaseProblem): Explanation {
  const where = `Test cases in ${problem.file}${problem.line === null ? "" : `:${problem.line}`}`;
  switch (problem.code) {
    case "CASE_NOT_READABLE":
      return { summary: `${where} cannot be read: ${problem.cause}`, hint: "Check its path and permissions." };
    case "CASE_NOT_WRITTEN":
      return {
        summary: `The snapshots in ${problem.file} cannot be written: ${problem.cause}`,
        hint: "Check its path and permissions.",
      };
    case "CASE_NOT_PARSED":
      return { summary: `${where} cannot be parsed: ${problem.cause}`, hint: "Test cases are JSON or YAML." };
    case "CASE_UNKNOWN_KEY":
      return {
        summary: `${where}: unknown key "${truncate(problem.key, 60)}" in ${problem.place}${didYouMean(problem.nearest)}`,
        hint: "Remove it, or correct the name.",
      };
    case "CASE_BAD_VALUE":
      return {
        summary: `${where}: ${problem.place} is not valid: ${problem.detail}`,
        hint: "All keys of a test case: hookctl schema case",
      };
    case "CASE_UNKNOWN_HOOK":
      return {
        summary: `${where}: there is no ${problem.kind} ${problem.hook}${didYouMean(problem.nearest)}`,
        hint: "Correct the name, or delete the test cases.",
      };
  }
}
