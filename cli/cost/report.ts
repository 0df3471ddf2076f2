import { visible } from "../../names/visible";
import type { CostLine, CostReport } from "./compare";

type Report = CostReport & { readonly environment: string };

const usd = (value: number) => value.toFixed(2);
const signed = (value: number) => `${value < 0 ? "-" : "+"}${usd(Math.abs(value))}`;
const percent = ({ differencePercent }: CostLine) =>
  differencePercent === null ? "" : `${differencePercent < 0 ? "-" : "+"}${Math.abs(differencePercent).toFixed(1)} %`;

export function costText(report: Report): string {
  const { environment, hours, total, pools, models, tenants, notPriced } = report;
  return [
    `Costs of ${environment}, US dollars a month at the pace of the last ${hours.toFixed(1)} recorded hours`,
    "",
    ...table(["", "plan", "actual", "difference", ""], [[total], pools, models].flat().map(row)),
    ...explanations([total, ...pools, ...models]),
    ...modelTable(models),
    "",
    ...table(
      ["tenant", "actual", "of all", "tokens a second"],
      tenants.map((each) => [
        visible(each.name),
        usd(each.actualUsd),
        `${each.percent.toFixed(1)} %`,
        each.tokensPerSecond.toFixed(2),
      ]),
    ),
    ...(notPriced.length > 0 ? ["", `Not in these figures: ${notPriced.join(", ")}.`] : []),
    "",
  ].join("\n");
}

function row(line: CostLine): string[] {
  return [line.name, usd(line.planUsd), usd(line.actualUsd), signed(line.differenceUsd), percent(line)];
}

function explanations(lines: readonly CostLine[]): string[] {
  const large = lines.filter(({ why }) => why.length > 0);
  return large.length === 0
    ? ["", "No figure is more than 5 % off."]
    : [
        "",
        "Why, where a figure is more than 5 % off:",
        ...large.flatMap(({ name, why }) => why.map((effect) => `  ${name}: ${signed(effect.usd)} ${effect.text}`)),
      ];
}

function modelTable(models: CostReport["models"]): string[] {
  const other = models.some(({ openCostUsd }) => openCostUsd !== null);
  return [
    "",
    ...table(
      ["model", "allocated", "idle", "used", "replicas", "tokens a second", ...(other ? ["OpenCost"] : [])],
      models.map((model) => [
        model.name,
        usd(model.allocatedUsd),
        usd(model.idleUsd),
        model.usedUsd === null ? "-" : usd(model.usedUsd),
        model.replicas.toFixed(2),
        model.tokensPerSecond.toFixed(2),
        ...(other ? [model.openCostUsd === null ? "-" : usd(model.openCostUsd)] : []),
      ]),
    ),
  ];
}

/** The first column left-aligned, others right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((cells) => (cells[i] ?? "").length)));
  return [head, ...rows].map((cells) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

const HEAD =
  "environment,kind,name,plan_usd,actual_usd,difference_usd,allocated_usd,idle_usd,used_usd,tokens_per_second,why";

/** For spreadsheets: US dollars a month. */
export function costCsv({ environment, total, pools, models, tenants }: Report): string {
  const figures = (line: CostLine) => [line.planUsd, line.actualUsd, line.differenceUsd].map(usd);
  const why = (line: CostLine) => line.why.map((effect) => `${signed(effect.usd)} ${effect.text}`).join("; ");
  const plain = (kind: string, line: CostLine) => [
    environment,
    kind,
    line.name,
    ...figures(line),
    "",
    "",
    "",
    "",
    why(line),
  ];
  const rows = [
    plain("total", total),
    ...pools.map((line) => plain("pool", line)),
    ...models.map((model) => [
      ...[environment, "model", model.name, ...figures(model), usd(model.allocatedUsd), usd(model.idleUsd)],
      ...[model.usedUsd === null ? "" : usd(model.usedUsd), model.tokensPerSecond.toFixed(3), why(model)],
    ]),
    ...tenants.map((each) => [
      ...[
        environment,
        "tenant",
        each.name,
        "",
        usd(each.actualUsd),
        "",
        "",
        "",
        "",
        each.tokensPerSecond.toFixed(3),
        "",
      ],
    ]),
  ];
  return `${[HEAD, ...rows.map((cells) => cells.map(cell).join(","))].join("\n")}\n`;
}

/** Quoted where needed; an apostrophe prevents formulas. */
function cell(raw: string): string {
  const text = visible(raw);
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.]+$/.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
