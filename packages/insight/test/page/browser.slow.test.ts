import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, chromium, type Page, startChromium, type View } from "../../../../test/support/chromium.ts";
import type { ReportData } from "../../totals/report-totals.ts";
import { FRAGMENTS, loggedRun, pageOf, reportOf } from "./logged-runs.ts";

const PHONE: View = { width: 360 };
const DESK: View = { width: 1280 };

const hostileRun = (fragment: string, index: number) => {
  const hook = (outcome: string) => ({ name: fragment, outcome, failure: fragment, start_ms: index, duration_ms: 5 });
  return loggedRun({
    ...{ time: new Date(Date.UTC(2026, 10, 1 + index)).toISOString(), run_id: fragment, event: fragment },
    ...{ tool: fragment, call: fragment, agent: fragment, project: fragment, reason: fragment, decided_by: fragment },
    ...{ decision: ["block", "ask", "halt", "continue"][index % 4], duration_ms: index },
    hooks: ["failed", "block", "modify", "continue", "skipped"].map(hook),
  });
};
const hostile = reportOf(FRAGMENTS.map(hostileRun), {
  asked: { since: null, until: null, project: FRAGMENTS.join(""), hook: FRAGMENTS.join("") },
});
const ordinary = reportOf(
  ["deny-dangerous", "format", "log-calls"].map((name, index) =>
    loggedRun({
      ...{
        time: `2026-11-22T1${index}:00:00`,
        run_id: `01KB3Y7Q4N8Z${index}`,
        event: "before_tool_call",
        tool: "Bash",
      },
      ...{ call: "git push origin main", decision: index === 0 ? "block" : "continue", reason: "Not on main." },
      ...{ duration_ms: 40, hooks: [{ name, outcome: "continue", start_ms: 2, duration_ms: 30 }] },
    }),
  ),
);

describe.skipIf(chromium === null)(`in a browser${chromium === null ? " (needs chromium)" : ""}`, () => {
  let browser: Browser;
  let folder = "";
  let count = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hookctl-report-"));
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function shown(report: ReportData, view: View, change = (html: string): string => html): Promise<Page> {
    const file = join(folder, `${++count}.html`);
    await writeFile(file, change(pageOf(report)));
    return browser.open(pathToFileURL(file).href, view);
  }
  const isWithoutOverflow = async (page: Page): Promise<unknown> =>
    page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth");

  describe.each([
    { title: "hostile names", report: hostile },
    { title: "ordinary runs", report: ordinary },
    { title: "no runs", report: reportOf([]) },
  ])("with $title", ({ report }) => {
    test.each([
      { title: "a phone", view: PHONE },
      { title: "a phone in dark mode", view: { ...PHONE, isDark: true } },
      { title: "a desk", view: DESK },
      { title: "paper", view: { width: 700, isPrint: true } },
    ])("on $title nothing runs, nothing is loaded, nothing is complained about, nothing is wider", async ({ view }) => {
      const page = await shown(report, view);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
      expect(page.requests.filter((url) => !url.startsWith("data:,"))).toHaveLength(1);
      expect(page.complaints).toEqual([]);
      expect(await page.evaluate("document.title")).toBe("hookctl report");
      expect(await isWithoutOverflow(page)).toBe(true);
    });
  });

  test("this is how a script, a foreign style and a picture would be noticed", async () => {
    const bad = `<script>document.title = "ran"</script><style>body{width:2000px}</style><img src="https://example.com/x.png" alt=""/>`;
    const page = await shown(ordinary, PHONE, (html) => html.replace("<main", `${bad}<main`));
    expect(await page.evaluate("document.title")).toBe("hookctl report");
    expect(await isWithoutOverflow(page)).toBe(true);
    expect(page.complaints.join("\n")).toMatch(/script-src[\s\S]*style-src|style-src[\s\S]*script-src/);
    const unguarded = await shown(ordinary, PHONE, (html) =>
      html
        .replace(/<meta http-equiv[^>]*>/, "")
        .replace("<main", `${bad.replace("https://example.com", "file:///nowhere")}<main`),
    );
    expect(await unguarded.evaluate("document.title")).toBe("ran");
    expect(await isWithoutOverflow(unguarded)).toBe(false);
    expect(unguarded.requests).toContain("file:///nowhere/x.png");
  });

  test("the Tab key reaches the skip link first, then every link and every run, in the order of the page", async () => {
    const page = await shown(ordinary, DESK);
    const wanted = await page.evaluate(
      "[...document.querySelectorAll('a, summary')].map((one) => one.textContent).join('|')",
    );
    const reached: unknown[] = [];
    for (let count = 0; count < String(wanted).split("|").length; count++) {
      await page.press("Tab");
      reached.push(await page.evaluate("document.activeElement.textContent"));
    }
    expect(reached.join("|")).toBe(wanted);
    expect(reached[0]).toBe("Skip to the report");
  });

  test("the focus can be seen, and Enter opens a run", async () => {
    const page = await shown(ordinary, PHONE);
    const last = "[...document.querySelectorAll('#slowest summary')].at(-1)";
    await page.evaluate(`${last}.focus()`);
    await page.press("Enter");
    expect(await page.evaluate(`${last}.parentElement.open`)).toBe(true);
    expect(await page.evaluate(`getComputedStyle(${last}).outlineStyle`)).toBe("solid");
  });

  test("the skip link becomes visible when it is reached, and leads past the header", async () => {
    const page = await shown(ordinary, PHONE);
    await page.press("Tab");
    expect(await page.evaluate("document.activeElement.getBoundingClientRect().left >= 0")).toBe(true);
    await page.press("Enter");
    await page.press("Tab");
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).toBe(true);
  });

  test.each([
    { title: "light", isDark: false },
    { title: "dark", isDark: true },
  ])("every text, bar and line of data has a contrast of 4.5 or more ($title)", async ({ isDark }) => {
    const page = await shown(ordinary, { ...DESK, isDark });
    expect(await page.evaluate(LOW_CONTRASTS)).toEqual([]);
  });

  test("the tables stay tables for a screen reader where they are laid out as a grid", async () => {
    const page = await shown(ordinary, PHONE);
    const roles = (await page.roles()).filter((role) =>
      ["table", "row", "columnheader", "rowheader", "cell"].includes(role),
    );
    expect(new Set(roles)).toEqual(new Set(["table", "row", "columnheader", "rowheader", "cell"]));
  });
});

/** Elements with text of their own, and shapes with a fill, whose colour is too close to what is behind them. */
const LOW_CONTRASTS = `(() => {
  const channels = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (a, b) => {
    const [light, dark] = [luminance(channels(a)), luminance(channels(b))].sort((x, y) => y - x);
    return (light + 0.05) / (dark + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)") return color;
    }
    return "rgb(255, 255, 255)";
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const isDrawn = (element) => element.matches("rect:not(.paper)") && getComputedStyle(element).fill.startsWith("rgb");
  return [...document.body.querySelectorAll("*")].flatMap((element) => {
    const style = getComputedStyle(element);
    const color = isDrawn(element) || element.matches("text") ? style.fill : hasText(element) ? style.color : null;
    if (color === null || contrast(color, behind(element)) >= 4.5) return [];
    return [element.outerHTML.slice(0, 80) + " " + contrast(color, behind(element)).toFixed(2)];
  });
})()`;
