import { describe, expect, test } from "vitest";
import { selfProtection } from "../../rules/self-protection.ts";
import { decisionOf } from "./judge.ts";

describe("a pattern that finds the processes which answer calls", () => {
  test.each([
    "pkill -f 'brid[g]e'",
    "pkill -f 'b.idge claude'",
    "pkill -9 -f 'h[o]okct[l]'",
    "pkill -f -- '--event Pre'",
    "pkill -f 'fail-closed'",
    "pkill -f 'vite|brid[g]e'",
    "pkill -f '(b)ridg+e'",
    "pkill -f '((b)+)+ridge'",
    "pkill -f 'PreToolUse'",
    "killall -r 'h.okctl'",
    "pgrep -f 'brid[g]e' | xargs kill -9",
    "kill $(pgrep -f 'bri[d]ge')",
    "ps aux | grep 'brid[g]e' | awk '{print $2}' | xargs kill",
    "kill $(ps aux | awk '/brid[g]e/ {print $2}')",
    "sudo pkill -f 'brid[g]e'",
  ])("%s", (command) => expect(decisionOf(selfProtection, command)).toBe("block"));
});

describe("a signal by pattern in a loop that does not end", () => {
  test.each([
    "(while :; do pkill -9 -f 'brid[g]e'; done) &",
    "while true; do pkill -9 node; done",
    "while sleep 1; do killall node; done",
    "while date; sleep 1; do pkill sh; done",
    "until false; do kill $(pidof node); done",
    "for ((;;)); do pgrep node | xargs kill; done",
    "nohup bash -c 'while true; do pkill sh; done' &",
    "for i in $(seq 1000); do pkill -f $X; sleep 1; done &",
    "f() { while true; do pkill -f $1; done; }; f node &",
    "watch -n 1 pkill node",
  ])("%s", (command) => expect(decisionOf(selfProtection, command)).toBe("block"));
});

describe("ordinary signals", () => {
  test.each([
    "pkill -f vite",
    "pkill -f 'vite serve'",
    "pkill -f 'node server.js'",
    "pkill -f 'node .*server'",
    "pkill -f serve",
    "pkill -f node",
    "pkill -f 'node|python'",
    "pkill -f ros_bridge",
    "pkill -f claude",
    "pkill node",
    "killall node",
    "killall -r 'chrom.*'",
    "kill %1",
    "kill 1234",
    "kill $!",
    "kill $(lsof -t -i:3000)",
    "kill -9 $(pgrep -f 'next dev')",
    "ps aux | grep -v bridge | grep vite | awk '{print $2}' | xargs kill",
    "while pgrep -f vite; do sleep 1; done",
    "while pkill -f vite; do sleep 1; done",
    "while pgrep vite; do pkill vite; sleep 1; done",
    "pgrep vite | while read p; do kill $p; done",
    'for p in 3000 3001; do pkill -f "port $p"; done',
    "while true; do kill -0 $PID || break; sleep 1; done",
    "while true; do pgrep node; sleep 5; done &",
    "npm run dev & sleep 5; pkill -f vite",
  ])("%s", (command) => expect(decisionOf(selfProtection, command)).toBe("allow"));
});

test("a pattern that may take long to try is judged by its letters", () => {
  expect(decisionOf(selfProtection, `pkill -f '${"(.*)*".repeat(20)}x'`)).toBe("allow");
  expect(decisionOf(selfProtection, `pkill -f '${".*".repeat(20)}x'`)).toBe("allow");
  expect(decisionOf(selfProtection, `pkill -f '${".*".repeat(20)}b.*r.*i.*d.*g.*e'`)).toBe("block");
});
