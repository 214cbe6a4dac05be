import { randomBytes } from "node:crypto";
import { lstatSync, renameSync, unlinkSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { takeLock } from "../../../src/fs/lock.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { fail, ok, type Result } from "../../../src/protocol/result.ts";
import { folderFault } from "./own-folder.ts";

/** Longer paths do not fit into a socket's address on every system. */
const LONGEST_PATH = 103;
const MOST_CLIENTS = 256;
const LOCK_MS = 5_000;
/** A server that has not accepted a connection by then hangs, but it exists. */
const ANSWER_MS = 1_000;

export interface SocketServer {
  /** Accepts no more clients, and removes the socket unless another server has replaced it. */
  readonly close: () => void;
}

/** Listens on a socket that only this user can reach. The error says why not. */
export async function listenOnSocket(
  path: string,
  onClient: (client: Socket) => void,
): Promise<Result<SocketServer, string>> {
  const firstName = firstNameOf(path);
  const longest = Math.max(Buffer.byteLength(path), Buffer.byteLength(firstName));
  if (longest > LONGEST_PATH) return fail(`its path has more than ${LONGEST_PATH} bytes`);
  const unsafe = folderFault(path);
  if (unsafe !== null) return fail(unsafe);
  try {
    // Two servers that start together must not both find a stale socket and replace it.
    const lock = await takeLock(`${path}.lock`, LOCK_MS);
    if (lock === null) return fail("another server is starting there");
    try {
      const taken = await takenBy(path);
      return taken === null ? ok(await listen(path, firstName, onClient)) : fail(taken);
    } finally {
      lock.release();
    }
  } catch (error) {
    return fail(errnoCode(error) ?? "unknown");
  }
}

/** What uses the path and may not be replaced; null if the path is free. Removes the socket of a killed server. */
async function takenBy(path: string): Promise<string | null> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isSocket()) return "a file exists there";
  if (await isAnswered(path)) return "another server uses it";
  unlinkSync(path);
  return null;
}

/** A killed server leaves its socket, which refuses every connection. */
function isAnswered(path: string): Promise<boolean> {
  return new Promise((settle) => {
    const probe = connect(path);
    const end = (isThere: boolean): void => {
      clearTimeout(timer);
      probe.destroy();
      settle(isThere);
    };
    const timer = setTimeout(() => end(true), ANSWER_MS);
    probe.on("connect", () => end(true));
    probe.on("error", (error) => end(!["ECONNREFUSED", "ENOENT"].includes(errnoCode(error) ?? "")));
  });
}

/**
 * When a server ends, Node removes the path that it listened on, even if another server has replaced the socket. So it listens
 * on a temporary path. The name is random, because containers that share a folder have the same process ids.
 */
const firstNameOf = (path: string): string => join(dirname(path), `.hookctl-${randomBytes(4).toString("hex")}`);

async function listen(path: string, firstName: string, onClient: (client: Socket) => void): Promise<SocketServer> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    // The permissions may have been changed in the meantime.
    if (isPrivate(path)) onClient(client);
    else client.destroy();
  });
  server.maxConnections = MOST_CLIENTS;
  await new Promise<void>((settle, reject) => {
    server.on("error", reject);
    // `listen` creates the socket before it returns, so the socket never has another mode.
    const before = process.umask(0o177);
    server.listen(firstName, settle);
    process.umask(before);
  });
  renameSync(firstName, path);
  const own = identityOf(path);
  return {
    close: () => {
      // While it listens no other server takes its place.
      if (own !== null && identityOf(path) === own) unlinkSync(path);
      server.close();
    },
  };
}

/** The inode of a removed socket is used again, so the time of birth is a part of the identity. Null without a socket. */
function identityOf(path: string): string | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isSocket() === true ? `${stats.dev} ${stats.ino} ${stats.birthtimeNs}` : null;
}

/** True if nobody else can connect: the system lets in who may write to the socket. */
function isPrivate(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isSocket() === true && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}
