import { describe, expect, test } from "vitest";
import type { CommandName } from "../../../../src/cli/command-table.ts";
import type { FileAccess } from "../../command/files/file-access.ts";
import { selfProtection } from "../../rules/self-protection.ts";
import { decisionOf, PLACE, testExamples } from "./examples-of.ts";
import { KNOWN } from "./known.ts";

testExamples(selfProtection, KNOWN);

const decision = (command: string): string => decisionOf(selfProtection, command, KNOWN);

/** What each command is if an agent calls it without options. A new command needs a decision here. */
const DECISIONS: Readonly<Record<CommandName, "block" | "allow">> = {
  overview: "allow",
  list: "allow",
  run: "allow",
  test: "allow",
  // `x` is a folder.
  check: "block",
  completion: "allow",
  try: "allow",
  trust: "block",
  untrust: "block",
  edit: "block",
  add: "block",
  update: "block",
  remove: "block",
  guards: "allow",
  // `x` is no built-in guard.
  enable: "block",
  disable: "block",
  off: "block",
  on: "block",
  block: "block",
  ask: "block",
  allow: "block",
  rules: "allow",
  cage: "allow",
  explain: "allow",
  init: "allow",
  new: "allow",
  payload: "allow",
  schema: "allow",
  state: "allow",
  inbox: "allow",
  bridge: "allow",
  // With --socket it takes the place of the server that others ask.
  serve: "allow",
  install: "allow",
  uninstall: "block",
  adopt: "block",
  seal: "block",
  restore: "block",
  doctor: "allow",
  // `config set` and `config unset` are blocked.
  config: "allow",
  log: "allow",
  report: "allow",
  stats: "allow",
  status: "allow",
  why: "allow",
  // It would take runs away from the person's collector.
  export: "block",
  backtest: "allow",
  replay: "allow",
};

test.each(Object.entries(DECISIONS))("hookctl %s", (name, expected) => {
  expect(decision(`hookctl ${name} x`)).toBe(expected);
  expect(decision(`hookctl ${name} --help`)).toBe("allow");
});

describe("the command is known in each spelling", () => {
  test.each([
    ...[
      "hookctl",
      "/usr/bin/hookctl",
      "\\hookctl",
      "h'ook'ctl",
      "./node_modules/.bin/hookctl",
      "hookctl-linux-x64",
      "/usr/local/bin/hookctl-darwin-arm64",
      "npx hookctl",
      "npx -y hookctl@1.2.3",
    ],
    ...[
      "npx -p hookctl hookctl",
      "npm exec -- hookctl",
      "pnpm exec hookctl",
      "pnpm dlx hookctl",
      "yarn hookctl",
      "yarn dlx hookctl",
      "bunx hookctl",
    ],
    ...[
      "bun x hookctl",
      "node bin/hookctl.js",
      "node --no-warnings /usr/lib/node_modules/hookctl/bin/hookctl.js",
      "sudo -u dev hookctl",
    ],
    ...[
      "env -i HOME=/home/dev hookctl",
      "CLAUDECODE= hookctl",
      "nohup setsid hookctl",
      "timeout 5 hookctl",
      "H=hookctl; $H",
      "xargs hookctl <<<",
    ],
  ])("%s trust", (start) =>
    expect(decision(start.endsWith("<<<") ? `${start} trust` : `${start} trust --yes`)).not.toBe("allow"),
  );
});

test.each(["hookctl", "hookctl.js", "hookctl-linux-x64", "hookctl-linux-arm64-musl", "hookctl-darwin-arm64"])(
  "the program is not replaced: %s",
  (name) => {
    expect(decision(`rm /usr/local/bin/${name}`)).toBe("block");
    expect(decision(`cp x ~/.local/bin/${name}`)).toBe("block");
    expect(decision(`ls -l /usr/local/bin/${name}`)).toBe("allow");
  },
);

describe("edits of an agent's settings by a file tool", () => {
  const SETTINGS = "/home/dev/shop/.claude/settings.json";
  const judged = (oldText: string | null, newText: string | null, path = SETTINGS): string => {
    const access: FileAccess = {
      kind: "write",
      path,
      isGlob: false,
      source: path,
      call: null,
      edit: { oldText, newText },
    };
    return selfProtection.judgeFile?.(access, { place: PLACE, commands: [], ...KNOWN })?.decision ?? "allow";
  };
  const LINE = '{"command":"hookctl bridge claude"}';
  test.each([
    [null, "{}", "ask"],
    [null, `{"hooks":{"PreToolUse":[${LINE}]}}`, "allow"],
    [null, `{"disableAllHooks": true, "hooks":[${LINE}]}`, "block"],
    ["hookctl bridge", "true", "block"],
    [LINE, "", "block"],
    ['"model": "a"', '"model": "b"', "allow"],
    ['"model": "a"', '"model": "a", "disableAllHooks":true', "block"],
    ['"matcher": "*"', '"matcher": "never"', "ask"],
    [LINE, `${LINE}, {"command":"lint"}`, "ask"],
  ] as const)("%j becomes %j: %s", (oldText, newText, expected) => expect(judged(oldText, newText)).toBe(expected));

  test("a file that is hookctl's alone is not edited at all", () => {
    expect(judged("a", "b", "/home/dev/.kodelet/hooks/guard")).toBe("block");
    expect(judged("a", "hookctl", "/home/dev/shop/.opencode/plugins/hookctl.js")).toBe("block");
    expect(judged("a", "b", "/home/dev/shop/.kodelet/hooks.json")).toBe("block");
    expect(judged("a", "b", "/home/dev/shop/.kodelet/hooks/new")).toBe("allow");
  });
});

test.each([
  ...[
    "ln -sf /dev/null ~/.kodelet/hooks.json",
    "mv ~/.kodelet /tmp/x",
    "rm -rf ~/.local",
    "find ~/.kodelet -delete",
    "truncate -s 0 ~/.local/state/hookctl/audit.jsonl",
  ],
  ...[
    "D=~/.local/state; rm -r $D/hookctl",
    "rm ~/.kodelet/$X",
    "tee /etc/hookctl/hooks.json < x",
    "rm ~/.local/bin/hookctl",
    'rm "$(command -v hookctl)"',
    "git -C ~/.kodelet clean -fdx",
  ],
  ...[
    "cp x ~/.local/state/hookctl/approved/../trust.json",
    "cd ~/.kodelet && rm hooks.json",
    "dd if=x of=$HOME/.kodelet/hooks.json",
  ],
])("own files: %s", (command) => expect(decision(command)).toBe("block"));

test.each([
  ...[
    "rm -rf ~/.local/share/x",
    "find $FOLDER '.*' -delete",
    "while :; do killall -USR1 dd; sleep 5; done",
    "while :; do pkill -f nginx; sleep 1; done",
    "echo x > bin/hookctl",
    "ls ~/.kodelet",
    "rm -rf ~",
    "rm -rf .",
    "rm -rf dist",
    "echo x > ~/.local/state/hookctl-old/x",
  ],
  ...[
    "npm uninstall other",
    "npm uninstall -g --prefix hookctl other",
    "ssh host hookctl trust --yes",
    "echo hookctl trust --yes",
    "safe() { hookctl trust --yes; }",
  ],
])("other files and words: %s", (command) => expect(decision(command)).toBe("allow"));

test("an approved hook is not changed, any other may be", () => {
  for (const command of ["echo x > F", "rm F", "mv F F.disable", "chmod -x F", "sed -i d F"]) {
    expect(decision(command.replaceAll("F", ".kodelet/hooks/approved"))).toBe("block");
    expect(decision(command.replaceAll("F", ".kodelet/hooks/new"))).toBe("allow");
  }
  expect(decision("cat .kodelet/hooks/approved")).toBe("allow");
});

describe("what no table classifies may change an own file", () => {
  const OWN = "$HOME/.kodelet/hooks.json";
  test.each([
    ["sort -o F /dev/null", "block"],
    ["yq -i '.guards={}' F", "block"],
    ["ruby -pi -e x F", "block"],
    ["xxd -r x F", "block"],
    ["uniq x F", "block"],
    ["iconv -o F x", "block"],
    ["gpg --output F x", "block"],
    ["script -q F", "block"],
    ["strace -o F ls", "block"],
    ["tree -o F", "block"],
    ["git diff --output=F", "block"],
    ["git archive -o F HEAD", "block"],
    ["rm /proc/self/cwd/../.kodelet/hooks.json", "block"],
    ["rm /./proc//self/cwd/../../dev/.kodelet/hooks.json", "block"],
    ["git clone x F", "ask"],
    ["git worktree add F", "ask"],
    ["gh repo clone x F", "ask"],
    ["npm --prefix=F install x", "ask"],
    ["history -w F", "ask"],
    ["python3 -c 'import sys; open(sys.argv[1], \"w\")' F", "ask"],
    ["node -e 'change(process.argv[1])' F", "ask"],
    ["ln -s F x", "ask"],
    ...["cat", "ls", "stat", "wc", "head", "sort", "xxd", "yq .", "jq .", "grep x", "sed -n 1p", "diff x"].map(
      (reads): [string, string] => [`${reads} F`, "allow"],
    ),
    ...["log --", "blame", "status", "diff", "show", "commit -m x"].map((reads): [string, string] => [
      `git ${reads} F`,
      "allow",
    ]),
    ["echo F", "allow"],
    ["test -f F", "allow"],
    ["time cat F", "allow"],
  ])("%s: %s", (command, expected) => expect(decision(command.replaceAll("F", OWN))).toBe(expected));
});

describe("the server", () => {
  test.each([
    "pkill hookctl",
    "pkill -f -9 hookctl",
    "sudo pkill -f 'node .*hookctl serve'",
    "pkill -f h.okctl",
    "killall -s KILL hookctl",
    "kill $(pgrep hookctl)",
    'kill -9 "$(pidof hookctl)"',
    "kill `ps aux | grep '[h]ookctl' | awk '{print $2}'`",
    "pgrep -f 'hookctl serve' | xargs -r kill",
    "bash -c 'pkill hookctl'",
    "kill $(lsof -t /run/user/1000/hookctl)",
    "fuser -k /run/user/1000/hookctl",
    "service hookctl stop",
    "systemctl --user disable --now hookctl",
    "pm2 delete hookctl",
    "rm /run/user/1000/hookctl",
  ])("%s is blocked", (command) => {
    expect(decision(command)).toBe("block");
  });
  test.each([
    "pkill -f 'npm run dev'",
    "pkill serve",
    "kill %1",
    "kill $(pgrep vite)",
    "pgrep hookctl",
    "ps aux | grep hookctl",
    "systemctl status hookctl",
    "systemctl --user stop postgres",
    "ls /run/user/1000",
    "cat *",
  ])("%s is allowed", (command) => {
    expect(decision(command)).toBe("allow");
  });
});

/** Ways to write a folder whose content no word of the command tells. F: the folder. */
const INTO: readonly string[] = [
  ...["cp -r x/. F", "cp -R x/. F/", "cp -a /tmp/x/. F", "cp -rT x F", "cp --recursive --no-target-directory x F"],
  ...["cp -at F x/.", "cd F && cp -r /tmp/x/. .", "sudo cp -r x/. F", "gcp -r x/.. F", "ditto x F"],
  ...["rsync -a x/ F", "rsync -avz --delete host:x/ F/", "rsync --recursive x/. F", "scp -r host:x/. F"],
  ...[
    "tar -xf x.tar -C F",
    "tar xzf x.tgz --strip-components=1 --directory=F",
    "cat x | tar -x -C F",
    "bsdtar -xf x -C F",
  ],
  ...[
    "cd F && tar xf /tmp/x.tar",
    "unzip x.zip -d F",
    "unzip -oq x.zip -dF",
    "cd F && unzip /tmp/x.zip",
    "7z x x.7z -oF",
  ],
  ...["cd F && cpio -idm < /tmp/x", "cpio -i -D F < /tmp/x", "patch -p1 -d F < x.patch"],
  ...["git clone https://x.example/x.git F", "git worktree add F main"],
  ...["python3 -c \"import shutil; shutil.copytree('x', 'F', dirs_exist_ok=True)\"", "node -e \"fs.cpSync('x', 'F')\""],
];
/** Ways to write one folder, whose name is the last part of F. */
const ONTO: readonly string[] = [
  ...[
    "cp -r /tmp/x/N D",
    "cp -r /tmp/x/N/ D/",
    "rsync -a /tmp/x/N D",
    "mv /tmp/x/N D/",
    "mv -T /tmp/x F",
    "scp -r host:x/N D",
  ],
  ...["tar -xf x.tar -C D N", "cd D && tar xf /tmp/x.tar N", "unzip x.zip N -d D", "cp -r /tmp/x/G D", "mv /tmp/x/G D"],
  ...[
    "ln -s /tmp/x F",
    "ln /tmp/x F",
    "ln -sfn /tmp/x F",
    "ln -sfT /tmp/x F",
    "mount --bind /tmp/x F",
    "mount -o bind /tmp/x F",
  ],
];
const home = (path: string): string => path.replace(/^~/, PLACE.home);
const FOLDERS = ["~/.local/state", "~/.local", "~/.config", "~/.cache", "~/.claude", "/etc", "/run/user/1000"];

describe.each(FOLDERS)("a folder around hookctl's files: %s", (folder) => {
  const [, parent = "", name = ""] = /^(.*)\/(.+)$/.exec(folder) ?? [];
  test.each(INTO)("%s", (way) => expect(decision(way.replaceAll("F", home(folder)))).not.toBe("allow"));
  test.each(ONTO)("%s", (way) => {
    const spelt = { F: folder, D: parent || "/", N: name, G: `${name.slice(0, 2)}*` };
    const command = way.replace(/\b[FDNG]\b/g, (letter) => spelt[letter as keyof typeof spelt]);
    expect(decision(command)).not.toBe("allow");
  });
});

test.each(["~", "/home", "/"])("all of the home may hold them: %s", (folder) => {
  for (const way of INTO) expect(decision(way.replaceAll("F", home(folder)))).not.toBe("allow");
});

describe("ordinary copies, archives and links", () => {
  test.each([
    ...[
      "cp -r x/. ~/.local/share/foo",
      "cp file ~/.local/bin/",
      "cp -r dist/* ~/.local/share/app/",
      "cp -r x ~/.local",
    ],
    ...["cp -r src lib", "cp -a . ../copy", "cp -r x/. .", "cp -rT template .", "cp -r x/.github .", "cp -r x/. src"],
    ...["cp -r nvim ~/.config/", "cp -r my-skill ~/.claude/skills/", "cp -r x ~", "cp -r x/* ~", "cp x/* ~/.config/"],
    ...[
      "cp -r build/. /var/www/html",
      "cp -r x/. /tmp",
      "cp -r x/. /tmp/work",
      "cp -r conf/. /etc/nginx",
      "cp -r $X ~",
    ],
    ...[
      "cp .bashrc ~",
      "cp .env.example .env",
      "cp a.json ~/.config/app.json",
      "cp -r /etc/nginx ./nginx",
      "cp -r ~/.config/nvim .",
    ],
    ...[
      "mv dist/* out/",
      "mv x ~/Downloads/",
      "mv a.txt ~",
      "mv tool ~/.local/bin/tool",
      "mv build/* .",
      "mv *.log /tmp",
    ],
    ...[
      "rsync -a x/ .",
      "rsync -az dist/ host:/srv/www/",
      "rsync -a --delete src/ build/",
      "rsync -an x/ ~/",
      "rsync -a ~/x/ /tmp/x/",
    ],
    ...[
      "tar xf x.tar",
      "tar -xzf x.tgz -C build",
      "tar -xzf go.tgz -C /usr/local",
      "tar -C /opt -xf x.tar",
      "tar -tf x.tar",
    ],
    ...[
      "tar -czf x.tgz -C ~ .bashrc",
      "cd ~ && tar -tzf x.tgz",
      "cd /tmp && tar xf x.tar",
      "tar -xOf x.tar a",
      "tar xf x.tar -C ~ bin",
    ],
    ...[
      "curl -L https://x.example/x.tgz | tar xz -C /tmp",
      "unzip x.zip",
      "unzip -d build x.zip",
      "cd ~ && unzip -l x.zip",
    ],
    ...["7z x x.7z", "7z a x.7z src", "7z x x.7z -o/tmp/x", "find . | cpio -o > /tmp/x", "patch -p1 < x.patch"],
    ...[
      "git clone https://x.example/x.git",
      "git clone https://x.example/x.git ~/src/x",
      "cd ~ && git clone https://x.example/x.git",
    ],
    ...[
      "git worktree add ../feature main",
      "git submodule add https://x.example/x.git vendor/x",
      "git clone x ~/.config/nvim",
    ],
    ...[
      "ln -s ~/dotfiles/.zshrc ~",
      "ln -sf $PWD/bin/x ~/.local/bin/x",
      "ln -s a b",
      "ln -sfn releases/2 current",
      "ln -s ../x .",
    ],
    ...[
      "ln -s ~/dotfiles/nvim ~/.config/nvim",
      "ln -sf /opt/x/bin/x /usr/local/bin/",
      "mount",
      "sudo mount /dev/sdb1 /mnt",
    ],
    ...[
      "pip install --user x",
      "pip install --target ~/.local/lib/x x",
      "npm install -g x",
      "npm install --prefix ~/.local x",
    ],
    ...[
      "install -m 755 tool ~/.local/bin/",
      "install -D tool ~/.local/share/x/tool",
      "mkdir -p ~/.local/state ~/.config",
      "make install PREFIX=~/.local",
    ],
    ...[
      "docker run -v $PWD:/w x cp -r x/. /etc",
      "ssh host 'tar -xf x.tar -C ~/.local'",
      "echo 'cp -r x/. ~/.local' >> notes.md",
    ],
    ...[
      "touch ~/.local/state",
      "ls -la ~/.local/state",
      "du -sh ~/.config",
      "find ~/.config -name '*.json'",
      "tar -czf b.tgz ~/.config",
    ],
  ])("%s", (command) => expect(decision(command)).toBe("allow"));
});
