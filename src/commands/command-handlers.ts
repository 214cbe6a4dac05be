import type { CommandResult } from "../cli/command-result.ts";
import type { CommandLine, CommandName } from "../cli/command-table.ts";
import type { Host } from "../host.ts";

type RareCommand = Exclude<CommandName, "run" | "list" | "bridge" | "status" | "completion">;
type Handler<Name extends CommandName> = (line: CommandLine<Name>, host: Host) => Promise<CommandResult>;

/** The code of each command is imported when the command is called. */
const HANDLERS: { readonly [Name in RareCommand]: Handler<Name> } = {
  test: async (line, host) => (await import("./test.ts")).test(line, host),
  check: async (line, host) => (await import("./check.ts")).check(line, host),
  try: async (line, host) => (await import("./run/try.ts")).tryHook(line, host),
  trust: async (line, host) => (await import("./trust.ts")).trust(line, host),
  untrust: async (line, host) => (await import("./untrust.ts")).untrust(line, host),
  edit: async (line, host) => (await import("./edit.ts")).edit(line, host),
  add: async (line, host) => (await import("./packs/add.ts")).add(line, host),
  update: async (line, host) => (await import("./packs/update.ts")).update(line, host),
  remove: async (line, host) => (await import("./packs/remove.ts")).remove(line, host),
  guards: async (line, host) => (await import("./guards/guards.ts")).listGuards(line, host),
  enable: async (line, host) => (await import("./guards/guards.ts")).setSwitched(line, host),
  disable: async (line, host) => (await import("./guards/guards.ts")).setSwitched(line, host),
  off: async (line, host) => (await import("./off.ts")).off(line, host),
  on: async (line, host) => (await import("./off.ts")).on(line, host),
  explain: async (line, host) => (await import("./guards/explain.ts")).explainCommand(line, host),
  init: async (line, host) => (await import("./init/init.ts")).init(line, host),
  new: async (line, host) => (await import("./scaffold/new.ts")).newHook(line, host),
  payload: async (line, host) => (await import("./payload.ts")).payload(line, host),
  schema: async (line, host) => (await import("./schema.ts")).schema(line, host),
  state: async (line, host) => (await import("./session/state.ts")).state(line, host),
  inbox: async (line, host) => (await import("./session/inbox.ts")).inbox(line, host),
  serve: async (line, host) => (await import("./serve.ts")).serve(line, host),
  install: async (line, host) => (await import("./install.ts")).install(line, host),
  uninstall: async (line, host) => (await import("./uninstall.ts")).uninstall(line, host),
  adopt: async (line, host) => (await import("./adopt.ts")).adopt(line, host),
  seal: async (line, host) => (await import("./seal.ts")).seal(line, host),
  restore: async (line, host) => (await import("./seal.ts")).restore(line, host),
  doctor: async (line, host) => (await import("./doctor.ts")).doctor(line, host),
  log: async (line, host) => (await import("./log/log.ts")).log(line, host),
  report: async (line, host) => (await import("./report/report.ts")).report(line, host),
  export: async (line, host) => (await import("./log/export.ts")).exportRecorded(line, host),
  stats: async (line, host) => (await import("./log/stats.ts")).stats(line, host),
  backtest: async (line, host) => (await import("./backtest/backtest.ts")).backtest(line, host),
  replay: async (line, host) => (await import("./backtest/replay.ts")).replay(line, host),
  why: async (line, host) => (await import("./log/why.ts")).why(line, host),
};

export function executeRare<Name extends RareCommand>(line: CommandLine<Name>, host: Host): Promise<CommandResult> {
  const handler: Handler<Name> = HANDLERS[line.command];
  return handler(line, host);
}
