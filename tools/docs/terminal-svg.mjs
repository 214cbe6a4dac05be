// Draws what a terminal shows as SVG. A picture is a window of its own, so that it reads the same on a light and on a dark page.

const CELL = { width: 8.4, height: 20, font: 14 };
const PADDING = 20;
const TITLE_BAR = 36;

/** @type {Readonly<Record<string, string>>} */
const COLOURS = {
  ...{ text: "#d6deeb", faint: "#8394a8", bold: "#ffffff", red: "#ff7b85", green: "#7ee2a8", yellow: "#f5cf7a" },
  ...{ cyan: "#7fd1f7", window: "#0f1722", bar: "#182231", edge: "#2b394c", prompt: "#7ee2a8" },
};

/** What the report layer writes: colours, bold and faint. */
const STYLES = new Map([
  ["1", "bold"],
  ["2", "faint"],
  ["31", "red"],
  ["32", "green"],
  ["33", "yellow"],
  ["36", "cyan"],
]);

/**
 * @typedef {object} Span
 * @property {string} text
 * @property {string} style a key of COLOURS
 */

/**
 * @typedef {object} Entry one command or a comment, with its output
 * @property {string} [command]
 * @property {string} [comment]
 * @property {string} [output] as the terminal got it, with its escape sequences
 */

/** @param {string} line @returns {readonly Span[]} */
function spansOf(line) {
  /** @type {Span[]} */
  const spans = [];
  let style = "text";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
  for (const part of line.split(/(\u001b\[\d+m)/)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
    const code = /^\u001b\[(\d+)m$/.exec(part)?.[1];
    if (code !== undefined) style = STYLES.get(code) ?? "text";
    else if (part !== "") spans.push({ text: part, style });
  }
  return spans;
}

/** A row ends at a space where one is near its end. @param {readonly Span[]} spans @param {number} columns @returns {readonly (readonly Span[])[]} */
function wrapped(spans, columns) {
  const text = spans.map((span) => span.text).join("");
  if (text.length <= columns) return [spans];
  const space = text.lastIndexOf(" ", columns);
  const end = space > columns - 40 ? space + 1 : columns;
  const [row, rest] = splitAt(spans, end);
  return [row, ...wrapped([{ text: "  ", style: "text" }, ...rest], columns)];
}

/** @param {readonly Span[]} spans @param {number} end @returns {readonly [readonly Span[], readonly Span[]]} */
function splitAt(spans, end) {
  /** @type {[Span[], Span[]]} */
  const halves = [[], []];
  let at = 0;
  for (const { text, style } of spans) {
    const cut = Math.max(0, Math.min(text.length, end - at));
    if (cut > 0) halves[0].push({ text: text.slice(0, cut), style });
    if (cut < text.length) halves[1].push({ text: text.slice(cut), style });
    at += text.length;
  }
  return halves;
}

const escaped = (/** @type {string} */ text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Each span has its own place and width, so that a font without a symbol moves nothing behind it. */
function drawn(/** @type {readonly Span[]} */ row, /** @type {number} */ y) {
  let column = 0;
  const texts = row.map(({ text, style }) => {
    const x = PADDING + column * CELL.width;
    column += text.length;
    if (text.trim() === "") return "";
    const width = (text.length * CELL.width).toFixed(1);
    const weight = style === "bold" ? ' font-weight="bold"' : "";
    return `<text x="${x.toFixed(1)}" y="${y}" fill="${COLOURS[style] ?? COLOURS.text}"${weight} textLength="${width}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
  });
  return texts.join("");
}

/** The rows of one entry: what is typed is one group, what is printed another. @param {Entry} entry @param {number} columns */
function rowsOf({ command, comment, output }, columns) {
  /** @type {readonly Span[]} */
  const line =
    comment === undefined
      ? [
          { text: "$ ", style: "prompt" },
          { text: command ?? "", style: "bold" },
        ]
      : [{ text: `# ${comment}`, style: "faint" }];
  const typed = wrapped(line, columns);
  if (output === undefined) return [typed];
  const printed = output
    .replace(/\n+$/, "")
    .split("\n")
    .flatMap((line) => wrapped(spansOf(line), columns));
  return [typed, printed];
}

/** Seconds at which each group appears; the whole picture stands still after the last one. */
const PACE = 0.6;

const style = (/** @type {number} */ groups) =>
  [
    "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}",
    `@media (prefers-reduced-motion:no-preference){@keyframes appear{from{opacity:0}to{opacity:1}}g.step{animation:appear .25s both}`,
    ...Array.from({ length: groups }, (_, step) => `g.s${step}{animation-delay:${(step * PACE).toFixed(1)}s}`),
    "}",
  ].join("");

/**
 * @param {object} scene
 * @param {string} scene.title
 * @param {string} scene.about what somebody who cannot see the picture reads
 * @param {number} scene.columns
 * @param {readonly Entry[]} scene.entries
 */
export function terminalSvg({ title, about, columns, entries }) {
  let y = TITLE_BAR + PADDING + CELL.font;
  const groups = entries.flatMap((entry, index) => {
    if (index > 0) y += CELL.height / 2;
    return rowsOf(entry, columns).map((rows) =>
      rows.map((row) => {
        const text = drawn(row, y);
        y += CELL.height;
        return text;
      }),
    );
  });
  const width = Math.round(columns * CELL.width + 2 * PADDING);
  const height = Math.round(y - CELL.font + PADDING);
  const dots = ["#ff6b6b", "#f5c451", "#58d68d"].map(
    (fill, index) => `<circle cx="${PADDING + index * 18}" cy="${TITLE_BAR / 2}" r="5.5" fill="${fill}"/>`,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(about)}" font-size="${CELL.font}">`,
    `<title>${escaped(about)}</title>`,
    `<style>${style(groups.length)}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="${COLOURS.window}" stroke="${COLOURS.edge}"/>`,
    `<path d="M.5 ${TITLE_BAR}v-25.5a10 10 0 0 1 10-10h${width - 21}a10 10 0 0 1 10 10v25.5z" fill="${COLOURS.bar}"/>`,
    dots.join(""),
    `<text x="${width / 2}" y="${TITLE_BAR / 2 + 5}" fill="${COLOURS.faint}" text-anchor="middle" font-size="13">${escaped(title)}</text>`,
    ...groups.map((rows, step) => `<g class="step s${step}">\n${rows.filter(Boolean).join("\n")}\n</g>`),
    "</svg>",
  ].join("\n")}\n`;
}
