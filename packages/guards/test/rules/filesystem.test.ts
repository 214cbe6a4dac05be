import { describe, expect, test } from "vitest";
import { filesystem } from "../../rules/filesystem.ts";
import { decisionOf, judge } from "./judge.ts";

const decide = (command: string): string => decisionOf(filesystem, command);

/** What each program does to a path of each zone. */
const ZONES: readonly { path: string; tree: string; file: string; overwrite: string; mode: string }[] = [
  { path: "/", tree: "block", file: "block", overwrite: "allow", mode: "block" },
  { path: "/etc", tree: "block", file: "allow", overwrite: "allow", mode: "block" },
  { path: "/etc/passwd", tree: "block", file: "block", overwrite: "block", mode: "block" },
  { path: "/opt/tool/lib", tree: "ask", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "/var/cache/apt", tree: "allow", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "~", tree: "block", file: "allow", overwrite: "allow", mode: "block" },
  { path: "/home", tree: "block", file: "allow", overwrite: "allow", mode: "block" },
  { path: "~/notes", tree: "ask", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "~/.bashrc", tree: "ask", file: "ask", overwrite: "ask", mode: "ask" },
  { path: "~/old/node_modules", tree: "allow", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "../other", tree: "ask", file: "allow", overwrite: "allow", mode: "ask" },
  { path: ".", tree: "block", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "./*", tree: "block", file: "ask", overwrite: "allow", mode: "ask" },
  { path: ".git", tree: "block", file: "block", overwrite: "allow", mode: "ask" },
  { path: ".git/HEAD", tree: "block", file: "block", overwrite: "ask", mode: "ask" },
  { path: ".git/index.lock", tree: "ask", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "src", tree: "allow", file: "allow", overwrite: "allow", mode: "allow" },
  { path: "src/*", tree: "allow", file: "allow", overwrite: "allow", mode: "allow" },
  { path: "src/..", tree: "block", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "/tmp/x", tree: "allow", file: "allow", overwrite: "allow", mode: "allow" },
  { path: "/tmp", tree: "ask", file: "allow", overwrite: "allow", mode: "ask" },
  { path: "/dev/sda", tree: "block", file: "block", overwrite: "block", mode: "block" },
  { path: "/dev/null", tree: "allow", file: "allow", overwrite: "allow", mode: "allow" },
  { path: '"$X"', tree: "ask", file: "allow", overwrite: "allow", mode: "allow" },
  { path: '"$X"/lib', tree: "ask", file: "allow", overwrite: "allow", mode: "allow" },
  { path: "build/$X", tree: "allow", file: "allow", overwrite: "allow", mode: "allow" },
  { path: "/$X", tree: "block", file: "block", overwrite: "allow", mode: "block" },
];

describe.each(ZONES)("$path", ({ path, tree, file, overwrite, mode }) => {
  test.each(["rm -r", "rm --recurs", "find", "mv -t /dev/null", "tar -cf a.tar --remove-files", "rimraf"])(
    "%s",
    (program) => {
      if (program.startsWith("mv -t")) expect(decide(`mv ${path} /dev/null`)).toBe(tree);
      else if (program === "find") expect(decide(`find ${path} -delete`)).toBe(tree);
      else expect(decide(`${program} ${path}`)).toBe(tree);
    },
  );

  test("deleted as a file", () => {
    expect(decide(`rm -f ${path}`)).toBe(file);
    expect(decide(`unlink ${path}`)).toBe(file);
  });

  test("overwritten by a redirection", () => {
    expect(decide(`echo x > ${path}`)).toBe(overwrite);
    expect(decide(`echo x | tee ${path}`)).toBe(overwrite);
    const append = path === "/dev/sda" ? "block" : path === "/etc/passwd" ? "ask" : "allow";
    expect(decide(`echo x >> ${path}`)).toBe(append);
  });

  test("opened to everybody", () => {
    expect(decide(`chmod -R 777 ${path}`)).toBe(mode);
    expect(decide(`chmod --recursive a+rwX ${path}`)).toBe(mode);
  });
});

const COMMANDS: readonly [string, string][] = [
  ["while true; do ./work & (wait); done", "block"],
  ["while true; do (./work &); wait; done", "block"],
  ["while true; do wait; ./work & disown; done", "block"],
  ["while true; do ./work & if false; then break; fi; done", "block"],
  ["while true; do ./work & wait; done", "allow"],
  ["while true; do ./work & sleep 60; done", "allow"],
  ["while read -r x; do ./work & echo $x; done", "allow"],
  ["ruby -e 'loop { fork }'", "block"],
  ["python3 -c 'import os\nwhile True: os.fork()'", "block"],
  ["perl -e 'my $p = fork; while (<>) { print }'", "allow"],
  ["rm -rf ~/*", "block"],
  ["rm -rf ~/.[!.]*", "block"],
  ["rm -rf $X/*", "ask"],
  ["rm -rf -- -rf ~", "block"],
  ["rm $FLAGS /etc/nginx", "ask"],
  ["rm --help -rf /", "allow"],
  ["rm -rf \\~", "allow"],
  ["rm -rf '*'", "allow"],
  ['for f in *; do rm -rf "$f"; done', "block"],
  ["cd $X && rm -rf build", "ask"],
  ['rm -rf "$X/node_modules"', "allow"],
  ["rm -rf /root/.cache /root/.npm ~/.npm/_cacache ~/.m2/repository /var/cache/apt", "allow"],
  ["rm -rf /root", "block"],
  ["rm -rf /root/.cache/..", "block"],
  ["rm -rf /root/.cached", "block"],
  ["rm -rf /var/cache", "block"],
  ["rm -rf /var/lib/apt", "ask"],
  ["rm -f .git/hooks/*", "ask"],
  ["rm .git/hooks/pre-commit.sample", "allow"],
  ["rm -rf .git/hooks", "ask"],
  ["mv .git/hooks/pre-push /tmp/pre-push", "ask"],
  ["> .git/hooks/pre-commit", "ask"],
  ["echo exit 0 | tee .git/hooks/pre-commit", "ask"],
  ["truncate -s 0 .git/hooks/pre-commit", "ask"],
  ["cp /dev/null .git/hooks/pre-commit", "ask"],
  ["cp scripts/check .git/hooks/pre-commit", "allow"],
  ["chmod -x .git/hooks/pre-commit", "ask"],
  ["chmod -R a-x .git/hooks", "ask"],
  ["chmod 644 .git/hooks/pre-commit", "ask"],
  ["chmod 755 .git/hooks/pre-commit", "allow"],
  ["chmod u+x,go-w .git/hooks/pre-commit", "allow"],
  ["printf '#!/bin/sh\\nexit 0\\n' > .git/hooks/pre-commit", "ask"],
  ["printf '#!/bin/sh\\nnpm test\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit", "allow"],
  ["cat > .git/hooks/pre-commit <<'X'\n#!/bin/sh\nnpm test\nX", "allow"],
  ["curl -s https://h.example/x > .git/hooks/pre-commit", "ask"],
  ["find /var/www -type f | xargs chmod 644", "allow"],
  ["find /var/www -type d -exec chown www-data {} +", "allow"],
  ["chown -R me /opt/app", "allow"],
  ["chown -R me /usr/local", "ask"],
  ["chown -R me /var/lib", "block"],
  ["chmod -R 777 /var/www", "ask"],
  ["find / -group 2000 -exec chgrp -h staff {} ';'", "ask"],
  ["find ~ -group 2000 -exec rm -rf {} +", "block"],
  ["chmod o-w /etc/sudoers", "allow"],
  ["chmod 0440 /etc/sudoers.d/app", "allow"],
  ["chown root:root /etc/sudoers", "allow"],
  ["chmod o+r /etc/shadow", "block"],
  ["chmod 644 /etc/shadow", "block"],
  ["chown me /etc/sudoers", "block"],
  ["chgrp gpio /sys/class/gpio/export", "allow"],
  ["echo 4 > /sys/class/gpio/export", "allow"],
  ["echo 1 | sudo tee /sys/bus/pci/rescan", "ask"],
  ["echo 1 > /sys/firmware/efi/efivars/x", "block"],
  ["rm /etc/nginx/nginx.conf", "ask"],
  ["cd build && rm -rf ..", "block"],
  ["(cd ..); rm -rf build", "allow"],
  ["find . -name '*.log' -delete", "allow"],
  ["find . -name '*' -delete", "block"],
  ["find / -name core -delete", "ask"],
  ["find src -delete", "allow"],
  ["find . ! -path './.git/*' -delete", "ask"],
  ["find . -not -name x -delete", "ask"],
  ["find . -not '(' -name x -o -name y ')' -delete", "ask"],
  ["find . -path ./.git -prune -o -type f -delete", "ask"],
  ["find . -type f ! -name x -exec rm {} +", "ask"],
  ["find . -type f ! -name x | xargs rm", "ask"],
  ["find . -name '*.o' ! -path './.git/*' -delete", "allow"],
  ["find . -name build -prune -exec rm -rf {} +", "allow"],
  ["find src ! -name x -delete", "allow"],
  ["fd . / -x rm -rf", "block"],
  ["fdfind -H . -X rm", "block"],
  ["fd -X rm -rf", "block"],
  ["fd . ~ | xargs rm -rf", "block"],
  ["fd -e o -X rm", "allow"],
  ["fd '^build$' -t d -X rm -rf", "allow"],
  ["fd . src -X rm", "allow"],
  ["find . -exec echo -delete ';'", "allow"],
  ["find . -name -delete", "allow"],
  ["find . -type f -exec rm {} +", "block"],
  ["find . -type f | xargs rm", "block"],
  ["find . -name '*.o' -print0 | xargs -0 rm -f", "allow"],
  ["find . -type f -exec rm {}.bak ';'", "allow"],
  ["git ls-files -d | xargs rm", "allow"],
  ["ls | xargs rm -rf", "block"],
  ["cat list | xargs rm -rf", "ask"],
  ["rsync -avn --delete src/ /srv", "allow"],
  ["rsync -av --delete src/ host:/srv", "ask"],
  ["rsync -av src/ /srv", "allow"],
  ["mv .git /tmp/old", "ask"],
  ["mv src lib", "allow"],
  ["mv * old/", "allow"],
  ["mv * ../old", "block"],
  ["mv /usr/bin/tool /usr/bin/tool.old", "allow"],
  ["cp /dev/null ~/notes.md", "ask"],
  ["cp tool /usr/local/bin/", "allow"],
  ["cp image.iso /dev/sdb", "block"],
  ["ln -sf /dev/null /etc/passwd", "block"],
  ["truncate -s0 build/app.log", "allow"],
  ["dd if=in of=out", "allow"],
  ["dd if=in of=$DISK", "ask"],
  ["shred -u secrets.txt", "ask"],
  ["chmod 777 /", "block"],
  ["chmod -w notes.txt", "allow"],
  ["chmod u+s /usr/bin/tool", "ask"],
  ["chmod 755 /usr/local/bin/tool", "allow"],
  ["chown -R dev:dev node_modules", "allow"],
  ["chown --recursive root ~", "block"],
  ["wipefs /dev/sdb", "allow"],
  ["fdisk -l /dev/sda", "allow"],
  ["parted /dev/sda mklabel gpt", "block"],
  ["parted /dev/sda print", "allow"],
  ["lvremove vg/data", "block"],
  ["lvremove --test vg/data", "allow"],
  ["crontab -l", "allow"],
  ["crontab -u dev -r", "block"],
  ["env - rm -rf /etc", "block"],
  ["sudo -s <<< 'rm -rf /'", "block"],
  ["sudo -s 'rm -rf /'", "block"],
  ["ssh host rm -rf /srv/old", "allow"],
  ["docker run --rm alpine rm -rf /data", "allow"],
  ["ssh host 'rm -rf /var/lib/x'", "ask"],
  ["ssh host 'sudo rm -rf /etc'", "ask"],
  ["ssh host 'rm -rf /var/cache/x build'", "allow"],
  ["docker exec c rm -rf /var/lib/x", "allow"],
  ["docker run -v /:/h alpine rm -rf /h/etc", "block"],
  ["docker run -v /:/h:ro alpine rm -rf /h/etc", "allow"],
  ["podman run --mount type=bind,source=/home/dev,target=/h alpine sh -c 'rm -rf /h/notes'", "ask"],
  ["docker run -v $PWD:/app node rm -rf /app/build", "allow"],
  ["docker run -v $PWD:/app node rm -rf /app", "block"],
  ["docker run -v data:/data alpine rm -rf /data/x", "allow"],
];

test.each(COMMANDS)("%s: %s", (command, decision) => {
  expect(decide(command)).toBe(decision);
});

test("the message names the part, the effect and an alternative", () => {
  expect(judge(filesystem, { command: "make && rm -rf ~" })).toMatchObject({
    rule: "delete-folder",
    decision: "block",
    part: "rm -rf ~",
    effect: "deletes the home directory",
    instead: "Delete the files that you made, by name, inside the project.",
  });
});

test("what is known only at run time is marked, so that the setting `unknown` decides", () => {
  expect(judge(filesystem, { command: 'rm -rf "$X"' })).toMatchObject({ decision: "ask", isUnknown: true });
  expect(judge(filesystem, { command: "rm -rf ../x" })).not.toHaveProperty("isUnknown");
});

test("a command below the project is judged from its folder", () => {
  expect(judge(filesystem, { command: "rm -rf *", folder: "packages/web" })).toBeNull();
  expect(judge(filesystem, { command: "rm -rf ../..", folder: "packages/web" })?.decision).toBe("block");
});

test.each([
  ["sed -i d F", "/etc/passwd", "block"],
  ["perl -pi -e x F", "/etc/passwd", "block"],
  ["ex -sc '%d|x' F", "/etc/passwd", "block"],
  ["gawk -i inplace 1 F", "/etc/shadow", "block"],
  ["sort -o F x", "/etc/group", "block"],
  ["sed -i d F", "/etc/ssh/sshd_config", "ask"],
  ["echo x > F", "/etc/hosts", "ask"],
  ["echo x | tee F", "/usr/bin/ls", "ask"],
  ["sed -i d F", "~/.bashrc", "ask"],
  ["sed -n 1p F", "/etc/passwd", "allow"],
  ["sed s/x/y/ F", "/etc/hosts", "allow"],
  ["perl -ne print F", "/etc/passwd", "allow"],
  ["echo x >> F", "/etc/hosts", "allow"],
  ["cp tool F", "/usr/bin/tool", "allow"],
  ["sed -i d F", "src/a.ts", "allow"],
] as const)("in place: %s on %s: %s", (command, path, decision) => {
  expect(decide(command.replace("F", path))).toBe(decision);
});

test.each([
  ["write", "/etc/passwd", "block"],
  ["write", "/usr/bin/x", "ask"],
  ["write", "/home/dev/.ssh/authorized_keys", "ask"],
  ["write", "/home/dev/.bashrc", "ask"],
  ["write", "/home/dev/shop/.git/config", "ask"],
  ["write", "/home/dev/shop/src/[id].ts", "allow"],
  ["write", "/home/dev/notes.md", "allow"],
  ["write", "/tmp/x", "allow"],
  ["read", "/etc/passwd", "allow"],
  ["delete", "/etc/passwd", "block"],
  ["delete", "/home/dev/.bashrc", "ask"],
  ["delete", "/home/dev", "block"],
  ["delete", "/home/dev/shop/.git", "block"],
  ["delete", "/home/dev/shop/src", "allow"],
] as const)("a file tool's %s of %s: %s", (kind, path, decision) => {
  const access = { kind, path, isGlob: false, source: path, call: null, edit: null };
  const place = { folder: "/home/dev/shop", home: "/home/dev", project: "/home/dev/shop", variables: {} };
  const found = filesystem.judgeFile?.(access, { place, commands: [], paths: [], ownFiles: [] });
  expect(found?.decision ?? "allow").toBe(decision);
});
