import { html, type Markup, type Part } from "./markup";

/** A titled part of the page that the navigation can jump to. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** One sentence that says what is shown. */
  readonly lead?: Part;
  readonly body: Markup;
}

export function renderSection({ id, title, lead, body }: Section): Markup {
  return html`
<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${lead === undefined ? undefined : html`<p class="lead">${lead}</p>`}
${body}
</section>`;
}

export interface Column {
  readonly title: string;
  /**
   * `number` is right-aligned; `short` and `number` do not wrap; `long` takes a card's width.
   * @default "text"
   */
  readonly kind?: "text" | "long" | "short" | "number";
}

/** The first column names the row. Narrow screens show cards, so roles are explicit. */
export function dataTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Part[])[],
  totals?: readonly Part[],
): Markup {
  const row = (cells: readonly Part[]) =>
    html`<tr role="row">${cells.map((cell, i) => tableCell(columns[i], i, cell))}</tr>\n`;
  return html`<table role="table">
<caption class="hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((c) => html`<th scope="col" role="columnheader" class="${c.kind ?? "text"}">${c.title}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(row)}</tbody>
${totals && html`<tfoot role="rowgroup">${row(totals)}</tfoot>\n`}</table>`;
}

function tableCell(column: Column | undefined, index: number, cell: Part): Markup {
  if (index === 0) {
    return html`<th scope="row" role="rowheader">${cell}</th>`;
  }
  return html`<td role="cell" class="${column?.kind ?? "text"}" data-label="${column?.title}"><div>${cell}</div></td>`;
}

/** A value with a quieter second line. */
export function twoLines(first: Part, second: Part): Markup {
  return html`${first}<small>${second}</small>`;
}

/** Wraps type tokens and paths after separators, and names after hyphens. */
export function breakable(text: string): Markup {
  return html`${text.split(/(?<=[:/._@-])(?=[a-zA-Z])/).map((piece, i) => (i === 0 ? piece : html`<wbr>${piece}`))}`;
}

export interface BarPart {
  readonly className: string;
  readonly label: string;
  readonly start: string;
  readonly width: string;
}

/** A horizontal bar as wide as its container; starts and widths are percentages. */
export function barChart(label: string, parts: readonly BarPart[]): Markup {
  return html`<svg class="bar" role="img" aria-label="${label}" width="100%" height="14"><rect class="track" width="100%" height="14"></rect>${parts.map(
    (p) =>
      html`<rect class="${p.className}" x="${p.start}" width="${p.width}" height="14"><title>${p.label}</title></rect>`,
  )}</svg>`;
}
