import { createWriteStream } from "node:fs";
import type { Socket } from "node:net";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { CommandResult } from "../cli/command-result.ts";
import type { CommandLine } from "../cli/command-table.ts";
import type { Host } from "../host.ts";
import { closeInheritedOnFirstStart } from "../process/descriptors.ts";
import { EXIT, signalExitCode } from "../protocol/exit-code.ts";
import { fail, ok } from "../protocol/result.ts";
import { serveConnection } from "../serve/connection.ts";
import { engineMethods } from "../serve/methods.ts";
import { isServersOwn } from "../serve/request-environment.ts";
import { createService, type Service } from "../serve/service.ts";
import { listenOnSocket } from "../serve/socket.ts";
import { sessionMethods } from "./serve/session-methods.ts";

const DEFAULT_CHAINS = 16;

/** Answers requests of other programs until stdin ends, `shutdown` is asked for, or a signal comes. */
export async function serve(line: CommandLine<"serve">, host: Host): Promise<CommandResult> {
  const { socket, variables, mostChains } = line.options;
  const refused = variables.find(isServersOwn);
  if (refused !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--env", value: refused, detail: "no request may set it" });
  }
  if (line.options.trust) {
    const detail = "serve: --trust is for one call, and a server answers many.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust" });
  }
  closeInheritedOnFirstStart();
  const options = { mostChains: mostChains ?? DEFAULT_CHAINS, allowedVariables: variables, engine: line.options };
  const env = line.options.noHooks ? { ...host.env, HOOKCTL_NO_HOOKS: "1" } : host.env;
  const methods = { ...engineMethods({ ...host, env }, options), ...sessionMethods(host) };
  const service = createService(methods, host.elapsedMs);
  const stopListening = host.interrupt.listen(service.stop);
  const ended =
    socket === null ? await serveStdio(service, host) : await serveSocket(resolve(host.cwd, socket), service, host);
  stopListening();
  const signal = host.interrupt.raised();
  return signal === null ? ended : ok(signalExitCode(signal));
}

async function serveStdio(service: Service, host: Host): Promise<CommandResult> {
  if (host.isStdinTerminal()) host.err("Waiting for requests on stdin. See docs/serve.md; Ctrl-D ends it.\n");
  // Node writes to a pipe on stdout at once and waits for its reader: hooks would pass their timeouts meanwhile.
  const output = createWriteStream("", { fd: 1, autoClose: false });
  let lost: NodeJS.ErrnoException | null = null;
  output.on("error", (error) => {
    lost = error;
  });
  await serveConnection(process.stdin, output, service);
  process.stdin.destroy();
  await flushed(output);
  const cause = (lost as NodeJS.ErrnoException | null)?.code;
  return cause === undefined ? ok(EXIT.ok) : fail({ code: "OUTPUT_LOST", cause, isDecision: true });
}

async function serveSocket(path: string, service: Service, host: Host): Promise<CommandResult> {
  const clients = new Set<Promise<void>>();
  const onClient = (client: Socket): void => {
    const served = serveClient(client, service).finally(() => clients.delete(served));
    clients.add(served);
  };
  const server = await listenOnSocket(path, onClient);
  if (!server.ok) return fail({ code: "SERVE_NOT_STARTED", place: path, cause: server.error });
  host.err(`Serving on ${path}\n`);
  await service.ended;
  server.value.close();
  await Promise.all(clients);
  return ok(EXIT.ok);
}

async function serveClient(client: Socket, service: Service): Promise<void> {
  await serveConnection(client, client, service);
  await flushed(client);
  client.destroy();
}

/** Settles when everything is written, or the reader is gone. */
const flushed = (output: Readable | Writable): Promise<void> =>
  new Promise((settle) => {
    if (!("end" in output) || output.destroyed) return settle();
    output.on("close", settle);
    output.on("error", () => settle());
    output.end(() => settle());
  });
