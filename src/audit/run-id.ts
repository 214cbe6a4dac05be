const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Makes an id like a ULID: 26 characters that sort by time. `random` returns numbers in [0, 1). */
export function newRunId(nowMs: number, random: () => number): string {
  let id = "";
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) id = (ALPHABET[rest % 32] ?? "0") + id;
  for (let i = 0; i < 16; i++) id += ALPHABET[Math.floor(random() * 32)] ?? "0";
  return id;
}
