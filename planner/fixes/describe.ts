import { findShape } from "../../catalog/shapes";
import { type EngineName, engineImageName, engineNames } from "../../engines";
import { versionProblems } from "../../engines/estimate";
import { decimal } from "../../names/decimal";
import type { PlanRequest } from "../request";
import type { CapacityProblem, Fix, FixValue } from "../types";
import { buildOn } from "./other-engine";

export function describeFixes(fixes: readonly Fix[], problem: CapacityProblem, request: PlanRequest): string {
  // A tried fix replaces the level's floor: it was planned.
  const isTried = (remedy: string) => fixes.some(({ path }) => isOfLevel(path) && remedy.includes(path));
  const known = (problem.remedies ?? []).filter((remedy) => !isTried(remedy));
  if (fixes.length + known.length === 0) {
    return `\nNo single change fits. ${lastResort(problem, request)}`;
  }
  // No figures where nothing costs anything.
  const priced = request.pools.some((p) => p.usdPerNodeHour > 0);
  // Skips fixes whose setting a fix from the planner already names.
  const others = fixes.filter(({ path }) => !known.some((remedy) => remedy.includes(path)));
  const tried = others.map(
    (fix) => `${describeFix(fix)}${buildText(fix, request)}${priced ? `: ${dollars(fix.monthlyUsd)} USD a month` : ""}`,
  );
  const lines = [...known, ...tried].map((line) => `- ${line}`);
  // Untried fixes have no price to sort by.
  const order = others.length > 1 && known.length === 0 ? ", cheapest first" : "";
  return ["", lines.length === 1 ? "To fix it:" : `To fix it, one of these${order}:`, ...lines].join("\n");
}

function isOfLevel(path: string): boolean {
  return path.includes(".serviceLevel.");
}

/** `lower models.chat.concurrency from 16 to 7` */
function describeFix({ path, from, to }: Fix): string {
  if (to === null) {
    return `remove ${path} (${show(from)})`;
  }
  if (typeof from === "number" && typeof to === "number") {
    return `${to < from ? "lower" : "raise"} ${path} from ${from} to ${to}`;
  }
  return from === null ? `set ${path} to ${show(to)}` : `change ${path} from ${show(from)} to ${show(to)}${cards(to)}`;
}

/** Another engine's build: weights in another format answer differently. */
function buildText({ path, to }: Fix, { models }: PlanRequest): string {
  const model = models.find(({ name }) => path === `models.${name}.engine`);
  const engine = engineNames.find((name) => name === to);
  const build = model && engine && buildOn(model, engine);
  return build === undefined ? "" : ` (${build.tag}, ${build.quantization})`;
}

function cards(value: FixValue): string {
  const gpu = typeof value === "string" ? findShape(value)?.gpu : undefined;
  return gpu ? ` (${gpu.count} × ${gpu.model})` : "";
}

function lastResort({ rule, subject }: CapacityProblem, { models, pools }: PlanRequest): string {
  if (rule === "monthly-budget") {
    return "Lower several of replicas, minNodes and scaling.schedule, or raise the budget.";
  }
  if (rule === "pool-capacity") {
    const { derived, minReplicas = 1 } = models.find((m) => subject === `models.${m.name}`) ?? {};
    if (derived?.includes("replicas")) {
      return "Raise maxNodes, declare fewer requests in its traffic or longer times in its serviceLevel, or add a pool.";
    }
    return minReplicas > 1 ? "Raise maxNodes, lower replicas, or add a pool." : "Raise maxNodes or add a pool.";
  }
  const model = models.find((m) => subject === `models.${m.name}`);
  const engine = model?.engine;
  if (model !== undefined && versionProblems({ name: model.engine, version: model.engineVersion }).length > 0) {
    return `Remove ${subject}.engineVersion, or name a release that is known, and plan again: nothing else is judged before.`;
  }
  const onCpus = engine !== undefined && runsOnCpus(engine);
  const runs = pools.some(({ role }) => role === "gpu" || (role === "cpu" && onCpus));
  if (runs) {
    return "Choose a smaller or quantized model, or add a pool with more memory.";
  }
  const others = engineNames.filter(runsOnCpus).join(" or ");
  return onCpus
    ? "Add a pool with GPUs, or one with role: cpu, that is open to it."
    : `Add a pool with GPUs that is open to it, or write engine: ${others} and add a pool with role: cpu.`;
}

function runsOnCpus(engine: EngineName): boolean {
  return engineImageName(engine, "cpu") !== undefined;
}

function show(value: FixValue): string {
  return typeof value === "object" ? `[${(value ?? []).join(", ")}]` : String(value);
}

function dollars(amount: number): string {
  return decimal(amount, amount < 1000 ? 2 : 0);
}
