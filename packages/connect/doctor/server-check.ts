import { request } from "node:http";
import type { Host } from "../../../src/engine/host.ts";
import { SERVE_TOKEN_VARIABLE } from "../../../src/process/filter-environment.ts";
import { errnoCode } from "../../../src/protocol/errno.ts";
import { JSON_DEPTH, readJson } from "../../../src/protocol/json/read.ts";
import { printableJson } from "../../../src/protocol/json/write.ts";
import { truncateEscaped } from "../../../src/protocol/text/text.ts";
import type { Agent } from "../../agents/agent.ts";
import type { FoundRegistration } from "../../agents/agent-install.ts";
import { defaultTokenFile, readToken } from "../../sdk/serve/token.ts";
import { type HttpChoice, httpAddress, httpChoiceOf, isHookctlAddress } from "../install/find-registrations.ts";
import { broken, doubtful, type Findings, fine } from "./check.ts";
import type { InstalledSettings } from "./settings-checks.ts";

/** True for a registration that starts a program. */
export const isCommand = ({ command }: FoundRegistration): boolean => !command.startsWith("http://");

/** Sends a test call to where the agent sends its events, and judges what comes back. */
export async function serverFindings({ target, lines, host }: InstalledSettings): Promise<Findings> {
  const { agent } = target;
  const choice = httpChoiceOf(lines, agent);
  if (choice === undefined) return [];
  const events = lines.filter(({ command }) => isHookctlAddress(command, agent.name)).map(({ event }) => event);
  const token = tokenHere(host);
  const reply = await postSample(agent, choice, token?.text ?? "");
  const place = `127.0.0.1:${choice.port}`;
  const lost = `: ${agent.title} continues without the hooks of ${events.join(", ")}`;
  const withToken = `Start ${agent.title} with ${SERVE_TOKEN_VARIABLE}="$(cat FILE)", where FILE is the one that the server names.`;
  if (reply.status === null) {
    const what = reply.text === "ECONNREFUSED" ? "no server listens on" : `${reply.text}: no answer from`;
    return broken(`${what} ${place}${lost}`, `Start it: hookctl serve --http ${choice.port}`);
  }
  if (reply.status === 401 && token === null)
    return doubtful(`a server listens on ${place}; no token was found here to try it`, withToken);
  if (reply.status === 401)
    return broken(`the server on ${place} refuses the token in ${token?.from}${lost}`, withToken);
  // An agent's answer is an object, or nothing.
  const answer = readJson(reply.text, JSON_DEPTH);
  if (reply.status !== 200 || !answer.ok || answer.value.kind !== "object") {
    const what = `what listens on ${place} is not hookctl serve: it answered ${reply.status} ${truncateEscaped(reply.text.trim(), 60)}`;
    return broken(`${what.trim()}${lost}`, `Choose another port: hookctl install ${agent.name} --http PORT`);
  }
  const { event } = agent.sampleShellCall;
  return fine(`the server on ${place} takes the token in ${token?.from} and answered a test ${event}`);
}

/** The token as the agent would have it, if it were started here; else the server's. Null if there is none. */
function tokenHere({ env }: Host): { readonly text: string; readonly from: string } | null {
  const given = env[SERVE_TOKEN_VARIABLE] ?? "";
  if (given !== "") return { text: given, from: SERVE_TOKEN_VARIABLE };
  const file = defaultTokenFile(env);
  const read = file === null ? null : readToken(file);
  return file !== null && read?.ok === true ? { text: read.value, from: file } : null;
}

/** A status that is null has the reason as its text. */
interface Reply {
  readonly status: number | null;
  readonly text: string;
}

const ANSWER_MS = 20_000;
const MOST_CHARACTERS = 1024 * 1024;

/** A call that every guard allows. It works in `/`, so that no project's hooks are asked. */
function postSample(agent: Agent, choice: HttpChoice, token: string): Promise<Reply> {
  const { event, payload } = agent.sampleShellCall;
  const address = httpAddress(agent, event, { ...choice, directory: choice.directory ?? "/" });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  return new Promise((settle) => {
    const failed = (error: Error): void => settle({ status: null, text: errnoCode(error) ?? error.message });
    const timeout = AbortSignal.timeout(ANSWER_MS);
    const call = request(address, { method: "POST", headers, signal: timeout, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        if (text.length < MOST_CHARACTERS) text += part;
      });
      answer.on("end", () => settle({ status: answer.statusCode ?? null, text }));
      answer.on("error", failed);
    });
    call.on("error", failed);
    call.end(printableJson(payload("ls")));
  });
}
