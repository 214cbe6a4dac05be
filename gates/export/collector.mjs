import { createServer } from "node:http";
import { gunzipSync } from "node:zlib";

/** @import { Random } from "../random.mjs" */

/**
 * @typedef {object} FlakyCollector an OpenTelemetry collector on the loopback that fails now and then
 * @property {string} url
 * @property {Set<string>} ids the spans that it acknowledged
 * @property {() => number} doubles spans that it acknowledged twice
 * @property {() => number} doubleBatches requests with such spans
 * @property {() => number} faults
 * @property {() => Promise<void>} close
 * @property {() => Promise<void>} reopen on the same port
 */

/** @param {{ faultShare: number, random: Random }} options @returns {Promise<FlakyCollector>} */
export async function openCollector({ faultShare, random }) {
  const ids = /** @type {Set<string>} */ (new Set());
  const tally = { doubles: 0, doubleBatches: 0, faults: 0 };
  const server = createServer((request, response) => {
    const chunks = /** @type {Buffer[]} */ ([]);
    request.on("error", () => undefined);
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      if (random.chance(faultShare)) {
        tally.faults += 1;
        if (random.chance(0.3)) return void request.socket.resetAndDestroy();
        return void response.writeHead(random.pick([429, 502, 503, 504]), { "retry-after": "0" }).end("{}");
      }
      if (request.url === "/v1/traces") keep(gunzipSync(Buffer.concat(chunks)).toString("utf8"));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  /** @param {string} text */
  const keep = (text) => {
    let doubles = 0;
    for (const [, id = ""] of text.matchAll(/"spanId":"([0-9a-f]{16})"/g)) {
      if (ids.has(id)) doubles += 1;
      else ids.add(id);
    }
    tally.doubles += doubles;
    tally.doubleBatches += doubles > 0 ? 1 : 0;
  };
  const listen = (/** @type {number} */ port) =>
    new Promise((/** @type {(value?: void) => void} */ ready) => server.listen(port, "127.0.0.1", () => ready()));
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    ids,
    doubles: () => tally.doubles,
    doubleBatches: () => tally.doubleBatches,
    faults: () => tally.faults,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
    reopen: () => listen(port),
  };
}
