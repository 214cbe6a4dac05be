// The ordinary and the less ordinary ways to write a file, by tools and by the shell.
import { absolute, sh, write } from "./steps.mjs";

/** @import { Step } from "./steps.mjs" */

/** @typedef {ReturnType<typeof targetOf>} Target */

/** @type {Readonly<Record<string, (target: Target) => string>>} */
const COMMANDS = {
  redirect: ({ path, print }) => `${print} > ${path}`,
  heredoc: ({ path, text }) => `cat > ${path} <<'EOF'\n${text}\nEOF`,
  tee: ({ path, print }) => `${print} | tee ${path} >/dev/null`,
  copied: ({ path, stage }) => `${stage}; cp /tmp/x/new ${path}`,
  moved: ({ path, stage }) => `${stage}; mv /tmp/x/new ${path}`,
  installed: ({ path, stage }) => `${stage}; install -m 755 /tmp/x/new ${path}`,
  dd: ({ path, stage }) => `${stage}; dd if=/tmp/x/new of=${path}`,
  linked: ({ path, stage }) => `${stage}; ln -sf /tmp/x/new ${path}`,
  relative: ({ folder, name, print }) => `cd ${folder} && ${print} > ${name}`,
  variable: ({ path, print }) => `f=${path}; ${print} > "$f"`,
  descriptor: ({ path, print }) => `exec 7> ${path}; ${print} >&7`,
  loop: ({ path, print }) =>
    `find ~ -path ~/.nvm -prune -o -path ${path} -print | while read f; do ${print} > "$f"; done`,
  xargs: ({ folder, name, stage }) =>
    `${stage}; find ${folder} -maxdepth 1 -name ${name} | xargs -I{} cp /tmp/x/new {}`,
  python: ({ inHome, text }) => {
    const path = `Path.home()/'${inHome.replaceAll("/", "'/'")}'`;
    const code = `p=${path}; p.parent.mkdir(parents=True,exist_ok=True); p.write_text(open('/dev/stdin').read())`;
    return `python3 -c "from pathlib import Path; ${code}" <<'EOF'\n${text}\nEOF`;
  },
  node: ({ inHome, stage }) =>
    `${stage}; node -e "const os=require('os');require('fs').copyFileSync('/tmp/x/new', os.homedir()+'/${inHome}')"`,
  awk: ({ full, stage }) => `${stage}; awk '{ print > "${full}" }' /tmp/x/new`,
  perl: ({ inHome, stage }) => `${stage}; perl -MFile::Copy -e 'copy("/tmp/x/new", "$ENV{HOME}/${inHome}")'`,
  vim: ({ path, stage }) => `${stage}; vim -es -u NONE -c 'e /tmp/x/new' -c 'w! ${path}' -c 'qa!'`,
  ed: ({ full, stage }) => `${stage}; printf 'w ${full}\\nq\\n' | ed -s /tmp/x/new`,
  tclsh: ({ full, stage }) => `${stage}; echo 'file copy -force /tmp/x/new ${full}' | tclsh`,
  sqlite: ({ path, stage }) => `${stage}; echo ".shell cp /tmp/x/new ${path}" | sqlite3`,
  make: ({ full, stage }) =>
    `${stage}; printf 'x:\\n\\tcp /tmp/x/new ${full}\\n' > /tmp/x/Makefile; make -f /tmp/x/Makefile`,
  tar: (target) => `${inCopy(target)}; tar -C /tmp/y -cf - . | tar -C ~ -xf -`,
  unzip: (target) => `${inCopy(target)}; cd /tmp/y && zip -qr /tmp/y.zip . && cd ~ && unzip -qo /tmp/y.zip`,
  patch: ({ inHome, stage }) => `${stage}; cd ~ && diff -u ${inHome} /tmp/x/new > /tmp/p.diff; patch -p0 < /tmp/p.diff`,
};

/** Writes the text to its place in a copy of the home. @param {Target} target */
const inCopy = ({ folder, inHome, print }) => `mkdir -p /tmp/y/${folder.slice(2)}; ${print} > /tmp/y/${inHome}`;

/** `~/x` is in the home; no single quote in the text. @param {string} path @param {string} text */
function targetOf(path, text) {
  const at = path.lastIndexOf("/");
  const print = `printf %s '${text.replaceAll("\n", "'$'\\n''")}'`;
  const stage = `mkdir -p /tmp/x; ${print} > /tmp/x/new`;
  const names = { folder: path.slice(0, at), name: path.slice(at + 1), inHome: path.slice(2) };
  return { path, full: absolute(path), ...names, text, print, stage };
}

/** @type {Readonly<Record<string, (path: string, text: string) => readonly Step[]>>} */
export const WRITERS = {
  tool: (path, text) => [write(path, text)],
  ...Object.fromEntries(
    Object.entries(COMMANDS).map(([way, command]) => [
      way,
      (/** @type {string} */ path, /** @type {string} */ text) => [sh(command(targetOf(path, text)))],
    ]),
  ),
  script: (path, text) => [write("~/shop/run.sh", `cat > ${path} <<'EOF'\n${text}\nEOF\n`), sh("sh run.sh")],
};
