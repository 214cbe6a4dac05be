import { number, peerRows, savedFigures } from "./figures.mjs";

const [WIDTH, LEFT, TOP, STEP, RIGHT] = [760, 300, 62, 30, 150];
const OURS = /^hookctl/;

/** Bars of what a guarded call costs with each program, readable on light and dark pages. */
export function bars(saved = savedFigures()) {
  const rows = saved === null ? [] : peerRows(saved);
  const most = Math.max(1, ...rows.map(({ cpu }) => cpu.value));
  const height = TOP + rows.length * STEP + 16;
  const title = "CPU that each guarded call of an agent costs, in milliseconds";
  const lines = rows.map(({ name, cpu }, index) => {
    const y = TOP + index * STEP;
    const width = Math.max(2, Math.round((cpu.value / most) * (WIDTH - LEFT - RIGHT)));
    const kind = OURS.test(name) ? "ours" : "other";
    return [
      `<text class="name" x="${LEFT - 12}" y="${y + 14}">${escaped(name)}</text>`,
      `<rect class="${kind}" x="${LEFT}" y="${y}" width="${width}" height="20" rx="3"/>`,
      `<text class="cost" x="${LEFT + width + 8}" y="${y + 14}">${number(cpu.value)} ms${escaped(cpu.ratio)}</text>`,
    ].join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${title}">
<title>${title}</title>
<style>
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:13.5px;fill:#14202e}
.page{fill:#f7f9fc;stroke:#d5dde8}.title{font-size:16px;font-weight:600}.name{text-anchor:end}.cost,.note{fill:#4c5c70}.ours{fill:#2f7de1}.other{fill:#9aa9bb}
@media (prefers-color-scheme:dark){text{fill:#f0f5fb}.page{fill:#0f1722;stroke:#2b394c}.cost,.note{fill:#a9b8ca}.ours{fill:#4d92e0}.other{fill:#56677d}}
</style>
<rect class="page" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="12"/>
<text class="title" x="24" y="30">${title}</text><text class="note" x="24" y="49">${escaped(noteOf(saved))}</text>
${lines.join("\n")}
</svg>
`;
}

/** @param {ReturnType<typeof savedFigures>} saved */
const noteOf = (saved) =>
  saved === null
    ? "not measured yet"
    : `${saved.cpu}, Node ${saved.node.replace(/^v/, "")}, ${saved.date.slice(0, 10)}`;

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
