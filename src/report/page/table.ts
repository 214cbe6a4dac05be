import { type Html, html } from "./html.ts";

export interface Column {
  readonly label: string | Html;
  /** A bar repeats what the numbers say, so that it is nothing for a screen reader. */
  readonly kind: "number" | "offset" | "text" | "bar";
}

export interface FiguresTable {
  readonly caption: string;
  /** Selects the grid that it becomes on a narrow screen. */
  readonly look: string;
  readonly rowLabel: string;
  readonly columns: readonly Column[];
  readonly rows: readonly { readonly name: Html; readonly cells: readonly Html[] }[];
}

/** A table with one name for each row. The roles are written out: a table laid out as a grid loses them in some browsers. */
export function figuresTable({ caption, look, rowLabel, columns, rows }: FiguresTable): Html {
  const heads = columns.map(({ label, kind }) =>
    kind === "bar"
      ? html`<td class="bar" aria-hidden="true">${label}</td>`
      : html`<th scope="col" role="columnheader" class="${kind}">${label}</th>`,
  );
  return html`<table role="table" class="figures ${look}"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader" class="name">${rowLabel}</th>${heads}</tr></thead>
<tbody role="rowgroup">${rows.map(({ name, cells }) => tableRow(name, cells, columns))}</tbody></table>
`;
}

const tableRow = (name: Html, cells: readonly Html[], columns: readonly Column[]): Html =>
  html`<tr role="row"><th scope="row" role="rowheader" class="name">${name}</th>${columns.map(({ kind }, at) =>
    kind === "bar"
      ? html`<td class="bar" aria-hidden="true">${cells[at] ?? null}</td>`
      : html`<td role="cell" class="${kind}">${cells[at] ?? null}</td>`,
  )}</tr>
`;
