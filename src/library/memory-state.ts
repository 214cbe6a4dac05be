import type { StateStore } from "../contract/state-store.ts";

/** The state of each session, in this process only. A nameless session keeps nothing beyond one run. */
export function memoryStates(): (session: string) => StateStore {
  const stores = new Map<string, StateStore>();
  return (session) => {
    const known = stores.get(session);
    if (known !== undefined) return known;
    const store = memoryState();
    if (session !== "") stores.set(session, store);
    return store;
  };
}

function memoryState(): StateStore {
  // As text: a value is a copy on its way in and out, as it would be on a disk.
  const values = new Map<string, string>();
  const get = async (key: string): Promise<unknown> => {
    const text = values.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  };
  const set = async (key: string, value: unknown): Promise<void> => {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) throw new TypeError(`state ${JSON.stringify(key)}: a ${typeof value} is no JSON value`);
    values.set(key, text);
  };
  return {
    get,
    set,
    increment: async (key, by = 1) => {
      const before: unknown = JSON.parse(values.get(key) ?? "0");
      if (typeof before !== "number") throw new TypeError(`state ${JSON.stringify(key)} is no number`);
      // No await between reading and writing: two calls at once must both count.
      values.set(key, JSON.stringify(before + by));
      return before + by;
    },
    delete: async (key) => void values.delete(key),
  };
}
