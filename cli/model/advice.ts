/** Additions of `npm run model`: what would fit, machines for the model, the five-step rule. */
import type { MachineShape } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import { contextLimit, estimateMemory, layoutProblems } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import { type CardFit, compareCards } from "../../planner/card-comparison";
import {
  cheapestShapes,
  type FittingMachine,
  fewestCards,
  largestThatFits,
  layoutThatFits,
  mostSequencesThatFit,
} from "../../planner/fitting";
import { LOWER_PARTS } from "../../planner/fixes/start-settings";
import { differences, type SizingRuleResult } from "../../planner/memory/sizing-rule";
import { isStartCheck } from "../../planner/memory/verdict";
import type { ModelRequest } from "../../planner/request";
import { ruleFor } from "../../planner/sizing";
import type { EngineName } from "../../planner/types";
import { usd } from "../../report/style";
import { cardJson } from "./card-table";
import type { Machine } from "./machine";
import type { ModelReport } from "./report";

/** A change of the command line that makes it fit, with its needs. */
export interface Remedy {
  readonly options: string;
  readonly text: string;
}

export interface ModelAdvice {
  readonly remedies: readonly Remedy[];
  /** For one replica of this load, cheapest first. */
  readonly shapes: readonly FittingMachine[];
  /** Own cards, fewest per machine first. */
  readonly cards: readonly FittingMachine[];
  /** Every catalogue card, where no machine was named. */
  readonly comparison?: readonly CardFit[];
  /** With a known machine. */
  readonly rule?: SizingRuleResult & { readonly differences: readonly string[] };
}

/** Machines to name. */
const FEW = 3;

/** Largest machine with own cards. */
const MOST_GPUS = 8;

export function adviceFor(
  report: ModelReport,
  model: ModelRequest,
  { shape, isNamed, device }: Pick<Machine, "shape" | "isNamed" | "device">,
): ModelAdvice {
  const { request } = report;
  const contextTokens = Math.min(request.contextTokens, contextLimit(request.architecture, request.engine));
  // For the load, in any layout.
  const free = { ...model, contextTokens, tensorParallel: undefined, pipelineParallel: undefined };
  const rule = shape && ruleFor(model, shape);
  return {
    remedies:
      report.fits || report.machineRefusals.length > 0 ? [] : remedies({ ...request, contextTokens }, report, shape),
    shapes: cheapestShapes(free, FEW),
    cards: fewestCards(free, FEW),
    ...(!isNamed && device === "gpu" && { comparison: compareCards(free) }),
    ...(rule && shape && { rule: { ...rule, differences: differencesOf(rule, report, shape) } }),
  };
}

function remedies(request: MemoryRequest, report: ModelReport, shape: MachineShape | undefined): Remedy[] {
  const found: Remedy[] = [];
  const starts = report.refusals.length === 0;
  if (request.contextTokens < report.request.contextTokens) {
    found.push({ options: `--context ${request.contextTokens}`, text: "the most that the model knows" });
  }
  const layout = request.device === "cpu" ? undefined : layoutThatFits(request, shape?.gpu?.count ?? MOST_GPUS);
  if (layout) {
    const { tensorParallel: tp, pipelineParallel: pp, gpusPerNode } = layout;
    const { tensor } = engineOf(request.engine.name).parallelism;
    const options = [...(tensor ? [`--tp ${tp}`] : []), ...(pp > 1 ? [`--pp ${pp}`] : [])];
    const isSame = tp === request.tensorParallel && pp === request.pipelineParallel;
    if (!isSame) {
      found.push({
        options: options.join(" "),
        text: `${gpusPerNode} GPU${gpusPerNode > 1 ? "s" : ""} of the same kind in one machine`,
      });
    }
  }
  for (const { flag, text } of engineOf(request.engine.name).layoutFlags ?? []) {
    if (startsWithFlag(request, report, flag)) {
      found.push({ options: `--${flag}`, text });
    }
  }
  const lacksForStart = starts && isStartCheck(report.verdict.decides);
  if (lacksForStart) {
    found.push(...startRemedies(request));
  }
  if (starts) {
    const context = largestThatFits(request, "contextTokens");
    // Without the load, only page tables grow with it: contexts of a few tokens are of no use.
    if (context !== undefined && !(lacksForStart && context < 1024)) {
      const tokens = context > 1024 ? context - (context % 1024) : context;
      found.push({ options: `--context ${tokens}`, text: `with ${request.concurrency} at once` });
    }
    const concurrency = request.concurrency > 1 ? largestThatFits(request, "concurrency") : undefined;
    if (concurrency !== undefined) {
      found.push({
        options: `--concurrency ${concurrency}`,
        text: `of ${request.contextTokens.toLocaleString("en-US")} tokens each`,
      });
    }
  }
  return found;
}

/** Changes that leave memory for allocations besides the load. */
function startRemedies(request: MemoryRequest): Remedy[] {
  const { startFlags = [] } = engineOf(request.engine.name);
  const fits = (changes: Partial<MemoryRequest>) =>
    estimateMemory({ ...request, ...changes }).verdict.answer === "fits";
  const sequences = mostSequencesThatFit(request);
  const { utilization: now = 1 } = request;
  const part = LOWER_PARTS.find((utilization) => utilization < now && fits({ utilization }));
  return [
    ...(sequences === undefined ? [] : [{ options: `--max-num-seqs ${sequences}`, text: "requests that run at once" }]),
    ...(part === undefined ? [] : [{ options: `--utilization ${part}`, text: "less of the card" }]),
    ...startFlags
      .filter(({ flag }) => fits({ args: { ...request.args, [flag]: true } }))
      .map(({ flag, text }) => ({ options: `--${flag}`, text })),
  ];
}

/** Only the layout prevents a start, and with the flag it runs and fits. */
function startsWithFlag(request: MemoryRequest, report: ModelReport, flag: string): boolean {
  const flagged = { ...request, args: { ...request.args, [flag]: true } };
  return (
    report.layoutProblems.length > 0 &&
    report.layoutProblems.length === report.refusals.length &&
    layoutProblems(request.engine.name, flagged).length === 0 &&
    estimateMemory(flagged).verdict.answer === "fits"
  );
}

function differencesOf(rule: SizingRuleResult, { request, estimate }: ModelReport, shape: MachineShape): string[] {
  const { tensorParallel, pipelineParallel, concurrency, contextTokens } = request;
  const gpusPerNode = Math.min(shape.gpu?.count ?? 1, tensorParallel * pipelineParallel);
  return differences(rule, {
    tensorParallel,
    pipelineParallel,
    nodesPerReplica: Math.ceil((tensorParallel * pipelineParallel) / gpusPerNode),
    gpusPerNode,
    estimate,
    concurrency,
    contextTokens,
  });
}

/** Rows of label and text; a row without a label continues the one above. */
export function adviceRows(
  { remedies: found, shapes, cards, comparison, rule }: ModelAdvice,
  engine: EngineName,
): (readonly [string, string])[] {
  const rows: [string, readonly string[]][] = [
    ["to make it fit", found.map(({ options, text }) => `${options}  (${text})`)],
    [
      "cheapest",
      shapes.length === 0
        ? ["no single machine of the clouds in the catalogue holds this load"]
        : shapes.map((machine) => `${machineText(machine, engine)}: ${usd(machine.usdPerHour ?? 0)} USD/hour`),
    ],
    ...(comparison ? [] : [ownCards(cards, engine)]),
    ["five-step rule", rule ? [...rule.steps.map(({ step, text }) => `${step}. ${text}`), ...rule.differences] : []],
  ];
  return rows.flatMap(([label, texts]) => texts.map((text, index) => [index === 0 ? label : "", text] as const));
}

function ownCards(cards: readonly FittingMachine[], engine: EngineName): [string, readonly string[]] {
  return [
    "own cards",
    cards.length === 0
      ? ["no machine with up to 8 cards of one kind holds it"]
      : cards.map((machine) => machineText(machine, engine)),
  ];
}

function machineText({ shape, layout }: FittingMachine, engine: EngineName): string {
  const { tensorParallel: tp, pipelineParallel: pp, gpusPerNode } = layout;
  const split = tp * pp === 1 || !engineOf(engine).parallelism.tensor ? "" : `, TP ${tp}${pp > 1 ? ` × PP ${pp}` : ""}`;
  const gpus = `${gpusPerNode} × ${shape.gpu?.model}${split}`;
  return shape.provider === "onprem" ? gpus : `${shape.name} (${gpus})`;
}

export function adviceJson({ remedies: found, shapes, cards, comparison, rule }: ModelAdvice) {
  const machine = ({ shape, layout, usdPerHour }: FittingMachine) => ({
    shape: shape.name,
    gpu: shape.gpu?.model,
    gpus: layout.gpusPerNode,
    tensorParallel: layout.tensorParallel,
    pipelineParallel: layout.pipelineParallel,
    ...(usdPerHour !== undefined && { usdPerHour }),
  });
  return {
    remedies: found,
    cheapestShapes: shapes.map(machine),
    ownCards: cards.map(machine),
    ...(comparison && { cards: comparison.map(cardJson) }),
    fiveStepRule: rule,
  };
}
