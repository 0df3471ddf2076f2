import { gpusText } from "../../planner/slices";
import type { DeploymentPlan, ExternalModelPlan, ModelPlan, PoolPlan } from "../../planner/types";
import type { PlanResult } from "../result";
import { engineLabel, money, parallelism, plural, range } from "./format";
import { html, Markup } from "./markup";
import { DARK, LIGHT, PLATFORM_PICTURE } from "./stylesheet";

const WIDTH = 1040;
/** Left edge and width of each column, in pixels. */
const COLUMNS = {
  clients: { x: 1, width: 130 },
  gateway: { x: 191, width: 150 },
  models: { x: 401, width: 296 },
  pools: { x: 757, width: 282 },
} as const;
const BOX = 56;
const GAP = 14;
/** Between the models and what serves them from below. */
const STEP = 46;
/** Columns of models and pools: names in bold 13 pixels, other text 12. */
const MOST = { name: 34, text: 38 } as const;

type Shown = Pick<PlanResult, "plan" | "resources">;

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

interface Line {
  readonly text: string;
  readonly name?: boolean;
}

/** A model with its pods or, of others, its server. */
type Row = { readonly model: ModelPlan } | { readonly external: ExternalModelPlan };

/**
 * Path of a request: clients, gateway, models, pools, store and metrics. Styled by the page's
 * `class` names.
 */
export function platformPicture(shown: Shown): Markup {
  return draw(shown, {});
}

/** What a picture has that is a file of its own. */
interface FileParts {
  readonly xmlns?: Markup;
  readonly styles?: Markup;
  /** Around the picture, in pixels. @default 0 */
  readonly margin?: number;
}

function draw({ plan, resources }: Shown, { xmlns, styles, margin = 0 }: FileParts): Markup {
  const rows: Row[] = [
    ...plan.models.map((model) => ({ model })),
    ...plan.externalModels.map((external) => ({ external })),
  ];
  const pools = plan.pools.filter(({ role }) => role !== "system");
  const bodyHeight = stackHeight(Math.max(1, rows.length, pools.length));
  const modelBoxes = stack(rows.length, bodyHeight, COLUMNS.models);
  const poolBoxes = stack(pools.length, bodyHeight, COLUMNS.pools);
  const [clients, gateway] = [COLUMNS.clients, COLUMNS.gateway].map((column) => ({
    ...column,
    y: (bodyHeight - BOX) / 2 + 1,
  })) as [Placed, Placed];
  const below = bodyHeight + STEP;
  const height = below + BOX + 2;
  const system = plan.pools.filter(({ role }) => role === "system");
  const size = [WIDTH + 2 * margin, height + 2 * margin] as const;
  return html`<svg${xmlns} role="img" aria-label="${description(plan)}" width="${size[0]}" height="${size[1]}" viewBox="${-margin} ${-margin} ${size.join(" ")}">${styles}
${link(clients, gateway)}
${modelBoxes.map((box) => link(gateway, box))}
${rows.flatMap((row, i) => {
  const pool = "model" in row ? pools.findIndex(({ name }) => name === row.model.pool) : -1;
  const [from, to] = [modelBoxes[i], poolBoxes[pool]];
  return from && to ? [link(from, to)] : [];
})}
${box(clients, "outside", [{ text: "Clients", name: true }, { text: clientsText(plan) }])}
${box(gateway, "inside", [{ text: "Gateway", name: true }, { text: plan.tokenIssuer ? "API keys, tokens" : "API keys" }])}
${rows.map((row, i) => modelBoxes[i] && drawRow(row, modelBoxes[i]))}
${pools.map((pool, i) => poolBoxes[i] && box(poolBoxes[i], "inside", poolLines(pool)))}
${plan.storage.models.length > 0 ? supply({ ...COLUMNS.models, y: below }, bodyHeight, "weights", [{ text: "Model store", name: true }, { text: `${plural(plan.storage.models.length, "model")}, ${plan.storage.bucketGiB ?? plan.storage.sizeGiB} GiB` }]) : undefined}
${metricsOf(resources) ? box({ x: COLUMNS.clients.x, y: below, width: COLUMNS.gateway.x + COLUMNS.gateway.width - 1 }, "inside", [{ text: "Observability", name: true }, { text: "Prometheus, Alertmanager, Grafana" }]) : undefined}
${system.length > 0 ? box({ ...COLUMNS.pools, y: below }, "inside", [{ text: "Platform services", name: true }, { text: system.map(nodesText).join(", ") }]) : undefined}
</svg>`;
}

/** Standalone file; follows the reader's light or dark preference. */
export function platformPictureFile(shown: Shown): string {
  const styles = `svg { ${LIGHT} background: var(--page); }
@media (prefers-color-scheme: dark) { svg { ${DARK} } }
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: var(--text); }
${PLATFORM_PICTURE}`;
  const xmlns = new Markup(' xmlns="http://www.w3.org/2000/svg"');
  return `${draw(shown, { margin: 16, xmlns, styles: html`\n<style>${new Markup(styles)}</style>` }).text}\n`;
}

function description(plan: DeploymentPlan): string {
  const on = plan.models.map(({ name, pool }) => `${name} on pool ${pool}`);
  const others = plan.externalModels.map(({ name }) => `${name} at another provider`);
  return `Clients call the gateway, which routes to ${[...on, ...others].join(", ") || "no model"}`;
}

function clientsText({ tenants }: DeploymentPlan): string {
  return tenants.length > 0 ? plural(tenants.length, "consumer") : "OpenAI API, TLS";
}

function metricsOf(resources: Shown["resources"]): boolean {
  return resources.some(({ type }) => type === "inference:observability:MetricsStack");
}

function drawRow(row: Row, place: Placed): Markup {
  if ("model" in row) {
    const { name, engine, minReplicas, maxReplicas } = row.model;
    const replicas = `${range(minReplicas, maxReplicas)} ${maxReplicas === 1 ? "replica" : "replicas"}`;
    return box(place, "inside", [
      { text: name, name: true },
      { text: [engineLabel(engine), parallelism(row.model), replicas].join(" · ") },
    ]);
  }
  const { name, url } = row.external;
  return box(place, "outside", [{ text: name, name: true }, { text: new URL(url).host }]);
}

function poolLines(pool: PoolPlan): Line[] {
  const { gpu } = pool.shape;
  const parts = [nodesText(pool), ...(pool.monthlyUsd > 0 ? [`${money(pool.monthlyUsd)} a month`] : [])];
  return [
    { text: gpu ? `${pool.name} · ${withoutMaker(gpusText(gpu))}` : `${pool.name} · CPUs`, name: true },
    { text: parts.join(" · ") },
  ];
}

function nodesText({ minNodes, maxNodes, shape }: PoolPlan): string {
  return `${range(minNodes, maxNodes)} × ${shape.name}`;
}

/** Boxes of one column, centred in the height of the longest. */
function stack(count: number, height: number, { x, width }: Omit<Placed, "y">): Placed[] {
  const top = (height - stackHeight(count)) / 2 + 1;
  return Array.from({ length: count }, (_, i) => ({ x, width, y: top + i * (BOX + GAP) }));
}

function stackHeight(count: number): number {
  return count * BOX + Math.max(0, count - 1) * GAP;
}

/** From the right edge of one box to the left edge of another. */
function link(from: Placed, to: Placed): Markup {
  const [x1, y1, x2, y2] = [from.x + from.width, from.y + BOX / 2, to.x, to.y + BOX / 2];
  const middle = (x1 + x2) / 2;
  return html`<path class="way" d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2 - 6} ${y2}"></path><path class="tip" d="M${x2 - 8} ${y2 - 4}L${x2 - 1} ${y2}L${x2 - 8} ${y2 + 4}Z"></path>\n`;
}

/** A box below the models, with an arrow up to all of them. */
function supply(place: Placed, bodyHeight: number, label: string, lines: readonly Line[]): Markup {
  const x = place.x + place.width / 2;
  const [bottom, top] = [place.y, bodyHeight + 8];
  return html`<path class="way" d="M${x} ${bottom}V${top + 2}"></path><path class="tip" d="M${x - 4} ${top + 2}L${x} ${top - 5}L${x + 4} ${top + 2}Z"></path>
<text class="quiet" x="${x + 10}" y="${(bottom + top) / 2 + 4}">${label}</text>${box(place, "inside", lines)}`;
}

function box({ x, y, width }: Placed, kind: "inside" | "outside", lines: readonly Line[]): Markup {
  return html`<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${BOX}" rx="8"></rect>${lines.map(
    ({ text, name }, i) =>
      html`<text class="${name ? "name" : "quiet"}" x="${x + 12}" y="${y + 24 + 19 * i}">${clip(text, name ? MOST.name : MOST.text)}</text>`,
  )}\n`;
}

/** The card without its maker, whose name would leave no room for it. */
function withoutMaker(gpus: string): string {
  return gpus.replace(/\b(NVIDIA (GeForce )?|AMD )/, "");
}

function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
