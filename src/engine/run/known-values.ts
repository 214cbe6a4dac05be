import { indexSecrets, replaceWrapped, type SecretIndex } from "../../audit/known-secrets.ts";
import { createRedactor, type Redact, type StoredValues } from "../../audit/redact.ts";
import { writtenForms } from "../../audit/secret-values.ts";
import { credentialsIn, homeCredentials, storedValues } from "../../audit/stored-secrets.ts";
import { isSecretVariable } from "../../redact/assignments.ts";
import type { ReplaceValues } from "../../redact/redact-secrets.ts";
import { isDistinctive } from "../../redact/stored-values.ts";
import { lazy } from "../memoize.ts";
import type { RunContext } from "../run-context.ts";
import { type ConfiguredHook, redactedEnv } from "./call-origin.ts";

type OutputPlaces = Pick<RunContext, "scopes" | "env">;
type Places = OutputPlaces & Pick<RunContext, "trustStore">;

/** The redactor of a run with these hooks. */
export const recordRedactor = (hooks: readonly ConfiguredHook[], session: string, context: Places): Redact =>
  createRedactor(redactedEnv(hooks, context.env), session, recordedValues(context));

const recorded = new WeakMap<Places, StoredValues>();

/**
 * The values of the files with credentials that are redacted in records and hooks' texts. A project's values are used once something in
 * it is approved: otherwise a cloned repository could have words removed from the log.
 */
function recordedValues(context: Places): StoredValues {
  const known = recorded.get(context) ?? lazy(() => storedValues([...homeFiles(context), ...approvedFiles(context)]));
  recorded.set(context, known);
  return known;
}

/**
 * Returns the function that replaces values in the output of a tool: also of a project that is not approved, because it
 * only removes. Null if there are no values.
 */
export function outputValues(context: OutputPlaces, session: string): ReplaceValues | null {
  const index = outputIndex(context, session);
  return index === null ? null : (text, mark) => replaceWrapped(text, index, mark);
}

function outputIndex(context: OutputPlaces, session: string): SecretIndex | null {
  const { env, scopes } = context;
  const variables = Object.entries(env).flatMap(([name, value = ""]) =>
    isDistinctive(value) && isSecretVariable(name, value, session) && !SESSION_ID.test(name) ? [value] : [],
  );
  const stored = storedValues([...homeFiles(context), ...filesOf([...scopes.projectDirs, scopes.rootDir], context)]);
  const values = [...variables, ...stored].filter((value) => !session.includes(value));
  return indexSecrets([...new Set(values.flatMap(writtenForms))]);
}

/** An identifier, which commands may print. */
const SESSION_ID = /SESSION_?ID$/i;

const homeOf = ({ scopes }: OutputPlaces): string => scopes.homeDir ?? "/nonexistent";
const homeFiles = (context: OutputPlaces): readonly string[] => homeCredentials(homeOf(context));
const filesOf = (folders: readonly string[], context: OutputPlaces): readonly string[] =>
  [...new Set(folders)].flatMap((folder) => credentialsIn(folder, homeOf(context)));

function approvedFiles(context: Places): readonly string[] {
  const { scopes, trustStore } = context;
  const stored = trustStore.approvals();
  const approved = stored.ok ? Object.values(stored.value.approved).map(({ project }) => project) : [];
  return filesOf(
    scopes.projectDirs.filter((folder) => approved.includes(folder)),
    context,
  );
}
