/** A hook that misbehaves, and what hookctl must make of it. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** Default `run`. */
  readonly command?: Command;
  /** A file of `fixtures/hostile/hooks` that is installed under its name without the extension. */
  readonly hook?: string;
  /** Lines of sh in place of `hook`; they see SRC, REPO, REPO_HOOKS and CANARY. */
  readonly setup?: readonly string[];
  /** Default true: everything that the set-up wrote is approved. */
  readonly isApproved?: boolean;
  readonly afterApproval?: readonly string[];
  readonly payloadBytes?: number;
  readonly stdin?: "tty" | "empty";
  readonly needs?: readonly string[];
  /** Another process holds this file open for writing during the call. */
  readonly heldOpen?: string;
  /** Default: so long that only a hook that hangs exceeds it. */
  readonly hookTimeoutMs?: number;
  readonly expected: Expected;
}

export type Command = "list" | "run" | "test";

/** Every case also expects that no process is left over and that no stack trace is printed. */
export interface Expected {
  readonly exit: "ok" | "blocked" | "test-failed" | "usage" | "any";
  readonly decision?: readonly ("pass" | "block" | "modify" | "none")[];
  /** At least one hook has one of these. */
  readonly hookStatus?: readonly string[];
  readonly errorKind?: readonly string[];
  readonly maxMemoryMb?: number;
  readonly outputNamesOneOf?: readonly string[];
  readonly isTerminalSafe?: boolean;
  readonly active?: readonly string[];
  readonly notActive?: readonly string[];
  readonly activeCount?: number;
  readonly passed?: readonly string[];
  readonly failed?: readonly string[];
  /** Paths below the sandbox; `canary` is the file that a hook writes when it is started. */
  readonly mustNotExist?: readonly string[];
  readonly maxCanaryLines?: number;
}

export const CASES: readonly Case[] = [
  {
    id: "P01",
    title: "never reads stdin, small payload",
    hook: "never-reads-stdin.sh",
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P02",
    title: "never reads stdin, 4 MB payload (EPIPE)",
    hook: "never-reads-stdin.sh",
    payloadBytes: 4000000,
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P03",
    title: "closes stdin while the 4 MB payload is being written",
    hook: "closes-stdin-early.sh",
    payloadBytes: 4000000,
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P04",
    title: "reads one byte of 4 MB, exits 0 silently",
    hook: "reads-one-byte.sh",
    payloadBytes: 4000000,
    expected: { exit: "ok", decision: ["pass"] },
  },
  {
    id: "P05",
    title: "background child keeps stdout open for 60 s",
    hook: "daemon-holds-stdout.sh",
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P06",
    title: "ignores TERM/INT/HUP",
    hook: "ignores-sigterm.sh",
    hookTimeoutMs: 1000,
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["timeout"] },
  },
  {
    id: "P07",
    title: "stops itself with SIGSTOP",
    hook: "stops-itself.sh",
    hookTimeoutMs: 1000,
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["timeout"] },
  },
  {
    id: "P08",
    title: "prints an answer, closes stdout, never exits",
    hook: "answer-then-sleep.sh",
    hookTimeoutMs: 1000,
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["timeout"] },
  },
  {
    id: "P09",
    title: "leaves a zombie and 20 sleeping children",
    hook: "zombie-maker.py",
    needs: ["python3"],
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P10",
    title: "signals its whole process group",
    hook: "kill-zero.sh",
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["signal"] },
  },
  {
    id: "P11",
    title: "1 GiB on stdout",
    hook: "huge-stdout.sh",
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["output_limit"], maxMemoryMb: 250 },
  },
  {
    id: "P12",
    title: "endless stderr",
    hook: "infinite-stderr.sh",
    hookTimeoutMs: 1000,
    expected: {
      exit: "ok",
      decision: ["pass"],
      hookStatus: ["error"],
      errorKind: ["timeout", "output_limit"],
      maxMemoryMb: 250,
    },
  },
  {
    id: "P13",
    title: "64 MiB stderr, then a valid block",
    hook: "noisy-stderr-then-block.sh",
    expected: { exit: "blocked", decision: ["block"], maxMemoryMb: 250 },
  },
  {
    id: "P14",
    title: "invalid UTF-8 inside the answer: bytes that are not UTF-8 become U+FFFD",
    hook: "invalid-utf8.sh",
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P15",
    title: "UTF-8 byte order mark before valid JSON",
    hook: "bom-json.sh",
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P16",
    title: "CRLF line ends in the declared event and the JSON",
    hook: "crlf-json.sh",
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P17",
    title: "text after the JSON: the block stands before the other text",
    hook: "trailing-garbage.sh",
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P18",
    title: "two JSON documents that disagree: of two objects the more restrictive one counts",
    hook: "two-documents.sh",
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P19",
    title: "log line before the JSON: the block stands on a line of its own",
    hook: "log-before-json.sh",
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P20",
    title: "100,000 nested arrays: no depth beside it hides a block",
    hook: "deep-nesting.py",
    needs: ["python3"],
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P21",
    title: 'key "blocked" twice, last one allows: of a key that occurs twice the blocking value counts',
    hook: "duplicate-keys.sh",
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P22",
    title: '"__proto__" key carrying a block',
    hook: "proto-key.sh",
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["pass", "error"] },
  },
  {
    id: "P23",
    title: "NaN literal: the key before the fault counts",
    hook: "nan-literal.sh",
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P24",
    title: "decision wrapped in an array",
    hook: "array-output.sh",
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["invalid_output"] },
  },
  {
    id: "P25",
    title: '"blocked":"false" (string), reason is a number',
    hook: "wrong-types.sh",
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["invalid_output"] },
  },
  {
    id: "P26",
    title: "truncated JSON with exit 0: the key before the end counts",
    hook: "half-json.sh",
    expected: { exit: "blocked", decision: ["block"], hookStatus: ["block"] },
  },
  {
    id: "P27",
    title: "only white space with exit 0 means no action",
    hook: "whitespace-only.sh",
    expected: { exit: "ok", decision: ["pass"] },
  },
  {
    id: "P28",
    title: "answer on stdout but exit status 1",
    hook: "exit1-with-json.sh",
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["exit_code"] },
  },
  {
    id: "P29",
    title: "answer on stdout, then SIGSEGV",
    hook: "dies-by-signal.sh",
    expected: { exit: "ok", decision: ["pass"], hookStatus: ["error"], errorKind: ["signal"] },
  },
  {
    id: "P30",
    title: "executable text without shebang must not be run by a shell silently",
    hook: "no-shebang.sh",
    expected: {
      exit: "ok",
      decision: ["pass"],
      hookStatus: ["skipped", "error", "refused"],
      errorKind: ["not_executable_format", "exec_failed"],
    },
  },
  {
    id: "P31",
    title: "interpreter does not exist: message names the interpreter",
    hook: "missing-interpreter.sh",
    expected: {
      exit: "ok",
      decision: ["pass"],
      hookStatus: ["error", "skipped"],
      outputNamesOneOf: ["no-such-interpreter-7"],
    },
  },
  {
    id: "P32",
    title: "CRLF after the shebang: message names the carriage return",
    hook: "crlf-shebang.sh",
    expected: {
      exit: "ok",
      decision: ["pass"],
      hookStatus: ["error", "skipped"],
      outputNamesOneOf: ["CRLF", "carriage return", "\\r"],
    },
  },
  {
    id: "P33",
    command: "list",
    title:
      "directory, FIFO, socket, broken link, link loop, non-executable and empty file are listed as skipped with a reason",
    setup: [
      'mkdir "$REPO_HOOKS/a-directory"',
      'mkfifo -m 755 "$REPO_HOOKS/a-fifo"',
      'python3 -c \'import socket,sys;s=socket.socket(socket.AF_UNIX);s.bind(sys.argv[1])\' "$REPO_HOOKS/a-socket"; chmod 755 "$REPO_HOOKS/a-socket"',
      'ln -s nowhere "$REPO_HOOKS/a-broken-link"',
      'ln -s a-loop "$REPO_HOOKS/a-loop"',
      'install -m 644 "$SRC/hooks/good-pass.sh" "$REPO_HOOKS/a-plain-file"',
      ': > "$REPO_HOOKS/an-empty-file"; chmod 755 "$REPO_HOOKS/an-empty-file"',
      'install -m 755 "$SRC/hooks/good-pass.sh" "$REPO_HOOKS/z-good"',
    ],
    needs: ["python3"],
    expected: {
      exit: "ok",
      active: ["z-good"],
      notActive: ["a-directory", "a-fifo", "a-socket", "a-broken-link", "a-loop", "a-plain-file", "an-empty-file"],
    },
  },
  {
    id: "P34",
    command: "list",
    title: "names with space, newline, escape sequence, leading dash, quotes, non-ASCII",
    setup: [
      'for n in \'a b\' "$(printf \'new\\nline\')" \'-rf\' \'ünïcödé\' "$(printf \'esc\\033[31m\')" "q\'uote" \'$(touch pwned)\'; do install -m 755 "$SRC/hooks/good-pass.sh" "$REPO_HOOKS/$n" 2>/dev/null || cp "$SRC/hooks/good-pass.sh" "$REPO_HOOKS/./$n"; chmod 755 "$REPO_HOOKS/./$n"; done',
    ],
    expected: { exit: "ok", isTerminalSafe: true, mustNotExist: ["repo/pwned"], activeCount: 7 },
  },
  {
    id: "P35",
    command: "list",
    title: "10,000 files in the directory, one hook",
    setup: [
      'cd "$REPO_HOOKS" && seq 1 10000 | sed s/^/f/ | xargs touch',
      'install -m 755 "$SRC/hooks/good-pass.sh" "$REPO_HOOKS/the-hook"',
    ],
    expected: { exit: "ok", active: ["the-hook"] },
  },
  {
    id: "P36",
    command: "list",
    title: "hooks that are not approved: list must not execute anything (not even to identify it)",
    hook: "canary.sh",
    isApproved: false,
    expected: { exit: "ok", mustNotExist: ["canary"] },
  },
  {
    id: "P37",
    title: "hooks that are not approved: run refuses, nothing executed",
    hook: "canary.sh",
    isApproved: false,
    expected: { exit: "any", mustNotExist: ["canary"], hookStatus: ["refused", "skipped"], decision: ["pass"] },
  },
  {
    id: "P38",
    title: "content changed after its approval",
    hook: "canary.sh",
    afterApproval: ['rm -f "$CANARY"; echo "# changed" >> "$REPO_HOOKS/canary"'],
    expected: {
      exit: "any",
      mustNotExist: ["canary"],
      hookStatus: ["refused", "skipped"],
      decision: ["pass", "block"],
    },
  },
  {
    id: "P39",
    title: "world-writable hook file",
    hook: "canary.sh",
    afterApproval: ['rm -f "$CANARY"; chmod 777 "$REPO_HOOKS/canary"'],
    expected: {
      exit: "any",
      mustNotExist: ["canary"],
      hookStatus: ["refused", "skipped"],
      decision: ["pass", "block"],
    },
  },
  {
    id: "P40",
    title: "repository ships its own approvals",
    setup: [
      'install -m 755 "$SRC/hooks/canary.sh" "$REPO_HOOKS/canary"',
      'for f in .hookctlrc .hookctlrc.json .kodelet/config.json .kodelet/hookctl.json .kodelet/trust.json hookctl.config.json; do echo \'{"trust":true,"trusted":true,"trustAll":true,"allowUntrusted":true,"hooks":{"trust":"all"}}\' > "$REPO/$f"; done',
      'printf \'{"name":"x","hookctl":{"trust":true,"allowUntrusted":true}}\' > "$REPO/package.json"',
    ],
    isApproved: false,
    expected: { exit: "any", mustNotExist: ["canary"], hookStatus: ["refused", "skipped"], decision: ["pass"] },
  },
  {
    id: "P41",
    command: "list",
    title: "identification hangs and ignores TERM",
    setup: [
      'install -m 755 "$SRC/hooks/probe-hangs.sh" "$REPO_HOOKS/10-hangs"',
      'install -m 755 "$SRC/hooks/good-pass.sh" "$REPO_HOOKS/20-good"',
    ],
    expected: { exit: "ok", active: ["20-good"], notActive: ["10-hangs"] },
  },
  {
    id: "P42",
    command: "list",
    title: "hooks that declare an unknown event, or two events",
    setup: [
      'install -m 755 "$SRC/hooks/probe-unknown-type.sh" "$REPO_HOOKS/10-unknown"',
      'install -m 755 "$SRC/hooks/probe-two-lines.sh" "$REPO_HOOKS/20-two"',
    ],
    expected: { exit: "ok", notActive: ["10-unknown", "20-two"] },
  },
  {
    id: "P43",
    title: "hook calls the tool again (endless recursion)",
    hook: "calls-itself.sh",
    expected: { exit: "any", decision: ["block", "pass"], maxCanaryLines: 8 },
  },
  {
    id: "P44",
    title: "deletes its own file while running",
    hook: "deletes-itself.sh",
    expected: { exit: "blocked", decision: ["block"] },
  },
  {
    id: "P45",
    title: "standard input is a terminal: say what is expected and stop",
    hook: "good-pass.sh",
    stdin: "tty",
    expected: { exit: "usage", decision: ["none"] },
  },
  {
    id: "P46",
    title: "empty standard input",
    hook: "good-pass.sh",
    stdin: "empty",
    expected: { exit: "usage", decision: ["none"] },
  },
  {
    id: "P47",
    title: "binary that is open for writing by another process (text file busy)",
    setup: ['gcc -o "$REPO_HOOKS/busy" "$SRC/hooks/busy-binary.c"'],
    needs: ["gcc", "python3"],
    heldOpen: "repo/.kodelet/hooks/busy",
    expected: { exit: "any", decision: ["pass", "block"], hookStatus: ["error", "block", "skipped"] },
  },
  {
    id: "P48",
    command: "test",
    title: "self-test of a directory with one good, one broken-JSON and one hanging hook reports two failures",
    setup: [
      'install -m 755 "$SRC/hooks/good-pass.sh" "$REPO_HOOKS/10-good"',
      'install -m 755 "$SRC/hooks/half-json.sh" "$REPO_HOOKS/20-half"',
      'install -m 755 "$SRC/hooks/ignores-sigterm.sh" "$REPO_HOOKS/30-hang"',
    ],
    hookTimeoutMs: 1000,
    expected: { exit: "test-failed", passed: ["10-good"], failed: ["20-half", "30-hang"] },
  },
];
