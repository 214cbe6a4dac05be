const DAY_MS = 86_400_000;

/**
 * The same as `new Date(ms).toISOString()` for a time after 1970. The first call of that loads the time zones of the
 * system: 0.2 ms.
 */
export function isoTimeOf(ms: number): string {
  const days = Math.floor(ms / DAY_MS);
  const rest = Math.floor(ms) - days * DAY_MS;
  const hours = padded(Math.floor(rest / 3_600_000), 2);
  const minutes = padded(Math.floor(rest / 60_000) % 60, 2);
  const seconds = padded(Math.floor(rest / 1000) % 60, 2);
  return `${dateOf(days)}T${hours}:${minutes}:${seconds}.${padded(rest % 1000, 3)}Z`;
}

/** The date so many days after 1970-01-01, counted in years that begin in March, so that a leap day is the last of one. */
function dateOf(days: number): string {
  const inEra = (days + 719_468) % 146_097;
  const era = Math.floor((days + 719_468) / 146_097);
  const yearOfEra = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) / 365,
  );
  const inYear = inEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * inYear + 2) / 153);
  const day = inYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = 400 * era + yearOfEra + (month <= 2 ? 1 : 0);
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0");

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Makes an id like a ULID: 26 characters that sort by time. `random` returns numbers in [0, 1). */
export function newRunId(nowMs: number, random: () => number): string {
  let id = "";
  for (let rest = nowMs, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) id = (ALPHABET[rest % 32] ?? "0") + id;
  for (let i = 0; i < 16; i++) id += ALPHABET[Math.floor(random() * 32)] ?? "0";
  return id;
}
