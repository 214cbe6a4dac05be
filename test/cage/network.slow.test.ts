import { existsSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { missingHere, unlessMissing } from "../sandbox/bubblewrap.ts";
import { HOOKCTL, runProgram, type Workspace, workspace } from "../support/workspace.ts";

const missing = missingHere ?? (existsSync("/usr/bin/nsenter") ? null : "needs nsenter");
const unlessHere = missing === null || missing === missingHere ? unlessMissing : ` (skipped: ${missing})`;

/** A server of this machine that the tests reach by the proxy alone. It keeps what it was asked. */
async function listen() {
  const asked: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.method} ${request.url}`);
    request.resume().on("end", () => response.end(`answer to ${request.headers.host}\n`));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return { port, asked, [Symbol.dispose]: () => server.close().closeAllConnections() };
}

async function withList(network: readonly string[], more: object = {}): Promise<Workspace> {
  const place = await workspace();
  await place.write("home/.claude/settings.json", "{}\n");
  await place.write("home/.kodelet/hooks.json", JSON.stringify({ cage: { network }, ...more }));
  return place;
}

/** Sends each text to the proxy over a connection of its own; prints each answer in one line. */
const SEND = `
import { connect } from "node:net";
for (const text of JSON.parse(process.argv[2])) {
  const answer = await new Promise((done) => {
    let all = "";
    const socket = connect(3128, "127.0.0.1").on("data", (part) => (all += part)).on("error", () => done(all || "reset"));
    socket.on("close", () => done(all));
    socket.write(text);
    if (/^CONNECT/.test(text)) socket.once("data", () => socket.end("GET /tunnel HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n"));
  });
  console.log(answer.replace(/\\s+/g, " "));
}`;

async function send(place: Workspace, texts: readonly string[]): Promise<readonly string[]> {
  await place.write("project/send.mjs", SEND);
  const { stdout, stderr } = await place.run(["cage", "--", process.execPath, "send.mjs", JSON.stringify(texts)]);
  for (const line of stderr.split("\n").filter(Boolean)) expect(line).toContain("▲ The cage refused a connection: ");
  return stdout.trim().split("\n");
}

const get = (url: string, host = "x"): string => `GET ${url} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
const tunnel = (authority: string): string => `CONNECT ${authority} HTTP/1.1\r\n\r\n`;

describe.skipIf(missing !== null)(`the list of hosts of the cage${unlessHere}`, () => {
  test("opens what it has in every spelling, and nothing else in any", async () => {
    using open = await listen();
    using other = await listen();
    await using place = await withList([`127.0.0.1:${open.port}`, `localhost:${other.port}`]);
    const opened = [
      ...[get(`http://127.0.0.1:${open.port}/`, `127.0.0.1:${other.port}`), get(`http://2130706433:${open.port}/`)],
      tunnel(`127.0.0.1:${open.port}`),
    ];
    const refused = [
      ...["127.0.0.1", "2130706433", "0x7f.1", "127.0.0.1.", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST."].flatMap(
        (host) => [get(`http://${host}:${other.port}/`), tunnel(`${host}:${other.port}`)],
      ),
      get(`http://127.0.0.1:${open.port}@127.0.0.1:${other.port}/`),
      get(`http://other.test/`, `127.0.0.1:${open.port}`),
      ...[tunnel("169.254.169.254:80"), tunnel("[::1]:443")],
    ];
    const invalid = [
      ...[get("file:///etc/passwd"), get(`//127.0.0.1:${other.port}/`), tunnel(`127.0.0.1:${open.port}@x:80`)],
      `POST http://127.0.0.1:${open.port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get(`http://127.0.0.1:${other.port}/`)}`,
      `GET http://127.0.0.1:${open.port}/ HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(100_000)}\r\n\r\n`,
    ];
    const answers = await send(place, [...opened, ...refused, ...invalid]);
    for (const answer of answers.slice(0, opened.length)) expect(answer).toMatch(/^HTTP\/1.1 200 .*answer to /);
    for (const answer of answers.slice(opened.length, opened.length + refused.length))
      expect(answer).toMatch(/^HTTP\/1.1 403 .*hookctl cage allow /);
    for (const answer of answers.slice(-invalid.length)) expect(answer).toMatch(/^(?:HTTP\/1.1 4(?:00|04|31) |reset$)/);
    expect(open.asked).toHaveLength(opened.length);
    expect(other.asked).toEqual([]);
  });

  test("is the only way out: without the variables there is none, not even to the loopback of the machine", async () => {
    using server = await listen();
    await using place = await withList([`127.0.0.1:${server.port}`]);
    const script = `
      curl -sS --noproxy "" http://127.0.0.1:${server.port}/by-proxy
      unset HTTP_PROXY http_proxy ALL_PROXY all_proxy; curl -s -m 5 http://127.0.0.1:${server.port}/direct || echo closed
      kill -9 -1 2>/dev/null; grep -c '' /proc/net/unix; cut -d: -f1 /proc/net/dev | tail -n +3`;
    const { stdout } = await place.run(["cage", "--", "bash", "-c", script]);
    expect(stdout).toMatch(/^answer to .*\nclosed\n1\n +lo\n$/);
    expect(server.asked).toEqual(["GET /by-proxy"]);
    const free = await runProgram(["curl", "-sS", `http://127.0.0.1:${server.port}/free`], {
      cwd: place.project,
      env: place.env,
    });
    expect(free).toMatchObject({ stderr: "", code: 0 });
  });

  test("sends no known secret in plain HTTP, unless the settings keep its variable", async () => {
    using server = await listen();
    const list = [`127.0.0.1:${server.port}`];
    await using place = await withList(list);
    await place.write("project/.env", "DB_PASSWORD=kV9x2Lq8Zr4w\n");
    const url = `http://127.0.0.1:${server.port}`;
    const env = { MY_API_TOKEN: "tok-7Gh2kQ9ZxP4mW8vB" };
    const curl = (options: string) =>
      place.run(["cage", "--", "sh", "-c", `curl -sS --noproxy "" ${options}`], { env });
    for (const options of [`${url}/kV9x2Lq8Zr4w`, `-H "X: ${env.MY_API_TOKEN}" ${url}`, `--data @.env ${url}`])
      expect((await curl(options)).stdout).toMatch(/has a secret in it \(secret value\).*`cage.env`/);
    expect(server.asked).toEqual([]);
    expect((await curl(`-H "X: plain" ${url}/plain`)).stdout).toContain("answer to");
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ cage: { network: list, env: ["MY_API_TOKEN"] } }));
    expect((await curl(`-H "X: $MY_API_TOKEN" ${url}/kept`)).stdout).toContain("answer to");
    expect(server.asked).toEqual(["GET /plain", "GET /kept"]);
  });

  test("reads from the person's registry, and publishes nothing there", async () => {
    using server = await listen();
    await using place = await withList(["registries"]);
    await place.write("home/.npmrc", `registry=http://127.0.0.1:${server.port}/npm-repo/\n`);
    const script = `for method in GET PUT POST DELETE; do curl -sS -X $method \${npm_config_registry}ms; done; curl -sS --path-as-is \${npm_config_registry}../x`;
    const { stdout, stderr } = await place.run(["cage", "--", "sh", "-c", script]);
    expect(stderr).toMatch(/^(?:▲ The cage refused a connection: (?:PUT|POST|DELETE) is refused: .*\n){3}$/);
    expect(stdout).toMatch(
      /^answer to .*\n.*PUT is refused.*\n.*POST is refused.*\n.*DELETE is refused.*\n.*not an address/,
    );
    expect(server.asked).toEqual(["GET /npm-repo/ms"]);
  });

  test.skipIf(!existsSync("/etc/ssh/ssh_config"))("is the way of ssh (skipped without ssh)", async () => {
    const heard: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on("data", (part) => {
        heard.push(part.toString().split("-")[0] ?? "");
        socket.end();
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    await using place = await withList([`127.0.0.1:${port}`]);
    const ssh = (to: number) => place.run(["cage", "--", "ssh", "-o", "BatchMode=yes", "-p", String(to), "127.0.0.1"]);
    expect((await ssh(port)).stderr).not.toContain("not in the list");
    expect((await ssh(1)).stderr).toContain("hookctl's cage: 127.0.0.1:1 is not in the list of hosts");
    expect(heard).toEqual(["SSH"]);
    server.close();
  });

  test("keeps the rules of a person about hosts", async () => {
    using server = await listen();
    const list = [`127.0.0.1:${server.port}`];
    const hosts = { block: ["127.0.0.1"] };
    await using place = await withList(list, { hosts });
    const [refused] = await send(place, [get(`http://127.0.0.1:${server.port}/`)]);
    expect(refused).toContain("stopped by the rule `127.0.0.1`");
    await place.write("home/.kodelet/hooks.json", JSON.stringify({ cage: { network: list } }));
    expect(await send(place, [get(`http://127.0.0.1:${server.port}/`)])).toEqual([
      expect.stringContaining("answer to"),
    ]);
  });

  test("is of the session: calls share a loopback, the agent reads what was refused, and it ends closed", async () => {
    await using place = await withList(["api.example.com"]);
    expect(await place.run(["enable", "cage"])).toMatchObject({ stderr: "", code: 0 });
    const cage = join(place.home, ".local/state/hookctl/cage");
    const serve = `(${process.execPath} -e 'require("node:http").createServer((q, r) => r.end("dev server")).listen(8123)' >/dev/null 2>&1 &); until curl -s http://127.0.0.1:8123/; do sleep 0.1; done`;
    const agent = `
      import { spawnSync } from "node:child_process";
      import { readdirSync, readFileSync } from "node:fs";
      const shell = (command) => spawnSync(${JSON.stringify(join(cage, "shells/bash"))}, ["-c", command], { encoding: "utf8", detached: true });
      const ask = (event, command, more = {}) => {
        const input = JSON.stringify({ session_id: "s", cwd: process.cwd(), tool_name: "Bash", tool_input: { command }, tool_use_id: "t", hook_event_name: event, ...more });
        const [program, ...words] = ${JSON.stringify([...HOOKCTL, "bridge", "claude", "--event"])};
        return spawnSync(program, [...words, event], { input, encoding: "utf8" }).stdout;
      };
      const call = (command) => {
        ask("PreToolUse", command);
        const { stdout, status } = shell(command);
        return { stdout, status, told: ask("PostToolUse", command, { tool_response: { stdout, stderr: "" } }) };
      };
      const calls = [${JSON.stringify(serve)}, "curl -s http://127.0.0.1:8123/", "curl -s https://evil.test/"].map(call);
      const records = ${JSON.stringify(join(cage, "records"))};
      const { process: key } = JSON.parse(readFileSync(records + "/" + readdirSync(records)[0] + "/proxy.json", "utf8"));
      process.kill(Number(key.split("-")[0]), "SIGKILL");
      process.stdout.write(JSON.stringify({ calls, closed: shell("echo open").status, again: call("echo again").stdout }));
    `;
    const { stdout } = await runProgram([process.execPath, "--input-type=module", "-e", agent], {
      cwd: place.project,
      env: place.env,
    });
    const { calls, closed, again } = JSON.parse(stdout);
    expect(calls.map((one: { stdout: string }) => one.stdout)).toEqual(["dev server", "dev server", ""]);
    expect(calls[2].told).toContain("hookctl's cage refused a connection: evil.test is not in the list of hosts");
    expect(calls[2].told).toContain("hookctl cage allow evil.test --here");
    expect(calls[1].told).toBe("");
    expect(closed).not.toBe(0);
    expect(again).toBe("again\n");
    expect((await place.run(["log", "--limit", "5"])).stdout + (await place.run(["why"])).stdout).toContain(
      "evil.test",
    );
  });
});
