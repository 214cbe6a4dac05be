import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { sourceFiles, sourceText } from "../../../../test/support/sources.ts";

/** The server itself, and the command that it is for each call. What they load waits or does not. */
const ENTRIES = ["packages/connect/resident/resident-server.ts", "packages/connect/commands/bridge.ts", "src/host.ts"];

/** What belongs to the process of the server, and not to the caller of a call, by the source that asks for it. */
const OF_THE_PROCESS =
  /\bprocess\s*\.\s*(?:env|cwd|umask|argv|stdin|ppid|chdir)\b|\b(?:tmpdir|homedir|userInfo)\(\)|\.umask\(/g;

const ALLOWED: Readonly<Record<string, { readonly uses: readonly string[]; readonly because: string }>> = {
  "packages/sdk/serve/socket.ts": { uses: ["process.umask"], because: "the mode of the socket, before the first call" },
  "src/engine/run/call-origin.ts": { uses: ["userInfo()"], because: "callers have the server's user" },
  "src/trust/hook-files/command-files.ts": { uses: ["homedir()"], because: "callers have the server's HOME" },
  "src/trust/store/last-known-guards.ts": { uses: ["userInfo()"], because: "callers have the server's user" },
};

const files = new Set(sourceFiles());

/** The files that a file loads, at once or later; types are gone by then. */
function loadedBy(path: string): readonly string[] {
  const text = withoutComments(sourceText(path));
  const fixed = [...text.matchAll(/^(?:import|export)(?!\s+type\b)[^;"]*?(?:\bfrom\s*)?"(\.[^"]+)"/gm)];
  const late = [...text.matchAll(/\b(?:import|require)\(\s*"(\.[^"]+)"\s*\)/g)];
  const paths = [...fixed, ...late].map(([, to = ""]) => posix.normalize(posix.join(posix.dirname(path), to)));
  return paths.filter((one) => files.has(one));
}

const withoutComments = (text: string): string => text.replaceAll(/^\s*\/\/.*$|\/\*[\s\S]*?\*\//gm, "");

function reachable(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const waiting = [...ENTRIES]; waiting.length > 0; ) {
    const path = waiting.pop() ?? "";
    if (found.has(path)) continue;
    found.add(path);
    waiting.push(...loadedBy(path));
  }
  return found;
}

describe("a server answers in the world of its caller", () => {
  const paths = [...reachable()].sort();
  const used = paths.flatMap((path) => {
    const uses = [...withoutComments(sourceText(path)).matchAll(OF_THE_PROCESS)].map(([use]) =>
      use.replaceAll(/\s/g, ""),
    );
    return uses.length === 0 ? [] : [[path, [...new Set(uses)].sort()] as const];
  });

  test("what it loads includes the guards, the engine and the agents", () => {
    expect(paths).toEqual(
      expect.arrayContaining([
        "packages/guard-hooks/invoke-guard.ts",
        "src/engine/run/run-record.ts",
        "packages/connect/bridge/trouble.ts",
        "src/process/spawn-child.ts",
      ]),
    );
  });

  test("and asks nothing of its own process but what is named here", () => {
    expect(Object.fromEntries(used)).toEqual(
      Object.fromEntries(Object.entries(ALLOWED).map(([path, { uses }]) => [path, uses])),
    );
  });
});
