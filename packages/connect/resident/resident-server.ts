import { lstatSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { CommandResult } from "../../../src/cli/command-result.ts";
import type { AnyCommandLine, CommandLine, Commands } from "../../../src/cli/command-table.ts";
import { parseCommandLine } from "../../../src/cli/parse.ts";
import type { Host } from "../../../src/engine/host.ts";
import { PACKAGE_ROOT } from "../../../src/fs/package-root.ts";
import { makeFolder } from "../../../src/fs/write-file.ts";
import { closeInheritedOnFirstStart } from "../../../src/process/spawn-child.ts";
import { EXIT, signalExitCode, TERMINATION_SIGNALS } from "../../../src/protocol/exit-code.ts";
import { fail, ok } from "../../../src/protocol/result.ts";
import { CLIENT_LEFT, closeSignal } from "../../sdk/library/close-signal.ts";
import { listenOnSocket } from "../../sdk/serve/socket.ts";
import type { PrepareCall } from "../bridge/answer-call.ts";
import { bridge } from "../commands/bridge.ts";
import { type FrontPlace, placeOfFront } from "./front-program.ts";
import { keptCalls } from "./kept-calls.ts";
import { noteServer, otherServers } from "./resident-notes.ts";
import { answerBytes, isAsDescribed, type ResidentRequest, readRequest, requestBytes } from "./resident-request.ts";

const IDLE_MS = 10 * 60_000;
/** How often a server looks whether it should end. */
const LOOK_MS = 5_000;
/** How often a caller is told that its answer is still to come: it waits for 20 seconds. */
const STILL_THERE_MS = 2_000;
const MOST_SERVERS = 4;
const MOST_CALLS = 64;
const MOST_LINES = 100;
/** The full program answers the others, and its memory ends with it. */
const MOST_REQUEST_BYTES = 2 << 20;
/** A caller sends its request at once. */
const REQUEST_MS = 5_000;
const MOST_MEMORY_BYTES = 96 << 20;

/**
 * Answers the calls that the front program passes on, as the full program would, until none has come for ten minutes.
 * What is remembered of settings is compared with the files at each call (`keptCalls`); approvals and hooks are read again.
 */
export async function serveResident(launcher: string, host: Host, commands: Commands): Promise<CommandResult> {
  closeInheritedOnFirstStart();
  const place = await placeOfFront(launcher, host);
  if (!place.ok) return fail({ code: "SERVE_NOT_STARTED", place: launcher, cause: place.error });
  const { socket } = place.value;
  if (isReplacedSinceStart())
    return fail({ code: "SERVE_NOT_STARTED", place: launcher, cause: "hookctl was replaced" });
  makeFolder(dirname(socket));
  if (otherServers(socket).length >= MOST_SERVERS) {
    return fail({ code: "SERVE_NOT_STARTED", place: socket, cause: `${MOST_SERVERS} servers are running` });
  }
  const calls = new Calls(place.value, host, commands);
  const server = await listenOnSocket(socket, (client) => calls.accept(client));
  if (!server.ok) return fail({ code: "SERVE_NOT_STARTED", place: socket, cause: server.error });
  const forget = noteServer(socket, host);
  const inode = inodeOf(socket);
  let timer: NodeJS.Timeout | undefined;
  const signal = await new Promise<string | null>((settle) => {
    timer = setInterval(() => {
      // A folder that was removed, or another server, takes the socket away.
      const isReplaced = inodeOf(socket) !== inode;
      if (isReplaced || calls.areIdle() || process.memoryUsage.rss() > MOST_MEMORY_BYTES) settle(null);
    }, LOOK_MS);
    host.interrupt.listen(settle);
  });
  clearInterval(timer);
  server.value.close();
  forget();
  await calls.end(signal);
  return ok(signal === null ? EXIT.ok : signalExitCode(signal));
}

/**
 * A server takes half the memory if V8 collects garbage early, and does without its middle compiler, which takes 40 MB for
 * long functions. A call takes less time if a function is optimized only when it has proved to be hot, as later versions of
 * Node do by themselves. After the first call: with these flags V8 refuses code that is kept, and by then it is loaded.
 */
function spareMemory(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=20");
  setFlagsFromString("--no-maglev");
  if (process.versions.node.startsWith("20.")) setFlagsFromString("--interrupt-budget=400000");
}

/** True if the description is of another build than the code that runs here. */
const isReplacedSinceStart = (): boolean =>
  statSync(new URL("dist/hot.cjs", PACKAGE_ROOT)).ctimeMs > Date.now() - process.uptime() * 1e3;

const inodeOf = (path: string): number | null => lstatSync(path, { throwIfNoEntry: false })?.ino ?? null;

/** The parser reads the options of a command by its row. */
const isBridge = (line: AnyCommandLine): line is CommandLine<"bridge"> => line.command === "bridge";

interface OpenCall {
  readonly stop: (by: string) => void;
  /** Its hooks have ended, and its caller has the answer or is gone. */
  readonly ended: Promise<void>;
}

/** The calls that are being answered. */
class Calls {
  readonly #place: FrontPlace;
  readonly #host: Host;
  readonly #commands: Commands;
  readonly #prepare: PrepareCall;
  readonly #open = new Set<OpenCall>();
  readonly #lines = new Map<string, CommandLine<"bridge">>();
  #lastMs: number;
  /** The calls that have a timer. */
  #answering = 0;
  #isEnding = false;
  #sparesMemory = false;

  constructor(place: FrontPlace, host: Host, commands: Commands) {
    this.#place = place;
    this.#host = host;
    this.#commands = commands;
    this.#prepare = keptCalls(host.nowMs);
    this.#lastMs = host.elapsedMs();
  }

  areIdle(): boolean {
    return this.#open.size === 0 && this.#host.elapsedMs() - this.#lastMs > IDLE_MS;
  }

  /** Ends when all calls are answered; a signal ends their hooks, which is an answer, too. */
  async end(signal: string | null): Promise<void> {
    this.#isEnding = true;
    for (const call of this.#open) if (signal !== null) call.stop(signal);
    await Promise.all([...this.#open].map(({ ended }) => ended));
  }

  accept(client: Socket): void {
    this.#lastMs = this.#host.elapsedMs();
    const chunks: Buffer[] = [];
    let size = 0;
    let wanted: number | null = null;
    client.setTimeout(REQUEST_MS, () => client.destroy());
    client.on("error", () => client.destroy());
    // The front program half-closes nothing: a caller that sends no more is gone.
    client.on("end", () => client.destroy());
    client.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      wanted ??= requestBytes(Buffer.concat(chunks));
      if (wanted !== null && wanted > MOST_REQUEST_BYTES) client.destroy();
      if (wanted === null || size < wanted) return;
      client.removeAllListeners("data");
      const request = size === wanted ? readRequest(Buffer.concat(chunks)) : null;
      const line = request === null ? null : this.#lineOf(request);
      if (request === null || line === null) return void client.end("n");
      this.#begin(request, line, client);
    });
  }

  /** The command line of a request that this server may answer; null if the full program has to. */
  #lineOf(request: ResidentRequest): CommandLine<"bridge"> | null {
    const isOfOthers = !request.description.equals(this.#place.description) || !isAsDescribed(request);
    if (this.#isEnding || this.#open.size >= MOST_CALLS || isOfOthers) return null;
    return this.#parsed(request.argv);
  }

  /** An agent has a line for each of its events, with which it starts every call. */
  #parsed(argv: readonly string[]): CommandLine<"bridge"> | null {
    const key = argv.join("\0");
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const parsed = parseCommandLine(argv, this.#commands);
    const line = parsed.ok && parsed.value.kind === "call" ? parsed.value.line : null;
    if (line === null || !isBridge(line)) return null;
    if (this.#lines.size >= MOST_LINES) this.#lines.clear();
    this.#lines.set(key, line);
    return line;
  }

  /** From here on the server does not end without this call: its caller does not turn to the full program any more. */
  #begin(request: ResidentRequest, line: CommandLine<"bridge">, client: Socket): void {
    const signal = closeSignal();
    let answered = Promise.resolve();
    const closed = new Promise<void>((settle) => client.once("close", settle));
    const call = { stop: signal.close, ended: closed.then(() => answered) };
    this.#open.add(call);
    void call.ended.then(() => {
      this.#open.delete(call);
      this.#lastMs = this.#host.elapsedMs();
    });
    client.on("close", () => signal.close(CLIENT_LEFT));
    client.write("a");
    // Only now it is certain that the caller waits for this answer and for no other.
    client.once("data", (go: Buffer) => {
      if (go.toString("latin1") !== "g") return void client.destroy();
      // It got a signal, and waits for the answer that says so.
      client.on("data", ([number = 0]: Buffer) =>
        signal.close(TERMINATION_SIGNALS.find((name) => signalExitCode(name) === 128 + number)),
      );
      answered = this.#answer(request, line, signal.interrupt, client);
    });
  }

  async #answer(request: ResidentRequest, line: CommandLine<"bridge">, interrupt: Host["interrupt"], client: Socket) {
    client.setTimeout(0);
    this.#answering++;
    let quietBeats = 0;
    let giveUp: (error: Error) => void = () => {};
    const stuck = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    const stillThere = setInterval(() => {
      client.write("h");
      quietBeats = this.#canSettle() ? 0 : quietBeats + 1;
      if (quietBeats > 1) giveUp(new Error("nothing runs that could end this call"));
    }, STILL_THERE_MS);
    try {
      client.end(await Promise.race([answerOf(request, line, interrupt, this.#host, this.#prepare), stuck]));
      client.setTimeout(REQUEST_MS);
      if (!this.#sparesMemory) spareMemory();
      this.#sparesMemory = true;
    } catch {
      // Without an answer the caller fails, as the full program would.
      client.destroy();
    } finally {
      clearInterval(stillThere);
      this.#answering--;
    }
  }

  /** False if nothing runs but this server's timer, those of its calls and sockets: the full program would have ended. */
  #canSettle(): boolean {
    const running = process.getActiveResourcesInfo().filter((kind) => !kind.startsWith("Pipe"));
    return running.length > 1 + this.#answering;
  }
}

/** Answers one call: it is the command itself, with the world of its caller. */
async function answerOf(
  { argv, env, cwd, stdin, processId }: ResidentRequest,
  line: CommandLine<"bridge">,
  interrupt: Host["interrupt"],
  server: Host,
  prepare: PrepareCall,
): Promise<Buffer> {
  let stdout = "";
  let stderr = "";
  const host: Host = {
    ...server,
    argv,
    env,
    cwd,
    processId,
    interrupt,
    beganMs: server.elapsedMs(),
    isStdinTerminal: () => false,
    isStdoutTerminal: () => false,
    isStderrTerminal: () => false,
    isStdoutNull: () => false,
    stdoutColumns: () => null,
    stderrColumns: () => null,
    openTerminal: async () => null,
    readStdin: async ({ bytes }) => (stdin.length > bytes ? { kind: "too-large" } : { kind: "read", bytes: stdin }),
    out: (text) => {
      stdout += text;
      return null;
    },
    err: (text) => {
      stderr += text;
    },
  };
  const ended = await bridge(line, host, prepare);
  const exitCode = ended !== EXIT.ok && argv.includes("--fail-closed") ? EXIT.blocked : ended;
  return answerBytes(exitCode, stdout, stderr);
}
