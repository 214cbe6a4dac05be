import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** The browser of this machine; null: it has none. */
export const chromium = NAMES.find((name) => spawnSync(name, ["--version"]).status === 0) ?? null;

export interface View {
  readonly width: number;
  readonly isDark?: boolean;
  readonly isPrint?: boolean;
}

/** One page, and all that it did while it was open. */
export interface Page {
  /** Every URL that was asked for, the page's own too. */
  readonly requests: readonly string[];
  /** Messages of the console, exceptions, and what the browser refused. */
  readonly complaints: readonly string[];
  /** The value of an expression, which runs beside the page and not in it: its policy does not matter. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  readonly press: (key: "Tab" | "Enter") => Promise<void>;
  /** The roles in the accessibility tree, as a screen reader gets it. */
  readonly roles: () => Promise<readonly string[]>;
  readonly screenshot: () => Promise<Uint8Array>;
}

type Params = Readonly<Record<string, unknown>>;
type Listener = (method: string, params: Params) => void;

export interface Browser extends AsyncDisposable {
  readonly open: (url: string, view: View) => Promise<Page>;
}

const FLAGS = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--remote-debugging-pipe"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"],
];

/** Starts a browser with a profile of its own; commands go over a pipe, so that no port is open. */
export async function startChromium(): Promise<Browser> {
  if (chromium === null) throw new Error("there is no chromium");
  const profile = await mkdtemp(join(tmpdir(), "hookctl-chromium-"));
  const child = spawn(chromium, [...FLAGS, `--user-data-dir=${profile}`], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: profile },
    detached: true,
  });
  const connection = connect(child);
  return {
    open: (url, view) => openPage(connection, url, view),
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((settle) => child.once("close", settle));
      await connection.send("Browser.close", {});
      await ended;
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface Connection {
  readonly send: (method: string, params: Params, sessionId?: string) => Promise<Params>;
  readonly listen: (sessionId: string, listener: Listener) => void;
}

function connect(child: ChildProcess): Connection {
  const [input, output] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
  const waiting = new Map<number, { settle: (result: Params) => void; refuse: (error: Error) => void }>();
  const listeners = new Map<string, Listener>();
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const messages = (rest + text).split("\0");
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const { id, result, error, method, params, sessionId } = JSON.parse(message);
      if (id === undefined) listeners.get(sessionId)?.(method, params);
      else if (error === undefined) waiting.get(id)?.settle(result);
      else waiting.get(id)?.refuse(new Error(error.message));
    }
  });
  child.once("close", () => {
    for (const { refuse } of waiting.values()) refuse(new Error("the browser has ended"));
  });
  let lastId = 0;
  return {
    send: (method, params, sessionId) =>
      new Promise((settle, refuse) => {
        waiting.set(++lastId, { settle, refuse });
        input.write(`${JSON.stringify({ id: lastId, method, params, sessionId })}\0`);
      }),
    listen: (sessionId, listener) => void listeners.set(sessionId, listener),
  };
}

async function openPage({ send, listen }: Connection, url: string, view: View): Promise<Page> {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const call = (method: string, params: Params = {}) => send(method, params, String(sessionId));
  const requests: string[] = [];
  const complaints: string[] = [];
  const loaded = new Promise<void>((settle) => {
    listen(String(sessionId), (method, params) => {
      if (method === "Network.requestWillBeSent") requests.push(String((params.request as Params).url));
      if (COMPLAINTS.includes(method)) complaints.push(JSON.stringify(params));
      if (method === "Page.loadEventFired") settle();
    });
  });
  for (const domain of ["Network", "Runtime", "Log", "Page"]) await call(`${domain}.enable`);
  await call("Emulation.setDeviceMetricsOverride", {
    width: view.width,
    height: 800,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await call("Emulation.setEmulatedMedia", {
    media: view.isPrint === true ? "print" : "",
    features: [{ name: "prefers-color-scheme", value: view.isDark === true ? "dark" : "light" }],
  });
  await call("Page.navigate", { url });
  await loaded;
  return {
    requests,
    complaints,
    evaluate: async (expression) => {
      const { result, exceptionDetails } = await call("Runtime.evaluate", { expression, returnByValue: true });
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return (result as Params).value;
    },
    press: async (key) => {
      const code = key === "Tab" ? 9 : 13;
      const event = { key, code: key, windowsVirtualKeyCode: code, ...(key === "Enter" ? { text: "\r" } : {}) };
      await call("Input.dispatchKeyEvent", { type: "keyDown", ...event });
      await call("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    },
    roles: async () => {
      const { nodes } = await call("Accessibility.getFullAXTree");
      return (nodes as readonly { role?: { value: string } }[]).map(({ role }) => role?.value ?? "");
    },
    screenshot: async () => {
      const { data } = await call("Page.captureScreenshot", { captureBeyondViewport: true });
      return Buffer.from(String(data), "base64");
    },
  };
}

const COMPLAINTS = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"];
