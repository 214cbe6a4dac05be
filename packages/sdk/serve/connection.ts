import type { Readable, Writable } from "node:stream";
import { PAYLOAD_LIMIT_BYTES } from "../../../src/protocol/payload/payload.ts";
import type { Problem } from "../../../src/protocol/problem.ts";
import { closeSignal } from "../library/close-signal.ts";
import { badRequest, errorText, type Incoming, idKeyOf, type Request, RPC, readCall, resultText } from "./json-rpc.ts";
import { createLineReader, type Line } from "./line-reader.ts";
import type { Service } from "./service.ts";

/** So many requests of one client wait for an answer before no more are read; and so many bytes of them. */
const MOST_PENDING = 256;
const MOST_PENDING_BYTES = PAYLOAD_LIMIT_BYTES;
/** How often a client that has sent its last request is asked whether it is still there. */
const PROBE_MS = 250;

/** What ends the hooks of a request, in the words of the record; the third is a signal to the server. */
export const CLIENT_LEFT = "a client that left";
const CANCELLED = "cancel";

/** A request that is not answered yet. */
interface Pending {
  readonly idKey: string | null;
  readonly cancel: (by: string) => void;
}

/** Answers the requests of one client, until it has sent its last one and got every answer, or is gone. */
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
    /** A space before an answer means nothing to a reader of JSON, and cannot be written to a client that is gone. */
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
    // A stream that breaks off has no reader either.
    input.on("error", leave);
    output.on("error", leave);
    output.on("drain", pump);
  });
}

/** The answer to one line; null: it needs none. */
async function answerOf(line: Line, pending: Set<Pending>, service: Service): Promise<string | null> {
  if (line.kind === "too-long") return errorText(TOO_LONG);
  const call = readCall(line.bytes);
  if (call === null) return null;
  const [first] = call.requests;
  if (!call.isBatch && first !== undefined) return answerOne(first, pending, service);
  const answers = await Promise.all(call.requests.map((one) => answerOne(one, pending, service)));
  const texts = answers.filter((one) => one !== null);
  return texts.length === 0 ? null : `[${texts.join(",")}]`;
}

const TOO_LONG = {
  id: null,
  code: RPC.parseError,
  problem: { code: "PAYLOAD_TOO_LARGE", limitBytes: PAYLOAD_LIMIT_BYTES } as const satisfies Problem,
};

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
