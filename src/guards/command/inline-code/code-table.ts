import { type NamedRows, rowFinder } from "../named-rows.ts";

interface CodeOptions {
  /** Options whose value is code. */
  readonly code: readonly string[];
  readonly values: readonly string[];
  /** Commands whose operand is code: `deno eval`. */
  readonly commands: readonly string[];
}

/** Functions of scripting languages that run a command: shell text, or a list of words. */
const RUNS =
  "os.system os.popen os.execv os.execvp os.execl os.execlp os.spawnlp subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen subprocess.getoutput subprocess.getstatusoutput commands.getoutput run call check_call check_output Popen pty.spawn system exec execSync execFile execFileSync spawn spawnSync child_process.exec child_process.execSync child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync cp.exec cp.execSync cp.spawn cp.spawnSync execa execaSync execaCommand execaCommandSync shell.exec shelljs.exec shell_exec passthru popen proc_open pcntl_exec Kernel.system Kernel.exec Process.spawn IO.popen Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen3 os.execute io.popen Deno.run Deno.Command Bun.spawn Bun.spawnSync qx system2 sh asyncio.create_subprocess_shell asyncio.create_subprocess_exec do_shell_script";

const EFFECTS: NamedRows<string> = [
  [
    "shutil.rmtree rmtree fs.rmSync fs.rm fs.promises.rm fsPromises.rm rmSync rimraf rimraf.sync rimrafSync fs.rmdirSync fs.rmdir fse.remove fse.removeSync fs.remove fs.removeSync fse.emptyDirSync fs.emptyDirSync removeSync emptyDirSync FileUtils.rm_rf FileUtils.rm_r FileUtils.remove_dir FileUtils.remove_entry FileUtils.remove_entry_secure FileUtils.rmtree remove_tree File::Path::remove_tree File::Path::rmtree Deno.remove Deno.removeSync deleteSync os.removedirs",
    "rm -rf 1",
  ],
  [
    "os.remove os.unlink fs.unlinkSync fs.unlink fs.promises.unlink fsPromises.unlink unlinkSync unlink File.delete File.unlink FileUtils.rm FileUtils.rm_f Bun.file.delete",
    "rm 1",
  ],
  ["os.rmdir Dir.rmdir Dir.delete rmdir", "rmdir 1"],
  [
    "fs.writeFileSync fs.writeFile fs.promises.writeFile fsPromises.writeFile writeFileSync writeFile fs.createWriteStream File.write IO.write file_put_contents Deno.writeTextFile Deno.writeTextFileSync Deno.writeFile Bun.write fs.outputFile fse.outputFile",
    "tee 1",
  ],
  ["fs.appendFileSync fs.appendFile fs.promises.appendFile appendFileSync appendFile", "tee -a 1"],
  ["fs.truncateSync fs.truncate os.truncate File.truncate", "truncate -s 0 1"],
  [
    "fs.readFileSync fs.readFile fs.promises.readFile fsPromises.readFile readFileSync readFile fs.createReadStream File.read IO.read File.readlines IO.readlines file_get_contents readfile Deno.readTextFile Deno.readTextFileSync Bun.file linecache.getlines",
    "cat 1",
  ],
  [
    "os.rename os.replace shutil.move fs.renameSync fs.rename fs.promises.rename renameSync File.rename FileUtils.mv file.rename",
    "mv 1 2",
  ],
  [
    "shutil.copy shutil.copy2 shutil.copyfile fs.copyFileSync copyFileSync fs.copyFile FileUtils.cp FileUtils.cp_r copy",
    "cp -r 1 2",
  ],
  ["shutil.copytree fs.cpSync fs.cp fs.promises.cp cpSync", "cp -rT 1 2"],
  ["os.chmod fs.chmodSync fs.chmod chmodSync", "chmod 2 1"],
  ["File.chmod FileUtils.chmod FileUtils.chmod_R", "chmod 1 2"],
  ["os.chown fs.chownSync shutil.chown", "chown 2 1"],
  ["os.symlink fs.symlinkSync File.symlink os.link fs.linkSync", "ln -s 1 2"],
  ["file.remove", "rm 1"],
  ["writeLines", "tee 2"],
];

const runsOf = rowFinder(" ", () => [[RUNS, null]]);
export const runsCommand = (name: string): boolean => runsOf(name).length > 0;

const effectsOf = rowFinder(" ", () => EFFECTS);
/** A function that changes or reads files, as an equivalent command line. `1`: the first argument. */
export const codeEffect = (name: string): readonly string[] | undefined => effectsOf(name)[0]?.split(" ");

/** Methods of a path: `Path("x").unlink()`. */
export const PATH_METHODS: ReadonlyMap<string, readonly string[]> = new Map([
  ["unlink", ["rm"]],
  ["rmdir", ["rmdir"]],
  ["write_text", ["tee"]],
  ["write_bytes", ["tee"]],
  ["touch", ["touch"]],
  ["read_text", ["cat"]],
  ["read_bytes", ["cat"]],
  ["chmod", ["chmod", "?"]],
  ["rename", ["mv"]],
]);

type OptionTexts = readonly [code: string, values?: string, commands?: string];

const optionsOf = rowFinder<OptionTexts>(" ", () => [
  ["python pypy ipython jython", ["-c", "-W -X -m"]],
  ["node nodejs bun deno tsx ts-node", ["-e -p -pe --eval --print", "-r --require --import --loader", "eval"]],
  ["perl", ["-e -E", "-I -M -m"]],
  ["ruby jruby", ["-e", "-I -r"]],
  ["php", ["-r", "-d -c"]],
  ["lua luajit", ["-e", "-l"]],
  ["osascript", ["-e", "-l"]],
  ["Rscript R", ["-e"]],
  ["awk gawk mawk nawk", ["-e --source", "-F -v -f"]],
  ["expect tclsh", ["-c"]],
  ["julia elixir", ["-e -E"]],
]);

export function codeOptionsOf(program: string): CodeOptions | undefined {
  const texts = optionsOf(program)[0] ?? optionsOf(program.replace(/[\d.]+$/, ""))[0];
  if (texts === undefined) return undefined;
  const [code, values, commands] = texts;
  return { code: listOf(code), values: [...listOf(code), ...listOf(values)], commands: listOf(commands) };
}

const listOf = (text = ""): readonly string[] => text.split(" ").filter((name) => name !== "");

/**
 * String literals, and comments of the languages in which no pattern contains a comment mark; in JavaScript `/[//]/` is
 * a pattern.
 */
const STRINGS = String.raw`"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|\`(?:[^\`\\]|\\[\s\S])*\``;
const COMMENTS: readonly (readonly [programs: RegExp, comment: string])[] = [
  [/^(?:i|j)?py(?:thon|py)?/, String.raw`#[^\n]*`],
  [/^j?ruby/, String.raw`^=begin\b[\s\S]*?^=end[^\n]*|(?<![^\s;])#[^\n]*`],
  [/^perl/, String.raw`^=\w[\s\S]*?^=cut[^\n]*|(?<![^\s;])#[^\n]*`],
  [/^php/, String.raw`//[^\n]*|/\*[\s\S]*?\*/|#[^\n]*`],
  [/^lua/, String.raw`--\[\[[\s\S]*?\]\]|--[^\n]*`],
  [/^julia/, String.raw`#=[\s\S]*?=#|#[^\n]*`],
  [/^(?:R|Rscript)$/, String.raw`#[^\n]*`],
];

/** The code without its comments. An open block comment at the end counts as code. */
export function withoutComments(code: string, program: string): string {
  const comment = COMMENTS.find(([programs]) => programs.test(program))?.[1];
  if (comment === undefined) return code;
  return code.replace(new RegExp(`(${STRINGS})|${comment}`, "gm"), (_, string: string | undefined) => string ?? " ");
}

/** Code in which the arguments that are strings of several lines, as some languages have them, have escapes for line ends. */
export function withStringsOnOneLine(code: string, program: string): string {
  if (!/^(?:perl|j?ruby|php)/.test(program)) return code;
  return code.replace(
    /(?=["'])(?<=[(,=]\s{0,9}|\w\s{1,9})(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*')/g,
    (string) => string.replaceAll("\n", "\\n"),
  );
}
