import { ownValue } from "../../../protocol/own-value.ts";
import type { Call, Word } from "../call.ts";
import { parseOptions } from "../options.ts";
import { type Row, WRAPPERS, type Wrapper, wrapperIn } from "./wrapper-table.ts";

const REMOTE_EXEC: Row = [
  "-d -i -t -T -it -ti --detach --interactive --tty --privileged --no-deps --rm --stdin -A",
  "-e -u -w -c -n --env --env-file --user --workdir --detach-keys --index --container --namespace --context",
  {
    skipped: 1,
    isRemote: true,
  },
];
const REMOTE_RUN: Row = [
  "-d -i -t -T -P -q -it -ti --detach --interactive --tty --rm --privileged --init --read-only --no-deps --quiet --service-ports --build --no-TTY",
  "-a -c -e -h -l -m -p -u -v -w --add-host --name --env --env-file --volume --mount --user --workdir --network --entrypoint --publish --platform --pull --hostname --label --memory --cpus --gpus --restart --ulimit --device --cap-add --cap-drop --security-opt --shm-size --tmpfs --dns --ipc --pid --userns --log-driver --link --expose --volumes-from --image --overrides --namespace -n",
  {
    skipped: 1,
    isRemote: true,
  },
];
const RUN: Row = [
  "-q --quiet --no-sync --frozen --locked --silent --verbose",
  "-p -m --python --with --extra --group --package --env-file --directory --project --index-url -n --name",
];
const AFTER_ONE: Row = ["", "", { skipped: 1 }];
/** The commands of programs that start the program among their arguments: `docker exec`, `git bisect run`. */
const LAUNCHERS: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  docker: {
    exec: REMOTE_EXEC,
    run: REMOTE_RUN,
    create: REMOTE_RUN,
    "container exec": REMOTE_EXEC,
    "container run": REMOTE_RUN,
    "compose exec": REMOTE_EXEC,
    "compose run": REMOTE_RUN,
  },
  "docker-compose": {
    exec: REMOTE_EXEC,
    run: REMOTE_RUN,
  },
  podman: {
    exec: REMOTE_EXEC,
    run: REMOTE_RUN,
    "container exec": REMOTE_EXEC,
    "container run": REMOTE_RUN,
  },
  nerdctl: {
    exec: REMOTE_EXEC,
    run: REMOTE_RUN,
  },
  kubectl: {
    exec: REMOTE_EXEC,
    run: REMOTE_RUN,
  },
  oc: { exec: REMOTE_EXEC },
  lxc: { exec: REMOTE_EXEC },
  vagrant: {
    ssh: [
      "-p --plain",
      "-c --command",
      {
        texts: ["-c", "--command"],
        isRemote: true,
      },
    ],
  },
  adb: {
    shell: [
      "-n -t -T -x",
      "-e",
      {
        text: "joined",
        isRemote: true,
      },
    ],
  },
  gcloud: {
    "compute ssh": [
      "",
      "--command --zone --project",
      {
        texts: ["--command"],
        isRemote: true,
      },
    ],
  },
  uv: {
    run: RUN,
    "tool run": RUN,
  },
  poetry: { run: RUN },
  pipenv: { run: RUN },
  pdm: { run: RUN },
  rye: { run: RUN },
  hatch: { run: RUN },
  conda: { run: RUN },
  mamba: { run: RUN },
  pipx: { run: RUN },
  bundle: { exec: ["--keep-file-descriptors", "--gemfile"] },
  bun: { x: ["--bun", "-p --package"] },
  pnpm: {
    exec: ["-r -c --recursive --parallel --shell-mode", "--filter -C"],
    dlx: ["-c --silent", "--package"],
  },
  yarn: {
    exec: ["", ""],
    dlx: ["-q --quiet", "-p --package"],
  },
  npm: {
    exec: ["-y --yes --no", "-c --call -p --package -w --workspace", { texts: ["-c", "--call"] }],
    x: ["-y --yes --no", "-c --call -p --package -w --workspace", { texts: ["-c", "--call"] }],
  },
  direnv: { exec: AFTER_ONE },
  mise: {
    exec: ["", "-C --cd"],
    x: ["", "-C --cd"],
  },
  asdf: { exec: ["", ""] },
  rbenv: { exec: ["", ""] },
  pyenv: { exec: ["", ""] },
  nodenv: { exec: ["", ""] },
  fnm: { exec: ["", "--using"] },
  nvm: { exec: AFTER_ONE },
  volta: { run: ["", "--node --npm --yarn"] },
  op: { run: ["--no-masking", "--env-file --account"] },
  doppler: { run: ["", "-p -c --project --config --command", { texts: ["--command"] }] },
  infisical: { run: ["", "--env --path --command", { texts: ["--command"] }] },
  "aws-vault": { exec: AFTER_ONE },
  chamber: { exec: AFTER_ONE },
  nix: {
    shell: ["", "-c --command", { texts: ["-c", "--command"] }],
    develop: ["", "-c --command", { texts: ["-c", "--command"] }],
  },
  git: {
    "bisect run": ["", ""],
    "submodule foreach": ["-q --quiet --recursive", "", { text: "joined" }],
    rebase: ["", "-x --exec", { texts: ["-x", "--exec"] }],
    difftool: ["", "-x --extcmd", { texts: ["-x", "--extcmd"] }],
    "filter-branch": [
      "-f --force",
      "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter --setup",
      {
        texts: [
          "--tree-filter",
          "--index-filter",
          "--msg-filter",
          "--env-filter",
          "--commit-filter",
          "--parent-filter",
        ],
      },
    ],
  },
  tmux: {
    "new-session": ["-d -A -D -P -X", "-s -n -c -t -x -y -e -f -F", { text: "joined" }],
    new: ["-d -A -D -P -X", "-s -n -c -t -x -y -e -f -F", { text: "joined" }],
    "new-window": ["-d -a -b -k -P -S", "-n -c -t -e -F", { text: "joined" }],
    "split-window": ["-d -b -f -h -v -P -Z", "-c -t -e -l -p -F", { text: "joined" }],
    "run-shell": ["-b -C", "-c -d -t", { text: "joined" }],
    "send-keys": ["-l -R -X -H -M", "-t -N", { text: "each" }],
    send: ["-l -R -X -H -M", "-t -N", { text: "each" }],
  },
};

/** Options with a value before the subcommand. */
const GLOBAL_VALUES: Readonly<Record<string, readonly string[]>> = {
  docker: [
    "-H",
    "-c",
    "-l",
    "--host",
    "--context",
    "--config",
    "--log-level",
    "-f",
    "--file",
    "-p",
    "--project-name",
    "--profile",
    "--env-file",
    "--project-directory",
  ],
  podman: ["-c", "--connection", "--url", "--log-level", "--root"],
  "docker-compose": ["-f", "-p", "--file", "--project-name", "--profile", "--env-file"],
  kubectl: ["-n", "-s", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "--server"],
  oc: ["-n", "--namespace", "--context", "--kubeconfig"],
  git: ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"],
  npm: ["-w", "--workspace", "--prefix"],
  pnpm: ["-C", "--dir", "--filter"],
  yarn: ["--cwd"],
  uv: ["--directory", "--project"],
  poetry: ["-C", "-P", "--directory", "--project"],
  tmux: ["-L", "-S", "-f", "-c"],
  gcloud: ["--project", "--account"],
  adb: ["-s", "-H", "-P"],
};
/** How a call starts another program, with its arguments; null if it starts none. */
export function wrapperOf({
  program,
  args,
}: Call): { readonly wrapper: Wrapper; readonly args: readonly Word[] } | null {
  const own = ownValue(WRAPPERS, program);
  if (own !== undefined) return { wrapper: wrapperIn(own), args };
  const commands = ownValue(LAUNCHERS, program);
  if (commands === undefined) return null;
  const names: string[] = [];
  let rest = args;
  for (let level = 0; level < 3; level++) {
    const { operands } = parseOptions(rest, { values: ownValue(GLOBAL_VALUES, program) ?? [], endsAtOperand: true });
    const [command, ...others] = operands;
    if (command === undefined) return null;
    names.push(command.text);
    rest = others;
    const row = ownValue(commands, names.join(" "));
    if (row !== undefined) return { wrapper: wrapperIn(row), args: rest };
  }
  return null;
}
