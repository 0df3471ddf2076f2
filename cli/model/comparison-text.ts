/** `npm run model -- NAME --traffic`: machines by price, why the second lost, and refusals. */

import { figure, LIMIT_TEXTS, layoutText, levelTexts, requestsText } from "../../planner/level/text";
import type { MachineAnswer, MachineComparison, MachineRefusal } from "../../planner/machine-comparison";
import type { ModelRequest } from "../../planner/request";
import { peakRate, type Traffic } from "../../planner/traffic";
import { apiPriceText, rangeText } from "../../report/speed";
import { type Cell, count, table, usd, wrap } from "../../report/style";

/** Named machines; --json has all. */
const MOST_ROWS = 8;
const WIDTH = 118;

export interface TrafficQuestion {
  readonly model: ModelRequest;
  readonly traffic: Traffic;
  /** Of the format, as in reports. */
  readonly label: string;
}

const right = (text: string): Cell => ({ text, align: "right" });

export function comparisonText(question: TrafficQuestion, { able, refused }: MachineComparison): string {
  const [best, second] = able;
  const rows = able.slice(0, MOST_ROWS);
  const parts = [
    ...wrap(`${question.label} for ${loadText(question)}`, WIDTH, ""),
    "",
    ...(best === undefined ? ["no machine answers that"] : [machineTable(rows).trimEnd()]),
    ...(able.length > rows.length ? [`${able.length - rows.length} more machines can, for more money (--json)`] : []),
    "",
    ...(best && second ? [...wrap(whyLost(best, second), WIDTH, ""), ""] : []),
    ...apiTexts(best),
    ...refusalTexts(refused),
    ...(best ? [] : remedyTexts(refused)),
    ...(best ? ["In an environment:", ...settings(question), ""] : []),
  ];
  return `${parts.join("\n").trimEnd()}\n`;
}

function loadText({ model, traffic }: TrafficQuestion): string {
  const { requestsPerSecond, inputTokens, outputTokens } = traffic;
  const { serviceLevel = {} } = model;
  const { percentile, confidence, availability } = serviceLevel;
  const within = levelTexts(serviceLevel);
  return [
    `${requestsText(requestsPerSecond)}, ${figure(peakRate(traffic))} at the peak, of ${count(inputTokens)} + ${count(outputTokens)} tokens`,
    ...(within.length > 0
      ? [`within ${within.join(" and ")} (${percentile}th percentile, confidence ${confidence})`]
      : []),
    ...(availability === undefined ? [] : [`availability ${availability}: one replica to spare`]),
  ].join(", ");
}

function machineTable(answers: readonly MachineAnswer[]): string {
  return table([
    [
      "machine",
      "card",
      "layout",
      right("replicas"),
      right("nodes"),
      right("USD/month"),
      right("USD/M tokens"),
      "ms per token",
      "ms to the first",
      "limited by",
    ],
    ...answers.map(({ shape, plan, nodes, monthlyUsd }) => [
      shape.name,
      cardText(shape.gpu?.model ?? ""),
      layoutText(plan),
      right(String(plan.minReplicas)),
      right(String(nodes)),
      right(monthlyUsd > 0 ? usd(monthlyUsd) : "own"),
      right(monthlyUsd > 0 ? figure(plan.tokenPrice?.usdPerMillionTokens ?? 0) : ""),
      plan.speed ? rangeText(plan.speed.tokenMs.mean) : "",
      plan.speed ? rangeText(plan.speed.firstTokenMs.mean) : "",
      plan.speed ? LIMIT_TEXTS[plan.speed.limitedBy] : "",
    ]),
  ]);
}

function cardText(model: string): string {
  return model.replace(/^(NVIDIA|AMD) /, "");
}

/** Cheapest and next: rate per replica, replicas at the peak, and their cost. */
function whyLost(best: MachineAnswer, second: MachineAnswer): string {
  const more =
    best.monthlyUsd > 0
      ? `costs ${Math.round(100 * (second.monthlyUsd / best.monthlyUsd - 1))} % more than ${best.shape.name}`
      : `has more cards than ${best.shape.name}`;
  return `The runner-up ${second.shape.name} ${more}: ${answerText(second)}; ${best.shape.name}: ${answerText(best)}.${spareText(second)}`;
}

function answerText({ shape, plan, nodes }: MachineAnswer): string {
  const { capacity, neededReplicas = plan.minReplicas } = plan.speed ?? {};
  const each = capacity ? `a replica (${layoutText(plan)}) answers ${requestsText(capacity.requestsPerSecond)}` : "";
  const price = shape.price && "usdPerHour" in shape.price ? ` at ${usd(shape.price.usdPerHour)} USD/hour` : "";
  return `${each}, the peak takes ${neededReplicas} of them, on ${nodes} ${nodes === 1 ? "node" : "nodes"}${price}`;
}

/** Unused paid GPUs are the usual reason. */
function spareText({ shape, plan, nodes }: MachineAnswer): string {
  const bought = nodes * (shape.gpu?.count ?? 0);
  const used = plan.minReplicas * plan.gpusPerNode * plan.nodesPerReplica;
  return bought > used ? ` ${bought - used} of its ${bought} GPUs stay idle.` : "";
}

/** APIs' prices for the same tokens. */
function apiTexts(best: MachineAnswer | undefined): string[] {
  const apis = best && best.monthlyUsd > 0 ? (best.plan.tokenPrice?.apis ?? []).slice(0, 2) : [];
  return apis.length === 0 ? [] : [...apis.flatMap((api) => wrap(`${apiPriceText(api)}.`, WIDTH, "")), ""];
}

const KINDS: Readonly<Record<MachineRefusal["kind"], string>> = {
  "unknown-speed": "whose speed is not known",
  "too-many": "of which it would take too many",
  level: "that are too slow",
  unread: "of unknown support in this release",
  memory: "that hold no replica",
};

const REMEDIES: Readonly<Record<MachineRefusal["kind"], string>> = {
  "unknown-speed": "measure it where it runs (npm run measure): plans count with that",
  "too-many": "ask for fewer requests (rps, peak), shorter ones (in, out) or longer times (--level)",
  level: "ask for times that are not below the floor of the nearest machine, or a lower percentile or confidence",
  unread: "name a release that was read (--engine-version), or none",
  memory:
    "write fewer bits for weights (--quantization fp8), a smaller --context, or leave --tp, --pp and --card to the search",
};

/** Fixes per reason, where no machine can. */
function remedyTexts(refused: readonly MachineRefusal[]): string[] {
  const kinds = [...new Set(refused.map(({ kind }) => kind))];
  const lines = kinds.map((kind) => `- ${REMEDIES[kind]}`);
  return lines.length === 0 ? [] : [lines.length > 1 ? "To fix it, one of these:" : "To fix it:", ...lines, ""];
}

/** Number of refusals by reason, each with its nearest. */
function refusalTexts(refused: readonly MachineRefusal[]): string[] {
  const kinds = [...new Set(refused.map(({ kind }) => kind))];
  const lines = kinds.flatMap((kind) => {
    const all = refused.filter((each) => each.kind === kind);
    const [nearest] = all;
    const which = all.length === 1 ? "machine" : "machines";
    return nearest ? [`${all.length} ${which} ${KINDS[kind]}; nearest ${nearest.shape.name}: ${nearest.reason}`] : [];
  });
  return lines.length === 0 ? [] : [...lines.flatMap((line) => wrap(line, WIDTH, "")), ""];
}

function settings({ model, traffic }: TrafficQuestion): string[] {
  const { serviceLevel } = model;
  const pairs = (values: object) =>
    Object.entries(values)
      .map(([key, value]) => `${key}: ${value}`)
      .join(", ");
  return [
    `  traffic: { ${pairs(traffic)} }`,
    ...(serviceLevel && Object.keys(serviceLevel).length > 0 ? [`  serviceLevel: { ${pairs(serviceLevel)} }`] : []),
  ];
}
