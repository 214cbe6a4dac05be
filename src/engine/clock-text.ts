/** The local time of day, `14:32` or `14:32:05`, with the date if it is not today. */
export function clockText(atMs: number, nowMs: number, { hasSeconds = false } = {}): string {
  const at = new Date(atMs);
  const day = dayOf(at);
  const parts = [at.getHours(), at.getMinutes(), ...(hasSeconds ? [at.getSeconds()] : [])];
  const clock = parts.map(twoDigits).join(":");
  return day === dayOf(new Date(nowMs)) ? clock : `${day} ${clock}`;
}

const dayOf = (at: Date): string =>
  [String(at.getFullYear()), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");

const twoDigits = (value: number): string => String(value).padStart(2, "0");
