import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface WebhookServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** What was posted, in its order. */
  readonly posted: readonly string[];
}

/** A chat channel on the loopback that answers with this status. */
export async function webhookServer(status: number): Promise<WebhookServer> {
  const posted: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      posted.push(body);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const close = async () => void (await new Promise((done) => server.close(done)));
  return { url: `http://127.0.0.1:${port}`, posted, [Symbol.asyncDispose]: close };
}
