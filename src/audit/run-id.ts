const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Makes an id like a ULID: 26 characters that sort by time. `random` returns numbers in [0, 1). */
export function newRunId(nowMs: number, random: () => number): string {
  let time = "";
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = (ALPHABET[rest % 32] ?? "0") + time;
  return time + Array.from({ length: 16 }, () => ALPHABET[Math.floor(random() * 32)] ?? "0").join("");
}
