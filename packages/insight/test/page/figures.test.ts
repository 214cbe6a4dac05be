import { expect, test } from "vitest";
import { msText, periodText, shareText, widthText } from "../../page/figures.ts";

test.each([
  [msText(0), "0.0"],
  [msText(0.44), "0.4"],
  [msText(9.94), "9.9"],
  [msText(9.96), "10"],
  [msText(12_345.6), "12,346"],
  [shareText(0, 0), "0 %"],
  [shareText(0, 9), "0 %"],
  [shareText(9, 9), "100 %"],
  [shareText(1, 3), "33.3 %"],
  [shareText(1, 100_000), "<0.1 %"],
  [shareText(99_999, 100_000), ">99.9 %"],
  [widthText(1), "minute"],
  [widthText(15), "15 minutes"],
  [widthText(180), "3 hours"],
  [widthText(1440), "day"],
  [widthText(40_320), "4 weeks"],
  [periodText("2026-11-22T14:02:00+01:00", "2026-11-22T14:02:59+01:00"), "22 Nov 2026, 14:02"],
  [periodText("2026-11-22T09:00:00+01:00", "2026-11-22T14:02:59+01:00"), "22 Nov 2026, 09:00 – 14:02"],
  [periodText("2026-11-02T09:00:00+01:00", "2026-11-22T14:02:59+01:00"), "2 – 22 Nov 2026"],
  [periodText("2026-10-22T09:00:00+02:00", "2026-11-02T14:02:59+01:00"), "22 Oct – 2 Nov 2026"],
  [periodText("2025-12-30T09:00:00+01:00", "2026-01-02T14:02:59+01:00"), "30 Dec 2025 – 2 Jan 2026"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});
