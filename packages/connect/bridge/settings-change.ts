import { textAt } from "../../../src/dialects/field-paths.ts";
import type { Host } from "../../../src/engine/host.ts";
import { followLinks } from "../../../src/fs/paths.ts";
import { EXIT } from "../../../src/protocol/exit-code.ts";
import { JSON_DEPTH, readWithMembers } from "../../../src/protocol/json/read.ts";
import { problemText } from "../../../src/report/problem-text.ts";
import { PLAIN_STYLE } from "../../../src/report/text-style.ts";
import type { NativeEvent } from "../../agents/agent.ts";
import { createBridgeContext } from "./answer-call.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import { sealPlaceIn } from "./seal-watch.ts";

/** Keeps a change of the agent's settings out of its session if hooks are weaker with it. */
export async function answerSettingsChange(
  text: string,
  row: NativeEvent,
  options: BridgeOptions,
  host: Host,
): Promise<number> {
  const read = readWithMembers(text, JSON_DEPTH);
  const native = read.ok ? read.value.members : null;
  const file = native === null ? "" : textAt(native, "file_path");
  const started = await createBridgeContext({ agent: options.agent, row }, options, host);
  if (!started.ok) return EXIT.ok;
  const { changesOf } = await import("../install/seal/check-seal.ts");
  const changes = changesOf(
    file === "" ? null : followLinks(file),
    options.agent.name,
    sealPlaceIn(started.value.context),
  );
  if (changes.length === 0) return EXIT.ok;
  host.err(problemText({ code: "PROTECTION_WEAKENED", changes, isRestored: false }, PLAIN_STYLE));
  return EXIT.blocked;
}
