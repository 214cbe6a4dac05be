import type { Call, Word } from "../call.ts";
import { parseOptions } from "../options.ts";
import { type Row, WRAPPERS, type Wrapper, wrappersOf } from "./wrapper-table.ts";

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
const LAUNCHERS = wrappersOf({
  ssh: [
    "-1 -2 -4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y",
    "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w",
    {
      skipped: 1,
      isRemote: true,
      text: "joined",
      shells: "always",
    },
  ],
  mosh: [
    "",
    "-p --ssh --server",
    {
      skipped: 1,
      isRemote: true,
    },
  ],
  "docker exec": REMOTE_EXEC,
  "docker run": REMOTE_RUN,
  "docker create": REMOTE_RUN,
  "docker container exec": REMOTE_EXEC,
  "docker container run": REMOTE_RUN,
  "docker compose exec": REMOTE_EXEC,
  "docker compose run": REMOTE_RUN,
  "docker-compose exec": REMOTE_EXEC,
  "docker-compose run": REMOTE_RUN,
  "podman exec": REMOTE_EXEC,
  "podman run": REMOTE_RUN,
  "podman container exec": REMOTE_EXEC,
  "podman container run": REMOTE_RUN,
  "nerdctl exec": REMOTE_EXEC,
  "nerdctl run": REMOTE_RUN,
  "kubectl exec": REMOTE_EXEC,
  "kubectl run": REMOTE_RUN,
  "oc exec": REMOTE_EXEC,
  "lxc exec": REMOTE_EXEC,
  "vagrant ssh": [
    "-p --plain",
    "-c --command",
    {
      texts: ["-c", "--command"],
      isRemote: true,
    },
  ],
  "adb shell": [
    "-n -t -T -x",
    "-e",
    {
      text: "joined",
      isRemote: true,
    },
  ],
  "gcloud compute ssh": [
    "",
    "--command --zone --project",
    {
      texts: ["--command"],
      isRemote: true,
    },
  ],
  "uv run": RUN,
  "uv tool run": RUN,
  "poetry run": RUN,
  "pipenv run": RUN,
  "pdm run": RUN,
  "rye run": RUN,
  "hatch run": RUN,
  "conda run": RUN,
  "mamba run": RUN,
  "pipx run": RUN,
  "bundle exec": ["--keep-file-descriptors", "--gemfile"],
  "bun x": ["--bun", "-p --package"],
  "pnpm exec": ["-r -c --recursive --parallel --shell-mode", "--filter -C"],
  "pnpm dlx": ["-c --silent", "--package"],
  "yarn exec": ["", ""],
  "yarn dlx": ["-q --quiet", "-p --package"],
  "npm exec": ["-y --yes --no", "-c --call -p --package -w --workspace", { texts: ["-c", "--call"] }],
  "npm x": ["-y --yes --no", "-c --call -p --package -w --workspace", { texts: ["-c", "--call"] }],
  "direnv exec": AFTER_ONE,
  "mise exec": ["", "-C --cd"],
  "mise x": ["", "-C --cd"],
  "asdf exec": ["", ""],
  "rbenv exec": ["", ""],
  "pyenv exec": ["", ""],
  "nodenv exec": ["", ""],
  "fnm exec": ["", "--using"],
  "nvm exec": AFTER_ONE,
  "volta run": ["", "--node --npm --yarn"],
  "op run": ["--no-masking", "--env-file --account"],
  "doppler run": ["", "-p -c --project --config --command", { texts: ["--command"] }],
  "infisical run": ["", "--env --path --command", { texts: ["--command"] }],
  "aws-vault exec": AFTER_ONE,
  "chamber exec": AFTER_ONE,
  "nix shell": ["", "-c --command", { texts: ["-c", "--command"] }],
  "nix develop": ["", "-c --command", { texts: ["-c", "--command"] }],
  "nix-shell": ["--pure", "-p --run --command", { texts: ["--run", "--command"] }],
  "git bisect run": ["", ""],
  "git submodule foreach": ["-q --quiet --recursive", "", { text: "joined" }],
  "git rebase": ["", "-x --exec", { texts: ["-x", "--exec"] }],
  "git difftool": ["", "-x --extcmd", { texts: ["-x", "--extcmd"] }],
  "git filter-branch": [
    "-f --force",
    "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter --setup",
    {
      texts: ["--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--parent-filter"],
    },
  ],
  "tmux new-session": ["-d -A -D -P -X", "-s -n -c -t -x -y -e -f -F", { text: "joined" }],
  "tmux new": ["-d -A -D -P -X", "-s -n -c -t -x -y -e -f -F", { text: "joined" }],
  "tmux new-window": ["-d -a -b -k -P -S", "-n -c -t -e -F", { text: "joined" }],
  "tmux split-window": ["-d -b -f -h -v -P -Z", "-c -t -e -l -p -F", { text: "joined" }],
  "tmux run-shell": ["-b -C", "-c -d -t", { text: "joined" }],
  "tmux send-keys": ["-l -R -X -H -M", "-t -N", { text: "each" }],
  "tmux send": ["-l -R -X -H -M", "-t -N", { text: "each" }],
  screen: ["-d -m -dm -dmS -D -R -L", "-S -c -t -h -s -e -p"],
  wsl: ["-e --exec --", "-d -u --distribution --user --cd"],
});

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
const WITH_COMMANDS: ReadonlySet<string> = new Set([...LAUNCHERS.keys()].map((name) => name.split(" ", 1)[0] ?? ""));
/** How a call starts another program, with its arguments; null if it starts none. */
export function wrapperOf({
  program,
  args,
}: Call): { readonly wrapper: Wrapper; readonly args: readonly Word[] } | null {
  const own = WRAPPERS.get(program) ?? LAUNCHERS.get(program);
  if (own !== undefined)
    return {
      wrapper: own,
      args,
    };
  if (!WITH_COMMANDS.has(program)) return null;
  const names = [program];
  let rest = args;
  for (let level = 0; level < 3; level++) {
    const { operands } = parseOptions(rest, {
      values: GLOBAL_VALUES[program] ?? [],
      endsAtOperand: true,
    });
    const [command, ...others] = operands;
    if (command === undefined) return null;
    names.push(command.text);
    rest = others;
    const wrapper = LAUNCHERS.get(names.join(" "));
    if (wrapper !== undefined)
      return {
        wrapper,
        args: rest,
      };
  }
  return null;
}
