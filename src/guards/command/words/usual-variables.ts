import type { CommandPlace } from "../call.ts";

type Usual = (place: CommandPlace) => string | undefined;

const inTemp: Usual = () => "/tmp";
const inProject: Usual = ({ project }) => project;
const inHome =
  (path: string): Usual =>
  ({ home }) =>
    `${home}/${path}`;
const user: Usual = ({ home }) =>
  /^\/(?:home|Users)\/([^/]+)$/.exec(home)?.[1] ?? (home === "/root" ? "root" : undefined);

/** Variables whose value is a convention, where the environment does not set them. */
const USUAL: ReadonlyMap<string, Usual> = new Map([
  ...["TMPDIR", "TMP", "TEMP", "TEMPDIR", "RUNNER_TEMP", "TEST_TMPDIR", "BATS_TMPDIR"].map(
    (name) => [name, inTemp] as const,
  ),
  ...["GITHUB_WORKSPACE", "CI_PROJECT_DIR", "WORKSPACE", "BUILD_SOURCESDIRECTORY", "CIRCLE_WORKING_DIRECTORY"].map(
    (name) => [name, inProject] as const,
  ),
  ...["HOOKCTL_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "TRAVIS_BUILD_DIR"].map(
    (name) => [name, inProject] as const,
  ),
  ["XDG_CACHE_HOME", inHome(".cache")],
  ["XDG_CONFIG_HOME", inHome(".config")],
  ["XDG_DATA_HOME", inHome(".local/share")],
  ["XDG_STATE_HOME", inHome(".local/state")],
  ["CARGO_HOME", inHome(".cargo")],
  ["USER", user],
  ["LOGNAME", user],
  ["SHELL", () => "/bin/bash"],
]);

export const usualValue = (name: string, place: CommandPlace): string | undefined => USUAL.get(name)?.(place);
