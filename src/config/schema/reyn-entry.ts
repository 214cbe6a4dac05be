import type { UncheckedFields } from "./config-schema.ts";

/** An entry with hookctl's keys, and why it cannot have the meaning that it has in Reyn. */
interface AdaptedEntry {
  readonly keys: UncheckedFields;
  /** Why hookctl cannot run the entry as Reyn would; null if it can. */
  readonly unsupported: string | null;
}

/**
 * Adapts an entry of Reyn's current format, in which commands are lists of arguments, `matcher` is an object, and grants
 * are keys of the entry. See docs/contract-reyn.md.
 */
export function adaptReynEntry(on: unknown, entry: UncheckedFields): AdaptedEntry {
  const { exec, exec_capture, matcher, subprocess, network, write_paths, ...others } = entry;
  const commands = { shell_exec: exec, shell_push: exec_capture };
  const grants = defined({ subprocess, network, write_paths });
  const reasons = [
    ...(typeof on === "string" && EXTERNAL_POINT.test(on) ? [`hookctl does not raise ${on}, which only Reyn has`] : []),
    ...("pipeline_launch" in others ? ["pipeline_launch starts a pipeline of Reyn; start a program with exec"] : []),
    ...("include" in Object(others.template_push) ? ["template_push.include has no equivalent; use message"] : []),
    ...(exec !== undefined && exec_capture !== undefined ? ["exec and exec_capture cannot be combined"] : []),
    ...Object.values(commands).flatMap((command) => (command === undefined || Array.isArray(command) ? [] : [NO_LIST])),
    ...(isObject(matcher) && (!isExact(matcher) || "match" in others) ? [NO_MATCH] : []),
  ];
  return {
    keys: {
      ...others,
      ...defined(commands),
      ...(Object.keys(grants).length === 0 ? {} : { sandbox: others.sandbox ?? grants }),
      ...(isObject(matcher) ? withMatch(matcher) : defined({ matcher })),
    },
    unsupported: reasons[0] ?? null,
  };
}

/** Points that Reyn raises from outside of a session, from its composers and from its tasks. */
const EXTERNAL_POINT =
  /^(?:(?:builtin:\w+:)?(?:mcp_resource_updated|file_changed|cron_fired|webhook_received|task_settled)|(?:composed|llm):.*)$/;

const NO_LIST = "exec and exec_capture must be lists of arguments; for a shell text, use shell_exec or shell_push";
const NO_MATCH = "matcher may only compare single fields with texts; use match";

/** Reyn compares texts exactly, but for `uri` and `path`; in `match` these characters are wildcards or lead deeper. */
const isExact = (matcher: UncheckedFields): boolean =>
  Object.entries(matcher).every(
    ([field, value]) => /^\w+$/.test(field) && typeof value === "string" && !/^!|[*?[\]{}\\]/.test(value),
  );

const withMatch = (matcher: UncheckedFields): UncheckedFields =>
  Object.keys(matcher).length === 0 ? {} : { match: matcher };

const isObject = (value: unknown): value is UncheckedFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const defined = (fields: UncheckedFields): UncheckedFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
