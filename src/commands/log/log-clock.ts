import { clockText, dayText, timeOfDayText } from "../../engine/clock-text.ts";
import type { LogClock } from "../../report/log-text.ts";

export const logClock = (nowMs: () => number): LogClock => ({
  full: (atMs) => clockText(atMs, nowMs(), { hasSeconds: true }),
  time: (atMs) => timeOfDayText(atMs, { hasSeconds: true }),
  day: dayText,
  today: dayText(nowMs()),
});
