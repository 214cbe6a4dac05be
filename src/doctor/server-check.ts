import { connect } from "node:net";
import type { FoundRegistration } from "../agents/agent-install.ts";
import { httpChoiceOf, isHookctlAddress } from "../install/http-registrations.ts";
import type { InstallTarget } from "../install/install-target.ts";
import { broken, type Checkup, fine } from "../protocol/doctor-check.ts";

const ANSWER_MS = 1_000;

/** True for a registration that starts a program. */
export const isCommand = ({ command }: FoundRegistration): boolean => !command.startsWith("http://");

/** Checks that a server listens where the agent sends its events. */
export async function serverChecks(
  { agent }: InstallTarget,
  lines: readonly FoundRegistration[],
): Promise<readonly Checkup[]> {
  const choice = httpChoiceOf(lines, agent);
  if (choice === undefined) return [];
  const name = `${agent.name} server`;
  const place = `127.0.0.1:${choice.port}`;
  const events = lines.filter(({ command }) => isHookctlAddress(command, agent.name)).map(({ event }) => event);
  if (await isListening(choice.port))
    return [fine(name, `a program listens on ${place}; whether it is hookctl and takes the token was not tried`)];
  const lost = `no server listens on ${place}: ${agent.title} continues without the hooks of ${events.join(", ")}`;
  return [broken(name, lost, `Start it: hookctl serve --http ${choice.port}`)];
}

function isListening(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const probe = connect(port, "127.0.0.1");
    const end = (isThere: boolean): void => {
      clearTimeout(timer);
      probe.destroy();
      settle(isThere);
    };
    const timer = setTimeout(() => end(false), ANSWER_MS);
    probe.on("connect", () => end(true));
    probe.on("error", () => end(false));
  });
}
