import type { Readable, Writable } from "node:stream";
import { PAYLOAD_LIMIT_BYTES } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { CLIENT_LEFT, closeSignal } from "../library/close-signal.ts";
import { badRequest, errorText, type Incoming, idKeyOf, type Request, RPC, readCall, resultText } from "./json-rpc.ts";
import { createLineReader, type Line } from "./line-reader.ts";
import type { Service } from "./service.ts";

/** No more requests of a client are read while this number of them, or of their bytes, has no answer. */
const MOST_PENDING = 256;
const MOST_PENDING_BYTES = PAYLOAD_LIMIT_BYTES;
/** How often a client that has sent its last request is probed: only a failed write shows that it is gone. */
const PROBE_MS = 250;

/** What ends the hooks of a request, as it is written in the record. */
const CANCELLED = "cancel";

/** A request that is not answered yet. */
interface Pending {
  readonly idKey: string | null;
  readonly cancel: (by: string) => void;
}

/** Answers the requests of one client. Settles when the client has sent its last request and got all answers, or is gone. */
export function serveConnection(input: Readable, output: Writable, service: Service): Promise<void> {
  const pending = new Set<Pending>();
  const lines = createLineReader(PAYLOAD_LIMIT_BYTES);
  let lineCount = 0;
  let lineBytes = 0;
  let hasEnded = false;
  let isOver = false;
  let probing: NodeJS.Timeout | null = null;

  return new Promise((settle) => {
    const cancelAll = (by: string): void => {
      for (const { cancel } of [...pending]) cancel(by);
    };
    const leave = (): void => {
      isOver = true;
      cancelAll(CLIENT_LEFT);
      finishIfDone();
    };
    const finishIfDone = (): void => {
      if (!isOver || lineCount > 0) return;
      if (probing !== null) clearInterval(probing);
      stopListening();
      settle();
    };
    /** Reads on as long as there is room for more requests. */
    const pump = (): void => {
      while (!isOver && !isFull()) {
        const line = lines.next();
        if (line !== null) void answerLine(line);
        else if (hasEnded) endReading();
        else return void input.resume();
      }
      finishIfDone();
    };
    const isFull = (): boolean =>
      lineCount >= MOST_PENDING || lineBytes >= MOST_PENDING_BYTES || output.writableNeedDrain;
    const endReading = (): void => {
      const last = lines.end();
      if (last !== null) void answerLine(last);
      isOver = true;
      probing = setInterval(probe, PROBE_MS);
    };
    /** A reader of JSON ignores a space before an answer. */
    const probe = (): void => {
      if (!output.writableNeedDrain) output.write(" ");
    };
    /** Answers that come together are written together. */
    const send = (text: string): void => {
      if (output.writableCorked === 0) {
        output.cork();
        process.nextTick(() => output.uncork());
      }
      output.write(text);
    };
    const answerLine = async (line: Line): Promise<void> => {
      const bytes = line.kind === "line" ? line.bytes.length : 0;
      lineCount++;
      lineBytes += bytes;
      const text = await answerOf(line, pending, service);
      lineCount--;
      lineBytes -= bytes;
      if (text !== null && !output.destroyed) send(`${text}\n`);
      pump();
    };
    const stopListening = service.listen({
      onStop: cancelAll,
      onEnd: () => {
        isOver = true;
        input.pause();
        finishIfDone();
      },
    });
    input.on("data", (chunk: Uint8Array) => {
      input.pause();
      lines.push(chunk);
      pump();
    });
    input.on("end", () => {
      hasEnded = true;
      pump();
    });
    // If one direction breaks off, the client is gone.
    input.on("error", leave);
    output.on("error", leave);
    output.on("drain", pump);
  });
}

/** The answer to one line; null if it needs none. */
async function answerOf(line: Line, pending: Set<Pending>, service: Service): Promise<string | null> {
  if (line.kind === "too-long") {
    const problem: Problem = { code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES };
    return errorText({ id: null, code: RPC.parseError, problem });
  }
  const call = readCall(line.bytes);
  if (call === null) return null;
  const [first] = call.requests;
  if (!call.isBatch && first !== undefined) return answerOne(first, pending, service);
  const answers = await Promise.all(call.requests.map((one) => answerOne(one, pending, service)));
  const texts = answers.filter((one) => one !== null);
  return texts.length === 0 ? null : `[${texts.join(",")}]`;
}

async function answerOne(incoming: Incoming, pending: Set<Pending>, service: Service): Promise<string | null> {
  if (!incoming.ok) return errorText(incoming.error);
  const { id, idKey, method, params } = incoming.value;
  if (id !== null && [...pending].some((other) => other.idKey === idKey)) {
    // With its own id the client would take this error for the answer to the other request.
    return errorText({ id: null, code: RPC.invalidRequest, problem: badRequest(`id ${id} waits for an answer`) });
  }
  if (method === "cancel") return answerCancel(incoming.value, pending);
  const signal = closeSignal();
  const own: Pending = { idKey, cancel: signal.close };
  pending.add(own);
  const answered = await service.answer({ method, params, signal });
  pending.delete(own);
  if (id === null) return null;
  return answered.ok ? resultText(id, answered.value) : errorText({ id, ...answered.error });
}

/** `cancel {id}` of the same client: the hooks of that request are ended, and it is answered as cancelled. */
function answerCancel({ id, params }: Request, pending: ReadonlySet<Pending>): string | null {
  const wanted = params.get("id");
  if (wanted === undefined || params.size !== 1) {
    const problem = badRequest("cancel has the parameter id and no other");
    return id === null ? null : errorText({ id, code: RPC.invalidParams, problem });
  }
  const found = [...pending].filter((one) => one.idKey === idKeyOf(wanted));
  for (const one of found) one.cancel(CANCELLED);
  return id === null ? null : resultText(id, JSON.stringify({ cancelled: found.length > 0 }));
}
