import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { validateWorkflow } from "@action-validator/core";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import packageJson from "../../package.json" with { type: "json" };

const { engines } = packageJson;

const text = readFileSync(fileURLToPath(new URL("../../.github/workflows/release.yml", import.meta.url)), "utf8");

interface Step {
  readonly uses?: string;
  readonly run?: string;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix?: { readonly node?: readonly string[] } };
  readonly needs?: string | readonly string[];
  readonly steps: readonly Step[];
}
const { permissions, jobs } = parse(text) as { readonly permissions: unknown; readonly jobs: Record<string, Job> };
const steps = Object.values(jobs).flatMap((job) => job.steps);

describe("the release workflow", () => {
  test("is valid", () => {
    // The schema of the validator is older than this permission.
    expect(validateWorkflow(text.replace(/^ +attestations: write\n/m, ""))).toMatchObject({ errors: [] });
  });

  test("names every action by its commit, with the version beside it", () => {
    const uses = [...text.matchAll(/uses: (.+)$/gm)].map(([, name]) => name);
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((name) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(name ?? ""))).toEqual([]);
  });

  test("gives no permission to all jobs, and to each what it needs", () => {
    expect(permissions).toEqual({});
    expect(Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]))).toEqual({
      check: { contents: "read" },
      build: { contents: "read" },
      start: { contents: "read" },
      attest: { "id-token": "write", attestations: "write" },
      publish: { "id-token": "write" },
      files: { contents: "write" },
    });
  });

  test("runs no code of the repository in a job that may write", () => {
    const writers = Object.values(jobs).filter((job) => Object.values(job.permissions ?? {}).includes("write"));
    expect(writers).toHaveLength(3);
    const foreign = writers
      .flatMap((job) => job.steps)
      .filter(
        ({ uses = "", run = "" }) =>
          uses.startsWith("actions/checkout@") || /npm (?:ci|install|run|exec)|npx|node /.test(run),
      );
    expect(foreign).toEqual([]);
  });

  test("takes no name from outside into a script, and stores no token", () => {
    expect(steps.filter(({ run = "" }) => run.includes("${{"))).toEqual([]);
    expect(text).not.toMatch(/secrets\./);
  });

  test("publishes only what the tests have passed and what is attested", () => {
    expect(Object.fromEntries(Object.entries(jobs).map(([name, { needs }]) => [name, needs]))).toEqual({
      ...{ check: undefined, build: undefined, start: "build", attest: ["check", "build", "start"] },
      ...{ publish: "attest", files: "publish" },
    });
  });

  test("tests with the oldest Node that the package allows", () => {
    expect(jobs.check?.strategy?.matrix?.node?.map((version) => `>=${version}`)).toContain(engines.node);
  });
});
