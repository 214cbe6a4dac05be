import { type Backend, inMountOrder, type Place, type SandboxPolicy } from "./policy.ts";

/** sandbox-exec of macOS. It becomes the program, whose exit is therefore seen directly. */
export const sandboxExec = (file: string): Backend => ({
  name: "sandbox-exec",
  file,
  wrap: ({ file: program, args, cwd, env }, policy) => ({
    file,
    // A program that begins with a dash would be read as an option.
    args: ["-p", sandboxProfile(policy), program.startsWith("-") ? `./${program}` : program, ...args],
    cwd,
    env,
    inputs: [],
    monitor: null,
  }),
});

/** Devices that every program may write to. */
const OPEN_DEVICES = ["/dev/null", "/dev/zero", "/dev/dtracehelper"];
/** Services that would start programs outside the sandbox. */
const STARTING_SERVICES = [
  "com.apple.coreservices.launchservicesd",
  "com.apple.coreservices.appleevents",
  "com.apple.lsd.open",
];

/** The profile for a policy. The last rule that fits decides. */
export function sandboxProfile({ network, subprocess, unixSockets, places }: SandboxPolicy): string {
  const rule = (verb: "allow" | "deny", operation: string, ...filters: readonly string[]): string =>
    `(${[verb, operation, ...filters].join(" ")})`;
  return [
    "(version 1)",
    "(allow default)",
    rule("deny", "file-write*"),
    rule("allow", "file-write*", ...OPEN_DEVICES.map((path) => `(literal ${quoted(path)})`)),
    ...inMountOrder(places).flatMap((place) =>
      placeRules(place).map(([verb, operation]) => rule(verb, operation, `(subpath ${quoted(place.path)})`)),
    ),
    ...(network ? networkRules(unixSockets) : [rule("deny", "network*")]),
    ...(subprocess ? [] : [rule("deny", "process-fork")]),
    ...["signal", "process-info*"].flatMap((operation) => [
      rule("deny", operation),
      rule("allow", operation, "(target same-sandbox)"),
    ]),
    rule("deny", "mach-lookup", ...STARTING_SERVICES.map((name) => `(global-name ${quoted(name)})`)),
    rule("deny", "appleevent-send"),
    rule("deny", "job-creation"),
  ].join("\n");
}

/** It cannot show other files in the place of a path, so a folder of its own is one that it may not write. */
function placeRules({ access }: Place): readonly (readonly [verb: "allow" | "deny", operation: string])[] {
  if (access === "write")
    return [
      ["allow", "file-read*"],
      ["allow", "file-write*"],
    ];
  if (access === "read")
    return [
      ["allow", "file-read*"],
      ["deny", "file-write*"],
    ];
  return access === "hidden"
    ? [
        ["deny", "file-read-data"],
        ["deny", "file-write*"],
      ]
    : [];
}

/** With network access, sockets of other programs stay closed, except the DNS resolver's. */
const networkRules = (unixSockets: boolean): readonly string[] => [
  ...(unixSockets ? [] : ["(deny network-outbound (remote unix-socket))"]),
  `(allow network-outbound (literal ${quoted("/private/var/run/mDNSResponder")}))`,
];

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;
