import type { OptionSpec } from "../options.ts";

/** A program that starts the program among its arguments. */
export interface Wrapper extends OptionSpec {
  readonly values: readonly string[];
  readonly flags: readonly string[];
  /** Operands before the program. */
  readonly skipped?: number;
  /** True if `NAME=value` is allowed before the program. */
  readonly hasAssignments?: true;
  /** Options whose value is shell text. */
  readonly texts?: readonly string[];
  /** Options whose value is the working directory. */
  readonly folders?: readonly string[];
  /** The operands are shell text, together or each of them. */
  readonly text?: "joined" | "each";
  /** True if the program runs on another machine or in a container. */
  readonly isRemote?: true;
  /** Options with which it starts a shell, if no program is named; `always`: without any option. */
  readonly shells?: readonly string[] | "always";
  /** True if the arguments of the program are not complete: the wrapper adds some. */
  readonly addsArguments?: true;
}

export type Row = readonly [flags: string, values: string, rest?: Omit<Wrapper, "flags" | "values">];

const listOf = (text: string): readonly string[] => (text === "" ? [] : text.split(" "));

/** Programs that start the program among their arguments. */
export const WRAPPERS: Readonly<Record<string, Row>> = {
  sudo: [
    "-A -B -b -E -e -H -i -K -k -l -N -n -P -S -s -V -v --askpass --background --preserve-env --edit --set-home --login --non-interactive --stdin --shell",
    "-a -C -c -D -g -h -p -R -r -T -t -U -u --close-from --chdir --group --host --prompt --chroot --role --type --user --other-user --command-timeout",
    {
      hasAssignments: true,
      folders: ["-D", "--chdir"],
      shells: ["-s", "-i", "--shell", "--login"],
    },
  ],
  doas: ["-L -n -s", "-a -C -u", { hasAssignments: true, shells: ["-s"] }],
  pkexec: ["--disable-internal-agent --keep-cwd", "--user"],
  env: [
    "-i -0 -v --ignore-environment --null --debug --block-signal --default-signal --ignore-signal",
    "-u -C -S -P --unset --chdir --split-string",
    {
      hasAssignments: true,
      folders: ["-C", "--chdir"],
    },
  ],
  command: ["-p", ""],
  nohup: ["", ""],
  setsid: ["-c -f -w --ctty --fork --wait", ""],
  nice: ["-0 -1 -2 -3 -4 -5 -6 -7 -8 -9", "-n --adjustment"],
  ionice: ["-t --ignore", "-c -n -p -P -u --class --classdata"],
  chrt: [
    "-b -d -f -i -o -r -a -m -v -R --batch --fifo --idle --other --rr --reset-on-fork",
    "-T -P -D",
    { skipped: 1 },
  ],
  taskset: ["-a -c --all-tasks --cpu-list", "", { skipped: 1 }],
  timeout: ["-v --preserve-status --foreground --verbose", "-k -s --kill-after --signal", { skipped: 1 }],
  gtimeout: ["-v --preserve-status --foreground --verbose", "-k -s --kill-after --signal", { skipped: 1 }],
  time: ["-p -v -a -q --portability --verbose --append --quiet", "-f -o --format --output"],
  stdbuf: ["", "-i -o -e --input --output --error"],
  unbuffer: ["-p", ""],
  chronic: ["-v -e", ""],
  caffeinate: ["-d -i -m -s -u", "-t -w"],
  "systemd-run": [
    "-d -G -P -q -S -t -r --user --scope --wait --pty --pipe --quiet --shell --no-block --collect --same-dir",
    "-E -H -M -p -u --unit --property --setenv --uid --gid --nice --working-directory --slice --description --on-active --on-calendar --service-type",
    { folders: ["--working-directory"], shells: ["-S", "--shell"] },
  ],
  "systemd-inhibit": ["--no-pager", "--what --who --why --mode"],
  "dbus-run-session": ["", "--config-file", {}],
  "xvfb-run": ["-a -l --auto-servernum", "-e -f -n -p -s -w --server-args --server-num --error-file"],
  catchsegv: ["", ""],
  faketime: ["-f -m", "-p", { skipped: 1 }],
  proxychains: ["-q", "-f"],
  proxychains4: ["-q", "-f"],
  torsocks: ["-i -q -d", "-u -p -a -P"],
  tsocks: ["", ""],
  dotenv: ["-o", "-e -f -c -v"],
  setpriv: [
    "--no-new-privs --clear-groups --keep-groups --init-groups --reset-env",
    "--reuid --regid --ruid --euid --rgid --egid --groups --inh-caps --ambient-caps --bounding-set --securebits",
  ],
  chroot: ["--skip-chdir", "--userspec --groups", { skipped: 1, shells: "always" }],
  unshare: [
    "-c -i -m -n -p -r -u -C -f -T -U --fork --mount-proc --map-root-user --user --net --pid --mount --keep-caps",
    "-R -S -G -w --root --wd --setuid --setgid --propagation --map-user --map-group",
    { shells: "always" },
  ],
  nsenter: [
    "-a -m -u -i -n -p -C -U -T -F -Z --all --mount --uts --ipc --net --pid --cgroup --user --preserve-credentials",
    "-t -S -G --target --setuid --setgid",
    { shells: "always" },
  ],
  strace: [
    "-c -C -D -d -f -F -h -i -k -n -q -r -t -T -v -V -w -x -y -z -Z -ff -tt -yy",
    "-a -b -e -E -I -o -O -p -P -s -S -u -U -X",
  ],
  ltrace: ["-c -C -f -h -i -L -r -S -t -T -V -tt", "-a -A -D -e -F -l -n -o -p -s -u -w -x"],
  valgrind: ["-v -q", ""],
  hyperfine: [
    "-i -N -r",
    "-w -m -M -p -c -s -S -u --warmup --min-runs --max-runs --prepare --cleanup --setup --export-json",
    {
      text: "each",
      texts: ["-p", "-c", "-s", "--prepare", "--cleanup", "--setup"],
    },
  ],
  watch: [
    "-b -c -C -d -e -g -p -t -x -w -r --beep --color --differences --errexit --chgexit --precise --no-title --exec",
    "-n -q --interval --equexit",
    { text: "joined" },
  ],
  entr: ["-a -c -d -n -p -r -s -z", "", { addsArguments: true }],
  "run-one": ["", ""],
  "run-this-one": ["", ""],
  flock: [
    "-s -x -e -u -n -o -F --shared --exclusive --unlock --nonblock --close --no-fork --verbose",
    "-w -E -c --timeout --wait --conflict-exit-code --command",
    {
      skipped: 1,
      texts: ["-c", "--command"],
    },
  ],
  script: [
    "-a -e -f -q --append --return --flush --quiet --force",
    "-c -E -I -O -B -T -m -o --command --echo --log-in --log-out --log-io --log-timing --logging-format --output-limit",
    {
      texts: ["-c", "--command"],
      skipped: 1,
    },
  ],
  su: [
    "-l -m -p -f -P --login --preserve-environment --fast --pty",
    "-c -C -g -G -s -u -w --command --session-command --group --supp-group --shell --user --whitelist-environment",
    {
      texts: ["-c", "-C", "--command", "--session-command"],
      skipped: 1,
      shells: "always",
    },
  ],
  runuser: [
    "-l -m -p -f -P --login --preserve-environment --fast --pty",
    "-c -C -g -G -s -u -w --command --session-command --group --supp-group --shell --user --whitelist-environment",
    { texts: ["-c", "-C", "--command", "--session-command"], shells: ["-l", "--login"] },
  ],
  gosu: ["", "", { skipped: 1 }],
  "su-exec": ["", "", { skipped: 1 }],
  sg: [
    "",
    "-c",
    {
      texts: ["-c"],
      skipped: 1,
    },
  ],
  "cross-env": ["", "", { hasAssignments: true }],
  "cross-env-shell": [
    "",
    "",
    {
      hasAssignments: true,
      text: "joined",
    },
  ],
  concurrently: ["-k -r --kill-others --raw", "-n -c -p --names --prefix-colors --prefix", { text: "each" }],
  watchexec: ["-r -c -n --restart --clear", "-w -e -i -f --watch --exts --ignore --filter --signal --debounce"],
  reflex: ["-s", "-r -g -R -G"],
  onchange: ["-i -k", "-d -e", { skipped: 1 }],
  nodemon: ["", "-x --exec -w --watch -e --ext", { texts: ["-x", "--exec"] }],
  xterm: ["", "-e -T -geometry", { texts: ["-e"] }],
  npx: ["-y -q --yes --no --quiet --no-install", "-p -c --package --call --workspace", { texts: ["-c", "--call"] }],
  pnpx: ["-y", "-p -c --package", { texts: ["-c"] }],
  bunx: ["--bun --silent --verbose", "-p --package"],
  uvx: ["-q --quiet --isolated --no-cache", "-p --python --from --with --index-url"],
  busybox: ["", ""],
  toybox: ["", ""],
  fakeroot: ["-u --unknown-is-real", "-l -s -i -b --lib --faked", { shells: "always" }],
  prlimit: ["--noheadings --raw --verbose", "-p -o --pid --output"],
  numactl: [
    "-a -H -s -l --all --hardware --show --localalloc",
    "-i -w -N -m -C -p -P --interleave --weighted-interleave --cpunodebind --membind --physcpubind --preferred",
  ],
  "ssh-agent": ["-c -s -D -d -k", "-a -E -O -P -t"],
  proot: [
    "-0 --root-id",
    "-b -i -k -m -p -q -r -R -S -v -w --bind --change-id --kernel-release --mount --port --qemu --rootfs --cwd --pwd",
    { shells: "always" },
  ],
  gdb: ["-q --args --batch --quiet --nx", "-x -p -d --ex --eval-command --command --directory --pid"],
  firejail: ["--quiet --noprofile --private --net=none", ""],
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
  "nix-shell": ["--pure", "-p --run --command", { texts: ["--run", "--command"] }],
  screen: ["-d -m -dm -dmS -D -R -L", "-S -c -t -h -s -e -p"],
  wsl: ["-e --exec --", "-d -u --distribution --user --cd"],
};

const read = new Map<Row, Wrapper>();

/** The wrapper of a row, which is read when a program of it is first met. */
export function wrapperIn(row: Row): Wrapper {
  const [flags, values, rest = {}] = row;
  const wrapper = read.get(row) ?? { ...rest, flags: listOf(flags), values: listOf(values), endsAtOperand: true };
  read.set(row, wrapper);
  return wrapper;
}
