import { MODEL_COLORS } from "./model-keys";

export const LIGHT = `
  --page: #f5f6f8; --panel: #ffffff; --line: #dfe3e9; --strong-line: #808a98; --text: #1c2430; --quiet: #586374;
  --accent: #1f5aa6; --weights: #1f5aa6; --kv: #5f90cf; --overhead: #858f9d; --track: #eceff3;
  --good: #1d6b44; --good-page: #e6f3ec; --bad: #a8261f; --bad-page: #fbe9e7; --warn: #7a5200; --warn-page: #fbf1dc;`;

export const DARK = `
  --page: #12151a; --panel: #1a1f26; --line: #2e3640; --strong-line: #6f7b8a; --text: #e8ebef; --quiet: #a3adba;
  --accent: #8fbaf0; --weights: #93bdf2; --kv: #4d82c4; --overhead: #7d8794; --track: #262d36;
  --good: #7fd0a4; --good-page: #17301f; --bad: #ff9d94; --bad-page: #3a1b19; --warn: #f0c26b; --warn-page: #352a12;`;

const PAGE = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body { margin: 0 auto; padding: 40px 32px; max-width: 1240px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: break-word; }
h1, h2, h3, p, ul, dl, dd, figure { margin: 0; padding: 0; }
ul { list-style: none; }
ol, .fixes { margin: 4px 0; padding-left: 1.6em; }
.fixes { list-style: disc; }
code, .resource, .stage { overflow-wrap: anywhere; }
a { color: var(--accent); }
code { font: 0.9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
small { display: block; font-size: 0.867em; color: var(--quiet); }
h1 { font-size: 32px; line-height: 1.2; letter-spacing: -0.02em; font-weight: 650; }
h2 { font-size: 20px; line-height: 1.3; letter-spacing: -0.01em; font-weight: 650; }
h3 { font-size: 15px; font-weight: 650; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.bad { color: var(--bad); }
header { display: flex; flex-wrap: wrap; gap: 16px 32px; align-items: end; justify-content: space-between; margin-bottom: 24px; }
.product, .stage { color: var(--quiet); }
.verdict { display: flex; flex-wrap: wrap; gap: 2px 12px; padding: 10px 16px; border-radius: 8px; }
.verdict.yes { background: var(--good-page); }
.verdict.yes b { color: var(--good); }
.verdict.no { background: var(--bad-page); }
.verdict.no b { color: var(--bad); }
section { margin-top: 40px; scroll-margin-top: 16px; }
.lead { margin: 4px 0 16px; max-width: 88ch; text-wrap: pretty; color: var(--quiet); }
h2 + table { margin-top: 16px; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-top: 16px; }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
footer { margin-top: 40px; padding-top: 16px; border-top: 1px solid var(--line); color: var(--quiet); font-size: 0.867em; }
`;

const FIGURES = `
.figures { display: flex; flex-wrap: wrap; gap: 1px; overflow: hidden;
  background: var(--line); border: 1px solid var(--line); border-radius: 12px; }
section + .figures { margin-top: 32px; }
.figures + .stage { margin-top: 12px; }
.figures > div { flex: 1 1 200px; padding: 16px 20px; background: var(--panel); }
.figures dt { font-size: 0.867em; color: var(--quiet); }
.figures dd:not(.detail) { font-size: 28px; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; }
.figures .detail { font-size: 0.867em; color: var(--quiet); }
.figures i { font-style: normal; font-weight: 400; font-size: 18px; color: var(--quiet); }
.figures .bar { height: 6px; margin: 2px 0 4px; }
`;

const TABLES = `
table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--panel);
  border: 1px solid var(--line); border-radius: 12px; overflow: hidden; }
th, td { padding: 12px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: 20px; }
th:last-child, td:last-child { padding-right: 20px; }
thead th { border-top: 0; font-size: 0.867em; font-weight: 500; color: var(--quiet); vertical-align: bottom; }
tbody th { min-width: 172px; font-weight: 650; }
td.text { min-width: 160px; }
td.long { min-width: 280px; }
tbody th small { font-weight: 400; }
tfoot th, tfoot td { font-weight: 650; }
.number { text-align: right; }
td.number, td.short { white-space: nowrap; }
thead th { overflow-wrap: normal; }
.differences { margin-top: 12px; }
.differences dl { max-width: 100ch; color: var(--quiet); }
.differences div { margin-top: 12px; }
.differences dt { font-weight: 650; color: var(--text); }
td p + p { margin-top: 8px; }
.severity { display: inline-block; padding: 1px 10px; border-radius: 99px; font-size: 0.867em; font-weight: 600; white-space: nowrap; }
.severity.mandatory { background: var(--bad-page); color: var(--bad); }
.severity.advisory { background: var(--warn-page); color: var(--warn); }
.bar { display: block; border-radius: 4px; overflow: hidden; }
.bar .track { fill: var(--track); }
.bar .weights { fill: var(--weights); }
.bar .kv { fill: var(--kv); }
.bar .overhead { fill: var(--overhead); }
.bar .over { fill: var(--bad); }
td .bar { min-width: 120px; height: 8px; margin: 7px 0 5px; }
`;

const TOPOLOGY = `
.key { display: inline-block; min-width: 20px; margin-right: 8px; padding: 0 5px; border-radius: 5px; background: var(--model);
  color: #fff; font-size: 12px; line-height: 20px; font-weight: 600; text-align: center; }
.legend { display: flex; flex-wrap: wrap; gap: 8px 28px; margin-bottom: 16px; }
.legend b { font-weight: 600; }
.swatch { display: inline-block; width: 12px; height: 12px; margin-right: 8px; border-radius: 3px; vertical-align: -1px; }
.swatch.weights { background: var(--weights); }
.swatch.kv { background: var(--kv); }
.swatch.overhead { background: var(--overhead); }
.legend span:not(.key, .bad) { color: var(--quiet); }
.pools { display: flex; flex-wrap: wrap; gap: 16px; }
.pool { flex: 1 1 auto; max-width: 100%; padding: 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 12px; }
.pool > p { margin-bottom: 12px; color: var(--quiet); }
.groups { display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start; }
.groups svg { display: block; max-width: 100%; height: auto; }
figcaption { margin-top: 6px; max-width: 300px; font-size: 0.867em; color: var(--quiet); }
.spare { display: grid; place-items: center; padding: 8px 16px; min-height: 71px; width: 284px; max-width: 100%;
  border: 1px dashed var(--strong-line); border-radius: 8px; font-size: 0.867em; color: var(--quiet); }
svg text { font-family: inherit; font-size: 12px; fill: var(--text); }
svg .name { font-weight: 600; }
svg .quiet { fill: var(--quiet); }
svg .label { fill: #fff; font-size: 11px; font-weight: 600; }
.node { fill: var(--page); stroke: var(--line); }
.pod { fill: var(--model); }
.free { fill: none; stroke: var(--strong-line); stroke-dasharray: 3 3; }
.platform { fill: var(--track); }
.seam { stroke: #fff; stroke-opacity: 0.35; }
.parting { stroke: var(--page); stroke-width: 4; }
.frame { fill: none; stroke: var(--model); stroke-width: 2; }
.link { stroke: var(--model); stroke-width: 5; }
`;

/**
 * A shade while content remains to scroll; the page's colour moves with the content and covers it
 * at the end.
 */
const SCROLL_HINT = `background: linear-gradient(var(--page), var(--page)) right / 20px 100% no-repeat local,
  linear-gradient(to left, color-mix(in srgb, var(--strong-line) 50%, transparent), transparent) right / 12px 100% no-repeat scroll;`;

/** Also of the picture as a file of its own. */
export const PLATFORM_PICTURE = `
.name { font-size: 13px; font-weight: 600; }
.quiet { fill: var(--quiet); }
.inside { fill: var(--panel); stroke: var(--strong-line); }
.outside { fill: var(--page); stroke: var(--strong-line); stroke-dasharray: 4 3; }
.way { fill: none; stroke: var(--strong-line); stroke-width: 1.3; }
.tip { fill: var(--strong-line); }
`;

const MEMORY = `
.memory { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; }
.memory article { padding: 16px 20px; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 8px 16px; }
.memory article + article { border-top: 1px solid var(--line); }
.memory article > :not(h3, .sum) { grid-column: 1 / -1; }
.memory .sum { color: var(--quiet); }
.memory .sum b { color: var(--text); }
.split { display: flex; flex-wrap: wrap; gap: 4px 28px; }
.split div { display: flex; flex-wrap: wrap; gap: 0 6px; }
.split dt { color: var(--quiet); }
.split dt::before { content: ""; display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 3px; background: var(--swatch, transparent); border: 1px solid var(--swatch, var(--strong-line)); }
.split small { display: inline; }
dt.weights { --swatch: var(--weights); }
dt.kv { --swatch: var(--kv); }
dt.overhead { --swatch: var(--overhead); }
dt.unused { --swatch: var(--track); }
dt.over { --swatch: var(--bad); }
.notes { font-size: 0.867em; color: var(--quiet); }
`;

const TREE = `
.tree { padding: 12px 20px; background: var(--panel); border: 1px solid var(--line); border-radius: 12px; }
.tree ul ul { margin-left: 6px; padding-left: 16px; border-left: 1px solid var(--line); }
.tree summary, .leaf { padding: 3px 0; }
summary { cursor: pointer; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.leaf { padding-left: 16px; }
.resource { font-weight: 550; }
.tree code, .tree small { display: inline; color: var(--quiet); font-size: 0.867em; }
.tag { padding: 0 8px; border: 1px solid var(--line); border-radius: 99px; font-size: 12px; color: var(--quiet); }
`;

/** Narrow tables become cards, with column titles before values. */
const NARROW = `
@media screen and (max-width: 1160px) {
  table, tbody, tfoot, tbody th, tfoot th { display: block; }
  thead { display: none; }
  tr { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(270px, 100%), 1fr)); gap: 0 32px; padding: 12px 20px; border-top: 1px solid var(--line); }
  tbody:first-of-type tr:first-child { border-top: 0; }
  tr th:first-child { grid-column: 1 / -1; padding: 3px 0; border: 0; }
  tr td, tr td.number, tr td:last-child { display: grid; grid-template-columns: 7.5em minmax(0, 1fr); gap: 0 12px; align-items: baseline; min-width: 0; padding: 3px 0; border: 0; text-align: left; white-space: normal; }
  tr td::before { content: attr(data-label); color: var(--quiet); font-size: 0.867em; }
  tr td.long { grid-column: 1 / -1; }
  tr td:has(.bar) { align-items: start; }
  tr td:has(> div:empty) { display: none; }
  tr td .bar { min-width: 0; }
}
@media screen and (max-width: 760px) {
  body { padding: 24px 16px; }
  .figures > div { flex-basis: 140px; padding: 12px 16px; }
  .figures dd:not(.detail) { font-size: 22px; }
  .figures i { font-size: 15px; }
  tr, .tree { padding: 12px 16px; }
  tr td.long { grid-template-columns: minmax(0, 1fr); }
  .memory article { grid-template-columns: minmax(0, 1fr); padding: 16px; }
  .split { display: grid; }
}`;

const PRINT = `
@media print {
  @page { margin: 14mm; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  body { padding: 0; max-width: none; font-size: 11px; background: none; }
  h1 { font-size: 24px; }
  h2 { font-size: 15px; }
  h3 { font-size: 12px; }
  section { margin-top: 24px; }
  .lead { margin-bottom: 8px; }
  .figures > div { flex-basis: 110px; padding: 8px 12px; }
  .figures dd:not(.detail) { font-size: 18px; }
  .figures i { font-size: 12px; }
  .memory article, tr { padding: 8px 12px; }
  .groups svg { width: auto; max-width: 230px; }
  .spare { width: 230px; min-height: 0; padding: 6px 12px; }
  th, td { padding: 6px 8px; }
  table { font-size: 9px; }
  tbody th, td.text, td.long, td .bar { min-width: 0; }
  nav { display: none; }
  .platform-picture { background: none; }
  thead { break-inside: avoid; break-after: avoid; }
  h2, h3, .lead { break-after: avoid; break-inside: avoid; }
  .pool, .memory article, tr, figure, .figures { break-inside: avoid; }
}`;

const models = MODEL_COLORS.map((color, i) => `.m${i} { --model: ${color}; }`).join("\n");

/** Follows the light or dark preference; paper is light. */
export const stylesheet = `
:root { color-scheme: light dark; ${LIGHT} }
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
${models}
${PAGE}${FIGURES}${TABLES}${TOPOLOGY}.platform-picture { margin-top: 24px; overflow-x: auto; ${SCROLL_HINT} ${PLATFORM_PICTURE} }
.platform-picture > svg { width: 100%; min-width: 700px; max-width: 1038px; height: auto; }
${MEMORY}${TREE}${NARROW}${PRINT}
`;
