import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { PYTHON } from "./bubblewrap.ts";
import type { Probe, Scene } from "./probe.ts";

/** A server that counts who came. */
async function listener(listen: (server: Server) => void): Promise<Scene & { readonly server: Server }> {
  let visitors = 0;
  const server = createServer((socket) => {
    visitors++;
    socket.on("error", () => undefined).end("hello");
  });
  listen(server);
  await once(server, "listening");
  return { server, escaped: () => visitors > 0, end: () => void server.close() };
}

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
};

/** A TCP server of the test. */
export const tcp = async (address: string): Promise<Scene> => {
  const scene = await listener((server) => server.listen(0, address));
  return { ...scene, host: { address, port: portOf(scene.server) } };
};

/** A server on the host that Python starts: of datagrams, or with a name that Node cannot bind. */
export async function pythonServer(
  bind: string,
  receive = "server.recv(1000)",
): Promise<Scene & { readonly port: string }> {
  const script = `
import socket, sys
server = ${bind}
name = server.getsockname()
print(name[1] if isinstance(name, tuple) else 0, flush=True)
print("got", ${receive}, flush=True)
`;
  const child = spawn(PYTHON, ["-I", "-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  let heard = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    heard += text;
  });
  await once(child.stdout, "data");
  const arrived = new Promise<boolean>((settle) => {
    child.stdout.on("close", () => settle(heard.includes("got")));
  });
  return {
    port: heard.trim(),
    escaped: (_said, patienceMs) => Promise.race([arrived, delay(patienceMs, false, { ref: false })]),
    end: () => void child.kill("SIGKILL"),
  };
}

export const inHome = (dir: string): string => join(dir, "home", "agent.sock");

/** A Unix socket that everybody may use. */
export const unixStream: Probe["arrange"] = async ({ dir }) => {
  const path = inHome(dir);
  const scene = await listener((server) => server.listen(path));
  chmodSync(path, 0o777);
  return { ...scene, host: { path } };
};

export const CONNECT_UNIX = `
client = socket.socket(socket.AF_UNIX)
client.connect(host["path"])
said = client.recv(5).decode()
`;

/** Gets a word from the server of `tcp`. */
export const CONNECT_TCP = `said = socket.create_connection((host["address"], host["port"]), 5).recv(5).decode()`;
