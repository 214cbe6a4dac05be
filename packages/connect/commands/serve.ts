import type { Socket } from "node:net";
import { resolve } from "node:path";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { CommandLine } from "../../../src/cli/command-table.ts";
import type { Host } from "../../../src/engine/host.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { EXIT, signalExitCode } from "../../../src/protocol/exit-code.ts";
import { attempt, fail, ok, ProblemError } from "../../../src/protocol/result.ts";
import { serveConnection } from "../../sdk/serve/connection.ts";
import { engineMethods, preload } from "../../sdk/serve/methods.ts";
import { isServersOwn } from "../../sdk/serve/request-environment.ts";
import { createService, type Service } from "../../sdk/serve/service.ts";
import { listenOnSocket } from "../../sdk/serve/socket.ts";
import { openStdout, written } from "../../sdk/serve/stdout.ts";
import { showServers } from "../resident/show-servers.ts";
import { sessionMethods } from "./serve/session-methods.ts";

const DEFAULT_CHAINS = 16;

/** Answers requests of other programs until stdin ends, `shutdown` is requested, or a signal arrives. */
export async function serve({ options }: CommandLine<"serve">, host: Host): Promise<CommandResult> {
  closeInheritedOnFirstStart();
  if (options.isStatus || options.isStop) return showServers(options, host);
  const { socket, variables, mostChains } = options;
  const refused = variables.find(isServersOwn);
  if (refused !== undefined) {
    return fail({ code: "USAGE_BAD_VALUE", flag: "--env", value: refused, detail: "no request may set it" });
  }
  if (options.trust) {
    const detail = "serve: --trust is for one call, but a server answers many.";
    return fail({ code: "USAGE_WRONG_WORDS", detail, tryThis: "hookctl trust" });
  }
  const env = options.noHooks ? { ...host.env, HOOKCTL_NO_HOOKS: "1" } : host.env;
  const limits = { mostChains: mostChains ?? DEFAULT_CHAINS, allowedVariables: variables };
  const engine = engineMethods({ ...host, env }, { ...limits, engine: options });
  const service = createService({ ...engine, ...sessionMethods(host) }, host.elapsedMs);
  void preload(options, { ...host, env, beganMs: host.elapsedMs() }).catch(() => {});
  const stopListening = host.interrupt.listen(service.stop);
  const ended = await attempt(() =>
    socket === null ? serveStdio(service, host) : serveSocket(resolve(host.cwd, socket), service, host),
  );
  stopListening();
  const signal = host.interrupt.raised();
  return signal === null ? ended : ok(signalExitCode(signal));
}

async function serveStdio(service: Service, host: Host): Promise<number> {
  if (host.isStdinTerminal()) host.err("Waiting for requests on stdin. See docs/serve.md; Ctrl-D ends it.\n");
  const output = openStdout();
  const lost: NodeJS.ErrnoException[] = [];
  output.on("error", (error) => lost.push(error));
  await serveConnection(process.stdin, output, service);
  process.stdin.destroy();
  await written(output);
  const cause = lost.at(-1)?.code;
  if (cause !== undefined) throw new ProblemError({ code: "OUTPUT_LOST", cause, isDecision: true });
  return EXIT.ok;
}

/** Stops accepting clients at the end, and settles when the last one has its answer. */
async function serveSocket(path: string, service: Service, host: Host): Promise<number> {
  const clients = new Set<Promise<void>>();
  const server = await listenOnSocket(path, (client) => {
    const served = serveClient(client, service).finally(() => clients.delete(served));
    clients.add(served);
  });
  if (!server.ok) throw new ProblemError({ code: "SERVE_NOT_STARTED", place: path, cause: server.error });
  host.err(`Serving on ${path}\n`);
  await service.ended;
  server.value.close();
  await Promise.all(clients);
  return EXIT.ok;
}

async function serveClient(client: Socket, service: Service): Promise<void> {
  await serveConnection(client, client, service);
  // Until everything is written, or the reader has closed the stream.
  await new Promise<void>((settle) => {
    if (client.destroyed) return settle();
    client.on("close", settle);
    client.on("error", () => settle());
    client.end(() => settle());
  });
  client.destroy();
}
