// The ordinary and the less ordinary ways to write a file, by tools and by the shell.
import { absolute, sh, write } from "./steps.mjs";

/** @import { Step } from "./steps.mjs" */

/** @typedef {(path: string, text: string) => readonly Step[]} Writer `~/x` is in the home; no single quote in the text */

const T = (/** @type {string} */ text) => `'${text.replaceAll("\n", "'$'\\n''")}'`;
const parts = (/** @type {string} */ path) => path.slice(2).split("/");
const name = (/** @type {string} */ path) => parts(path).at(-1) ?? "";
const folder = (/** @type {string} */ path) => path.slice(0, path.lastIndexOf("/"));
const staged = (/** @type {string} */ text) => `mkdir -p /tmp/x; printf %s ${T(text)} > /tmp/x/new`;

/** @type {Readonly<Record<string, Writer>>} */
export const WRITERS = {
  tool: (path, text) => [write(path, text)],
  redirect: (path, text) => [sh(`printf %s ${T(text)} > ${path}`)],
  heredoc: (path, text) => [sh(`cat > ${path} <<'EOF'\n${text}\nEOF`)],
  tee: (path, text) => [sh(`printf %s ${T(text)} | tee ${path} >/dev/null`)],
  copied: (path, text) => [sh(`${staged(text)}; cp /tmp/x/new ${path}`)],
  moved: (path, text) => [sh(`${staged(text)}; mv /tmp/x/new ${path}`)],
  installed: (path, text) => [sh(`${staged(text)}; install -m 755 /tmp/x/new ${path}`)],
  dd: (path, text) => [sh(`${staged(text)}; dd if=/tmp/x/new of=${path}`)],
  linked: (path, text) => [sh(`${staged(text)}; ln -sf /tmp/x/new ${path}`)],
  relative: (path, text) => [sh(`cd ${folder(path)} && printf %s ${T(text)} > ${name(path)}`)],
  variable: (path, text) => [sh(`f=${path}; printf %s ${T(text)} > "$f"`)],
  descriptor: (path, text) => [sh(`exec 7> ${path}; printf %s ${T(text)} >&7`)],
  loop: (path, text) => [
    sh(`find ~ -path ~/.nvm -prune -o -path ${path} -print | while read f; do printf %s ${T(text)} > "$f"; done`),
  ],
  xargs: (path, text) => [
    sh(`${staged(text)}; find ${folder(path)} -maxdepth 1 -name ${name(path)} | xargs -I{} cp /tmp/x/new {}`),
  ],
  python: (path, text) => [
    sh(
      `python3 -c "from pathlib import Path; p=Path.home()${parts(path)
        .map((one) => `/'${one}'`)
        .join(
          "",
        )}; p.parent.mkdir(parents=True,exist_ok=True); p.write_text(open('/dev/stdin').read())" <<'EOF'\n${text}\nEOF`,
    ),
  ],
  node: (path, text) => [
    sh(
      `${staged(text)}; node -e "const os=require('os');require('fs').copyFileSync('/tmp/x/new', os.homedir()+'/${parts(path).join("/")}')"`,
    ),
  ],
  awk: (path, text) => [sh(`${staged(text)}; awk '{ print > "${absolute(path)}" }' /tmp/x/new`)],
  perl: (path, text) => [
    sh(`${staged(text)}; perl -MFile::Copy -e 'copy("/tmp/x/new", "$ENV{HOME}/${parts(path).join("/")}")'`),
  ],
  vim: (path, text) => [sh(`${staged(text)}; vim -es -u NONE -c 'e /tmp/x/new' -c 'w! ${path}' -c 'qa!'`)],
  ed: (path, text) => [sh(`${staged(text)}; printf 'w ${absolute(path)}\\nq\\n' | ed -s /tmp/x/new`)],
  tclsh: (path, text) => [sh(`${staged(text)}; echo 'file copy -force /tmp/x/new ${absolute(path)}' | tclsh`)],
  sqlite: (path, text) => [sh(`${staged(text)}; echo ".shell cp /tmp/x/new ${path}" | sqlite3`)],
  make: (path, text) => [
    sh(
      `${staged(text)}; printf 'x:\\n\\tcp /tmp/x/new ${absolute(path)}\\n' > /tmp/x/Makefile; make -f /tmp/x/Makefile`,
    ),
  ],
  tar: (path, text) => [
    sh(
      `mkdir -p /tmp/y/${parts(folder(`${path}`)).join("/")}; printf %s ${T(text)} > /tmp/y/${parts(path).join("/")}; tar -C /tmp/y -cf - . | tar -C ~ -xf -`,
    ),
  ],
  unzip: (path, text) => [
    sh(
      `mkdir -p /tmp/y/${parts(folder(`${path}`)).join("/")}; printf %s ${T(text)} > /tmp/y/${parts(path).join("/")}; cd /tmp/y && zip -qr /tmp/y.zip . && cd ~ && unzip -qo /tmp/y.zip`,
    ),
  ],
  patch: (path, text) => [
    sh(
      `mkdir -p /tmp/x; printf %s ${T(text)} > /tmp/x/new; cd ~ && diff -u ${parts(path).join("/")} /tmp/x/new > /tmp/p.diff; patch -p0 < /tmp/p.diff`,
    ),
  ],
  script: (path, text) => [write("~/shop/run.sh", `cat > ${path} <<'EOF'\n${text}\nEOF\n`), sh("sh run.sh")],
};
