import { type CommandRows, defineCommands } from "../../../src/cli/command-table.ts";

const SESSION = {
  name: "--session",
  kind: "text",
  placeholder: "ID",
  values: ["session"],
  about: "session id (default: $HOOKCTL_SESSION)",
} as const;

const ROWS = {
  state: {
    arguments: "<action> [key] [value]",
    values: [[["get", "set", "incr", "unset"]]],
    about: "read or change the values of a session",
    note: [
      "Actions: get [KEY], set KEY VALUE, incr KEY [BY], unset KEY. A value that is",
      "valid JSON is stored as JSON, any other as text.",
    ].join("\n"),
    isData: true,
    options: { session: SESSION },
  },
  inbox: {
    arguments: "[action]",
    values: [[["show", "drain"]]],
    about: "show messages that hooks sent to a session; drain removes them when one of them wakes the agent",
    options: {
      isAll: { name: "--all", kind: "switch", about: "drain messages even if none of them wakes the agent" },
      session: SESSION,
    },
  },
  serve: {
    arguments: "",
    about: "answer requests of other programs: JSON-RPC on stdin and stdout, or on a socket",
    hasProtocol: true,
    options: {
      socket: {
        name: "--socket",
        kind: "text",
        placeholder: "PATH",
        about: "listen on this socket, which only you can use",
      },
      mostChains: {
        name: "--max-concurrent",
        kind: "number",
        placeholder: "N",
        most: 1000,
        about: "run at most N chains of hooks at a time (default: 16)",
      },
      resident: {
        name: "--resident",
        kind: "text",
        placeholder: "LAUNCHER",
        about: "answer the calls of agents that this launcher starts; hookctl starts such a server automatically",
      },
      isStatus: { name: "--status", kind: "switch", about: "show the servers that answer calls of agents" },
      isStop: { name: "--stop", kind: "switch", about: "stop them" },
      variables: {
        name: "--env",
        kind: "list",
        placeholder: "NAME",
        about: "a variable that requests may set, too; repeatable",
      },
    },
  },
  completion: {
    arguments: "<shell> [words...]",
    values: [[["bash", "zsh", "fish"]], []],
    about: "print a script that completes hookctl commands in bash, zsh or fish",
    note: [
      "bash, in ~/.bashrc:                   source <(hookctl completion bash)",
      "zsh, in ~/.zshrc, after compinit:     source <(hookctl completion zsh)",
      "fish, once:                           hookctl completion fish > ~/.config/fish/completions/hookctl.fish",
    ].join("\n"),
    isData: true,
    options: {},
  },
} as const satisfies CommandRows;

type Rows = typeof ROWS;
declare module "../../../src/cli/command-table.ts" {
  interface CommandTable extends Rows {}
}

export const scriptingCommands = defineCommands(ROWS, {
  state: async () => (await import("./session/state.ts")).state,
  inbox: async () => (await import("./session/inbox.ts")).inbox,
  // A server of an agent's calls is started often, and loads little.
  serve: async () => async (line, host, commands) => {
    const { resident } = line.options;
    if (resident === null) return (await import("../../connect/commands/serve.ts")).serve(line, host);
    return (await import("../../connect/resident/resident-server.ts")).serveResident(resident, host, commands);
  },
  completion: async () => (await import("./completion/completion.ts")).completion,
});
