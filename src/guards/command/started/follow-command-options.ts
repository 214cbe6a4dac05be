import type { Call } from "../call.ts";
import { type OptionSpec, optionValues, type ParsedOptions, parseOptions } from "../options.ts";
import type { Started } from "../script/run-command.ts";
import { childShell, runInner } from "./follow-shell.ts";

/** The options and operands with which a program runs another command. */
interface CommandOptions extends OptionSpec {
  readonly texts: (parsed: ParsedOptions) => readonly string[];
}

const textsOf = (parsed: ParsedOptions, ...names: readonly string[]): readonly string[] =>
  optionValues(parsed, ...names).map(({ text }) => text);

const TAR: CommandOptions = {
  values: [
    ...["-f", "-C", "-T", "-X", "-I", "-F", "-b", "--file", "--directory", "--exclude", "--use-compress-program"],
    ...["--info-script", "--new-volume-script", "--to-command", "--checkpoint-action", "--rsh-command"],
  ],
  texts: (parsed) =>
    textsOf(
      parsed,
      ...["-I", "-F", "--use-compress-program", "--info-script", "--new-volume-script", "--to-command"],
      ...["--rsh-command", "--checkpoint-action"],
    ).map((text) => text.replace(/^exec=/, "")),
};

const SSH_VALUES = [..."BbcDEeFIiJLlmOopQRSWw"].map((letter) => `-${letter}`);

/** `-o ProxyCommand=text`, `-oProxyCommand text`. */
const sshTexts = (parsed: ParsedOptions): readonly string[] =>
  optionValues(parsed, "-o").flatMap(({ text }) => {
    const command = /^\s*(?:Proxy|Local|KnownHosts)Command\s*[=\s]\s*(.*)$/is.exec(text)?.[1];
    return command === undefined || command === "none" ? [] : [command];
  });

/** `EXEC:text,options` and `SYSTEM:text`, with a backslash before special characters. */
const socatTexts = ({ operands }: ParsedOptions): readonly string[] =>
  operands.flatMap(({ text }) => {
    const command = /^(?:exec|system|shell):(.*)$/is.exec(text)?.[1];
    return command === undefined ? [] : [withoutOptions(command).replace(/\\(.)/gs, "$1")];
  });

function withoutOptions(command: string): string {
  const parts = command.split(",");
  while (parts.length > 1 && /^[\w-]+(?:=[\w/.-]*)?$/.test(parts.at(-1) ?? "")) parts.pop();
  return parts.join(",");
}

const PROGRAMS: ReadonlyMap<string, CommandOptions> = new Map([
  ...["tar", "gtar", "bsdtar"].map((name) => [name, TAR] as const),
  ["ssh", { values: SSH_VALUES, endsAtOperand: true, texts: sshTexts }],
  ...["scp", "sftp"].map((name) => [name, { values: SSH_VALUES, texts: sshTexts }] as const),
  ["socat", { texts: socatTexts }],
  ["rsync", { values: ["-e", "-f", "-T", "-B", "-M", "--rsh"], texts: (parsed) => textsOf(parsed, "-e", "--rsh") }],
  ["sort", { values: ["--compress-program"], texts: (parsed) => textsOf(parsed, "--compress-program") }],
]);

/** Follows commands that a program runs for an option: `tar -I text`, `ssh -o ProxyCommand=text`. */
export function followCommandOptions(call: Call, started: Started): void {
  const options = PROGRAMS.get(call.program);
  if (options === undefined) return;
  for (const text of options.texts(parseOptions(call.args, options)))
    runInner(text, childShell(started.state), { call, started, relation: "shell text" });
}
