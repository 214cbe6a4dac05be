import { networkInterfaces } from "node:os";
import { describeProbes } from "./describe-probes.ts";
import type { Probe, Scene } from "./probe.ts";
import { CONNECT_TCP, CONNECT_UNIX, inHome, pythonServer, tcp, unixStream } from "./servers.ts";

const udp = async (): Promise<Scene> => {
  const bind = `socket.socket(socket.AF_INET, socket.SOCK_DGRAM); server.bind(("127.0.0.1", 0))`;
  const scene = await pythonServer(bind);
  return { ...scene, host: { port: Number(scene.port) } };
};

const unixDatagrams: Probe["arrange"] = async ({ dir }) => {
  const path = inHome(dir);
  const bind = `socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); server.bind(${JSON.stringify(path)})`;
  return { ...(await pythonServer(bind)), host: { path } };
};

/** Its name is in no folder, but in the network namespace. */
const abstractStream: Probe["arrange"] = async ({ dir }) => {
  const path = `\0${dir}`;
  const bind = `socket.socket(socket.AF_UNIX); server.bind(${JSON.stringify(path)}); server.listen()`;
  return { ...(await pythonServer(bind, `server.accept()[0].send(b"hello")`)), host: { path } };
};

const hasIpv6 = networkInterfaces().lo?.some(({ family }) => family === "IPv6") ?? false;

const probes: readonly Probe[] = [
  {
    title: "TCP by IPv6",
    attempt: CONNECT_TCP,
    arrange: () => tcp("::1"),
    cannot: hasIpv6 ? null : "this machine has no IPv6",
  },
  {
    title: "UDP",
    attempt: `socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"secret", ("127.0.0.1", host["port"]))`,
    arrange: udp,
  },
  {
    title: "a DNS query, whose name is the message",
    attempt: `
query = struct.pack(">6H", 7, 256, 1, 0, 0, 0) + b"\\x06secret\\x07example\\x00" + struct.pack(">2H", 1, 1)
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(query, ("127.0.0.1", host["port"]))
`,
    arrange: udp,
  },
  {
    title: "a Unix socket by its path, such as that of an SSH agent",
    attempt: CONNECT_UNIX,
    arrange: unixStream,
  },
  {
    title: "a Unix socket by its path, although the network is granted",
    attempt: CONNECT_UNIX,
    arrange: unixStream,
    sandbox: { network: true },
  },
  {
    title: "an abstract Unix socket",
    attempt: CONNECT_UNIX,
    arrange: abstractStream,
  },
  {
    title: "an abstract Unix socket, although the network is granted",
    attempt: CONNECT_UNIX,
    arrange: abstractStream,
    sandbox: { network: true },
  },
  {
    title: "a Unix socket of datagrams, such as that of the system's log",
    attempt: `socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"secret", host["path"])`,
    arrange: unixDatagrams,
  },
  {
    title: "the same through a pair of datagram sockets",
    attempt: `socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"secret", host["path"])`,
    arrange: unixDatagrams,
  },
];

describeProbes("the network", probes);
