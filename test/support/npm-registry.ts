import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

/** An entry of a tar archive; a plain file by default. */
export interface TarEntry {
  readonly path: string;
  readonly text?: string;
  readonly mode?: number;
  readonly type?: string;
  readonly link?: string;
}

/** A tar archive as npm reads it. Nothing is checked, so that hostile ones can be made. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, text = "", mode = 0o644, type = "0", link = "" }) => {
    const header = Buffer.alloc(512);
    const size = Buffer.byteLength(text);
    header.write(path, 0, 100);
    header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
    header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
    header.write(`${"0".repeat(11)}\0`, 136);
    header.write("        ", 148);
    header.write(type, 156);
    header.write(link, 157, 100);
    header.write("ustar\u000000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    const padded = Buffer.alloc(Math.ceil(size / 512) * 512);
    padded.write(text);
    return [header, padded];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

export interface NpmRegistry extends AsyncDisposable {
  readonly url: string;
  /** Publishes a version; `latest` is the last one. */
  readonly publish: (name: string, version: string, entries: readonly TarEntry[], integrity?: string) => string;
}

/** A registry on loopback that serves the packages of one test. */
export async function npmRegistry(): Promise<NpmRegistry> {
  const packages = new Map<string, Map<string, { readonly tarball: Buffer; readonly integrity: string }>>();
  let url = "";
  const server = createServer(({ url: path = "" }, response) => {
    const [, name = "", file] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/.exec(decodeURIComponent(path)) ?? [];
    const versions = packages.get(name);
    const found = file === undefined ? undefined : versions?.get(file);
    if (versions === undefined || (file !== undefined && found === undefined)) return response.writeHead(404).end("{}");
    if (found !== undefined) return response.end(found.tarball);
    const documents = [...versions].map(([version, { integrity }]) => [
      version,
      {
        name,
        version,
        dist: { integrity, tarball: `${url}${name}/-/${version}.tgz` },
        scripts: { postinstall: "touch x" },
      },
    ]);
    const latest = [...versions.keys()].at(-1);
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ name, "dist-tags": { latest }, versions: Object.fromEntries(documents) }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    publish: (name, version, entries, integrity) => {
      const tarball = gzipSync(tarOf(entries));
      const own = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
      const versions = packages.get(name) ?? new Map();
      packages.set(name, versions.set(version, { tarball, integrity: integrity ?? own }));
      return own;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
