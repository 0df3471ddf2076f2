import type { EngineName, ModelPlan, PoolPlan } from "../../planner/types";
import { alertsText } from "../alerts";
import { clusterText } from "../cluster";
import { correctFirst, nextSteps } from "../next-step";
import { nodeMakersText } from "../node-makers";
import { isDeployable, type PlanResult } from "../result";
import { apiPriceText } from "../speed";
import { barChart } from "./elements";
import { count, engineLabel, money, percent, plural, share } from "./format";
import { groupBy } from "./group-by";
import { html, type Markup, type Part } from "./markup";

/** Environment, stage and the verdict. */
export function pageHeader(result: PlanResult): Markup {
  const { environment, stage } = result.plan;
  const verdict = isDeployable(result)
    ? html`<p class="verdict yes"><b>Deployable</b> <span>${correctFirst(result).map(({ policy, resource }) => html`First: correct <code>${resource}</code> (${policy}). `)}Next: ${nextSteps(result).map((step, index) => html`${index > 0 ? ", then " : undefined}<code>${step}</code>`)}</span></p>`
    : html`<p class="verdict no"><b>Not deployable</b> <span>Fix the findings below and plan again.</span></p>`;
  return html`
<header>
<div><p class="product">inference-stacks · plan</p>
<h1>${environment}</h1>
<p class="stage">${stage} environment${result.made && ` · planned ${result.made.date}`}${result.made?.commit !== undefined ? html` · commit <code>${result.made.commit}</code>` : undefined}</p></div>
${verdict}
</header>`;
}

/** The numbers that decide, at a glance. */
export function keyFigures(result: PlanResult): Markup {
  const { models, unplaced, pools, cost } = result.plan;
  const cards = (p: PoolPlan, parts: number) => parts / (p.shape.gpu?.slice?.perGpu ?? 1);
  const claimed = pools.reduce((sum, p) => sum + cards(p, p.gpusClaimed), 0);
  const total = pools.reduce((sum, p) => sum + cards(p, p.gpusTotal), 0);
  const advisory = result.violations.filter((v) => v.severity === "advisory").length;
  const { passed, failed } = result.policies;
  const nodes = nodeMakersText(result.cluster.nodes);
  return html`
<dl class="figures" aria-label="Key figures">
${figure("Models placed", unplaced.length > 0 ? html`${count(models.length)} <i>of ${count(models.length + unplaced.length)}</i>` : count(models.length), unplaced.length > 0 ? html`<b class="bad">${unplaced.map((m) => m.name).join(", ")}</b> without a place` : engines(result))}
${figure("GPUs claimed", html`${count(claimed, 1)} <i>of ${count(total)}</i>`, total > 0 ? `${share(claimed, total)} of the GPUs that always run` : "no GPU in this plan")}
${figure(
  "Per hour",
  money(cost.hourlyUsd),
  `${plural(
    pools.reduce((sum, p) => sum + p.minNodes, 0),
    "node",
  )} always on`,
)}
${figure("Per month", money(cost.monthlyUsd), html`${budget(cost.monthlyUsd, cost.monthlyBudgetUsd)}${cost.maxMonthlyUsd > cost.monthlyUsd ? html`<br>${money(cost.maxMonthlyUsd)} with every pool at maxNodes` : undefined}`)}
${figure("Policies", html`${count(passed)} <i>passed</i>`, html`${failed > 0 ? html`<b class="bad">${count(failed)} failed</b>` : "0 failed"}${advisory > 0 ? ` · ${count(advisory)} advisory` : undefined}`)}
</dl>
<p class="stage">Cluster: ${clusterText(result.cluster)}${nodes === undefined ? undefined : html`<br>Nodes: ${nodes}`}<br>Alerts: ${alertsText(result)}${models.map(apiPrice)}</p>`;
}

/** What the cheapest API asks for a model's tokens, for readers who decide between both. */
function apiPrice({ name, tokenPrice }: ModelPlan): Markup | undefined {
  const [cheapest] = (tokenPrice?.apis ?? []).toSorted((a, b) => a.usdPerMillionTokens - b.usdPerMillionTokens);
  return cheapest && html`<br>${name} by an API: ${apiPriceText(cheapest)}`;
}

function figure(name: string, value: Part, detail: Part): Markup {
  return html`<div><dt>${name}</dt><dd>${value}</dd><dd class="detail">${detail}</dd></div>\n`;
}

function engines({ plan }: PlanResult): string {
  const byEngine = groupBy(plan.models, (m): EngineName => m.engine);
  return [...byEngine].map(([engine, models]) => `${models.length} on ${engineLabel(engine)}`).join(" · ");
}

function budget(monthlyUsd: number, budgetUsd: number | undefined): Part {
  if (budgetUsd === undefined) {
    return "no budget set";
  }
  const over = monthlyUsd - budgetUsd;
  const bar = barChart(`${money(monthlyUsd)} of a budget of ${money(budgetUsd)}`, [
    {
      className: over > 0 ? "over" : "weights",
      label: `${money(monthlyUsd)} a month`,
      start: "0%",
      width: percent(monthlyUsd, budgetUsd),
    },
  ]);
  const verdict =
    over > 0
      ? html`<b class="bad">${money(over)} over</b> the budget of ${money(budgetUsd)}`
      : `of a budget of ${money(budgetUsd)}`;
  return html`${bar}${verdict}`;
}
