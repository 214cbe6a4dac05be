import { parseArgs } from "node:util";

/** Exit code for a wrong option, as of hookctl itself. */
const USAGE = 64;

/**
 * Reads the options of a script in tools/. `--help` prints the help and ends the script, and so does an option that the
 * script does not have, with an error: a script that ignored it would do something else than it was asked for.
 *
 * @template {NonNullable<import("node:util").ParseArgsConfig["options"]>} Options
 * @param {string} help its first line begins with `Usage: npm run NAME`
 * @param {Options} options
 */
export function readOptions(help, options) {
  const known = { ...options, help: /** @type {const} */ ({ type: "boolean", short: "h", default: false }) };
  try {
    const { values } = parseArgs({ options: known });
    if (!("help" in values && values.help)) return values;
    process.stdout.write(help);
  } catch (error) {
    const [, script] = /^Usage: npm run (\w+)/.exec(help) ?? [];
    process.stderr.write(`✖ ${error instanceof Error ? error.message : error}\n  Try: npm run ${script} -- --help\n`);
    process.exit(USAGE);
  }
  process.exit();
}
