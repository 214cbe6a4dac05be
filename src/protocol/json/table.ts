/** The content of a JSON file as the type of its table. `tools/tables.mjs` checks each of these files when hookctl is built. */
export const tableOf = <T>(json: unknown): T => json as T;
