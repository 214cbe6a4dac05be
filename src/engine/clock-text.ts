/** The local time of day, `14:32` or `14:32:05`, with the date if it is not today. */
export function clockText(atMs: number, nowMs: number, { hasSeconds = false } = {}): string {
  const clock = timeOfDayText(atMs, { hasSeconds });
  const day = dayText(atMs);
  return day === dayText(nowMs) ? clock : `${day} ${clock}`;
}

/** The local time of day without the date. */
export function timeOfDayText(atMs: number, { hasSeconds = false } = {}): string {
  const at = new Date(atMs);
  const parts = [at.getHours(), at.getMinutes(), ...(hasSeconds ? [at.getSeconds()] : [])];
  return parts.map(twoDigits).join(":");
}

/** The local date: `2026-03-04`. */
export function dayText(atMs: number): string {
  const at = new Date(atMs);
  return [String(at.getFullYear()), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");
}

const twoDigits = (value: number): string => String(value).padStart(2, "0");
