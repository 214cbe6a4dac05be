import { describe, expect, test } from "vitest";
import { calls } from "./compact.ts";

describe("launchers", () => {
  test.each([
    ["ssh -p 22 me@host 'rm x'", "rm [x] in ? via ssh (remote) remote"],
    ["docker exec -it web rm x", "rm [x] in ? via docker (remote) remote"],
    ["docker compose exec -T web rm x", "rm [x] in ? via docker (remote) remote"],
    ["kubectl exec -n a pod -c b -- rm x", "rm [x] in ? via kubectl (remote) remote"],
    ["git -c alias.z='!rm x' z y", "rm [x, y] via git (shell text)"],
    ["ssh host rm /x localhost", "rm [/x, localhost] in ? via ssh (remote) remote"],
    ["ssh -p 9 me@localhost 'rm /x'", "rm [/x] in ? via ssh (shell text)"],
    ["git submodule foreach 'rm x'", "rm [x] via git (shell text)"],
    ["git bisect run rm x", "rm [x] via git"],
    ["GIT_SSH_COMMAND='rm x' git fetch", "rm [x] via git (shell text)"],
    ["parallel rm {} ::: a b", "rm [b] via parallel (shell text)"],
    ["ls *.o | parallel rm", "rm [*.o~] via parallel (shell text)"],
    ["fd -e o -x rm {}", "rm [./?] via fd"],
    ["npx -y rimraf x", "rimraf [x] via npx"],
    ["poetry run rm x", "rm [x] via poetry"],
    ["watch -n 1 rm x", "rm [x] via watch (shell text)"],
    ["flock -n /tmp/l rm x", "rm [x] via flock"],
    ["flock /tmp/l -c 'rm x'", "rm [x] via flock (shell text)"],
    ["script -qc 'rm x' /dev/null", "rm [x] via script (shell text)"],
    ["su -c 'rm x' root", "rm [x] via su (shell text)"],
    ["tmux new -d 'rm x'", "rm [x] via tmux (shell text)"],
    ["echo rm x | at now", "rm [x] via at (input)"],
    ["sudo --what rm x", "rm [x] via sudo"],
  ])("%s", (command, expected) => expect(calls(command)).toContain(expected));
});

describe("programs with a language of their own", () => {
  test.each([
    ["vim -c ':!rm x' -c q", "rm [x] via vim (shell text)"],
    ["vim -es '+silent !rm x'", "rm [x] via vim (shell text)"],
    ["psql -c '\\! rm x'", "rm [x] via psql (shell text)"],
    ["psql <<E\n\\! rm x\nE", "rm [x] via psql (shell text)"],
    ["sqlite3 a '.shell rm x'", "rm [x] via sqlite3 (shell text)"],
    ["sed -n '1e rm x' a", "rm [x] via sed (shell text)"],
    ["sed 's/.*/rm x/e' a", "rm [x] via sed (shell text)"],
    ["man -P 'rm x' ls", "rm [x] via man (shell text)"],
    ["less '+!rm x' a", "rm [x] via less (shell text)"],
    ["gdb -batch -ex 'shell rm x'", "rm [x] via gdb (shell text)"],
    ["zip a b -T -TT 'rm x'", "rm [x] via zip (shell text)"],
    ["make -f - <<E\nall:\n\t@rm x\nE", "rm [x] via make (shell text)"],
    ["make --eval='a:;rm x' a", "rm [x] via make (shell text)"],
    ["npm pkg set scripts.a='rm x'", "rm [x] via npm (shell text)"],
    ["yarn exec 'rm x'", "rm [x] via yarn (shell text)"],
    ["screen -S a -X stuff 'rm x\\n'", "rm [x] via screen (shell text)"],
    ["git grep --open-files-in-pager='rm x' a", "rm [x] via git (shell text)"],
    ["echo 'rm x' | parallel bash -c {}", "rm [x] via bash (shell text), parallel (shell text)"],
    ["ip netns exec a rm x", "rm [x] via ip"],
    ["pdsh -w a rm x", "rm [x] in ? via pdsh (remote) remote"],
  ])("%s", (command, expected) => expect(calls(command)).toContain(expected));

  test.each(["vim -c 'wq!' a", "sed 's/.*/rm x/' a", "sed '/the e mail/d' a", "less '+/a!b' c", "sqlite3 a '.tables'"])(
    "%s starts nothing else",
    (command) => expect(calls(command)).toHaveLength(1),
  );
});

describe("scripts that the command wrote itself", () => {
  test.each([
    ["echo 'rm x' > a.sh; ./a.sh", "rm [x] via sh (shell text), ./a.sh"],
    ["echo 'rm x' > a.sh; sh -c ./a.sh", "rm [x]"],
    ["echo 'rm x' | tee b/a.sh; cd b && bash a.sh", "rm [x] in /home/dev/project/b via bash"],
    ["printf '#!/usr/bin/env python3\\nimport os\\nos.remove(\"x\")' > a; ./a", "rm [x] via python3 (inline code)"],
    ["tee a.mjs <<E\nimport { rm } from 'fs/promises'; rm('x')\nE\nnode ./a.mjs", "rm [-rf, x] via node (inline code)"],
  ])("%s", (command, expected) =>
    expect(calls(command).filter((line) => line.startsWith(expected.replace("./a.sh", "a.sh")))).toHaveLength(1),
  );
});

describe("inline code", () => {
  test.each([
    [`python3 -c 'import os; os.system("rm x")'`, "rm [x] via python3 (inline code)"],
    [`python3 -c 'import subprocess as s; s.run(["rm", "x"])'`, "rm [x] via python3 (inline code)"],
    [`python3 -c 'import shutil; p = "x"; shutil.rmtree(p)'`, "rm [-rf, x] via python3 (inline code)"],
    [`python3 -c 'from pathlib import Path; Path("x").unlink()'`, "rm [x] via python3 (inline code)"],
    [`python3 -c 'open("x", "w").write("y")'`, "tee [x] via python3 (inline code)"],
    ["python3 <<E\nimport os\nos.remove(os.path.expanduser('~/x'))\nE", "rm [/home/dev/x] via python3 (inline code)"],
    [`node -e 'require("fs").rmSync(process.env.HOME + "/x")'`, "rm [-rf, /home/dev/x] via node (inline code)"],
    [`node -e 'require("child_process").spawn("rm", ["x"])'`, "rm [x] via node (inline code)"],
    [`perl -e 'system("rm", "x"); unlink "y"'`, "rm [y] via perl (inline code)"],
    [`perl -e 'open(F, ">", "x")'`, "tee [x] via perl (inline code)"],
    [`ruby -e 'FileUtils.rm_rf("x")'`, "rm [-rf, x] via ruby (inline code)"],
    [`ruby -e '%x(rm x)'`, "rm [x] via ruby (inline code)"],
    [`awk 'BEGIN { system("rm x") }'`, "rm [x] via awk (inline code)"],
    [`php -r 'shell_exec("rm x");'`, "rm [x] via php (inline code)"],
    [`python3 -c 'import os; os.remove(name)'`, "rm [?] via python3 (inline code)"],
  ])("%s", (command, expected) => expect(calls(command)).toContain(expected));

  test.each([`python3 -c 'print("rm -rf /")'`, `node -e 'console.log("rm x")'`, `perl -pe 's/rm x/y/' file`])(
    "a text that is only printed is no call: %s",
    (command) => expect(calls(command).filter((one) => one.startsWith("rm"))).toEqual([]),
  );
});
