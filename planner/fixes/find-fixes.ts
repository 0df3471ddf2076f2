import { AVAILABILITY, SERVICE_LEVEL } from "../../names/rules";
import type { ModelRequest, PlanRequest } from "../request";
import type { CapacityProblem, DeploymentPlan, Fix } from "../types";
import { availabilitySettings } from "./availability-settings";
import { describeFixes } from "./describe";
import { modelSettings } from "./model-settings";
import { poolSettings } from "./pool-settings";
import type { Replanning, Setting } from "./setting";
import { startSettings } from "./start-settings";

/** Search budget in planned models: one or two seconds at worst, more with simulations. */
const MOST_PLANNED_MODELS = 1500;
/** Search budget in plans. */
const MOST_PLANS = 400;
/** More would be a list, not an answer. */
const MOST_FIXES = 4;
/** Of a setting's values the cheapest is named: other weights only for this saving, USD a month. */
const WEIGHTS_USD = 1;

/** Rules that changes of load, format, replicas, nodes or machines can satisfy. */
const FIXABLE = new Set(["model-fits", "pool-capacity", "monthly-budget", SERVICE_LEVEL, AVAILABILITY]);

/**
 * Adds to each refusal the single changes after which the planner raises neither it nor another
 * one, with the resulting cost.
 */
export function withFixes({ request, plan, again }: Replanning): CapacityProblem[] {
  let plans = Math.min(MOST_PLANS, Math.floor(MOST_PLANNED_MODELS / Math.max(1, request.models.length)));
  const trial = (changed: PlanRequest) => (plans-- > 0 ? again(changed) : undefined);
  return plan.problems.map((problem) => {
    if (problem.severity !== "mandatory" || !FIXABLE.has(problem.rule)) {
      return problem;
    }
    if (problem.rule === "monthly-budget" && plan.unplaced.length > 0) {
      // The cost of unplaced models is unknown, so no saving is claimed.
      const left = plan.unplaced.map((m) => m.name).join(", ");
      return { ...problem, message: `${problem.message} Find a place first for ${left}: the cost will change.` };
    }
    const fixes = findFixes(request, plan, problem, trial);
    return { ...problem, message: `${problem.message}${describeFixes(fixes, problem, request)}`, fixes };
  });
}

function findFixes(
  request: PlanRequest,
  plan: DeploymentPlan,
  problem: CapacityProblem,
  trial: (request: PlanRequest) => DeploymentPlan | undefined,
): Fix[] {
  const before = new Set(refusalsOf(plan));
  before.delete(keyOf(problem));
  const found = new Map<string, { readonly fix: Fix; readonly rank: number; readonly worthUsd: number }>();
  for (const [rank, setting] of settingsFor(request, plan, problem).entries()) {
    const fix = mildestFix(setting, (changed) => {
      const result = trial(changed);
      const helps = result && refusalsOf(result).every((key) => before.has(key));
      return helps ? result.cost.monthlyUsd : undefined;
    });
    if (fix) {
      const worthUsd = fix.monthlyUsd + (setting.changesWeights ? WEIGHTS_USD : 0);
      if (worthUsd < (found.get(fix.path)?.worthUsd ?? Number.POSITIVE_INFINITY)) {
        found.set(fix.path, { fix, rank, worthUsd });
      }
    }
  }
  return [...found.values()]
    .sort((a, b) => cents(a.fix.monthlyUsd) - cents(b.fix.monthlyUsd) || a.rank - b.rank)
    .slice(0, MOST_FIXES)
    .map(({ fix }) => fix);
}

/**
 * The mildest value that helps, by bisection; harsher ones are assumed to help too. The returned
 * one was tried.
 *
 * @param costOf USD a month with a change; undefined when it does not help.
 */
function mildestFix(
  { path, from, count, at }: Setting,
  costOf: (changed: PlanRequest) => number | undefined,
): Fix | undefined {
  const fixAt = (index: number): Fix | undefined => {
    const { to, request } = at(index);
    const monthlyUsd = costOf(request);
    return monthlyUsd === undefined ? undefined : { path, from, to, monthlyUsd };
  };
  let best = fixAt(count - 1);
  if (!best) {
    return undefined;
  }
  let low = -1;
  let high = count - 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const fix = fixAt(middle);
    if (fix) {
      best = fix;
      high = middle;
    } else {
      low = middle;
    }
  }
  return best;
}

/**
 * A model that fits nowhere is changed itself; room and budget are shared, so that every model may
 * be. Pools come first, then the dearest models, which have most to give if plans run out.
 */
function settingsFor(request: PlanRequest, plan: DeploymentPlan, problem: CapacityProblem): Setting[] {
  const cost = (name: string) => plan.models.find((m) => m.name === name)?.monthlyUsd ?? Number.POSITIVE_INFINITY;
  const models = ["model-fits", SERVICE_LEVEL, AVAILABILITY].includes(problem.rule)
    ? withItsModel(request.models, problem.subject)
    : request.models.toSorted((a, b) => compare(cost(b.name), cost(a.name)) || (a.name < b.name ? -1 : 1));
  const pools = request.pools.toSorted((a, b) => compare(poolCost(plan, b.name), poolCost(plan, a.name)));
  return [
    ...pools.flatMap((pool) => poolSettings(request, pool)),
    ...models.flatMap((model) => [
      ...modelSettings(request, model),
      ...startSettings(request, plan, model),
      ...availabilitySettings(request, model, problem.rule),
    ]),
  ];
}

/** The models of a subject's server; for a canary, the model it shares settings with. */
function withItsModel(models: readonly ModelRequest[], subject: string): ModelRequest[] {
  const own = models.filter((m) => subject === `models.${m.serverOf ?? m.name}`);
  return [...own, ...models.filter((m) => own.some(({ revisionOf }) => revisionOf?.model === m.name))];
}

function poolCost(plan: DeploymentPlan, name: string): number {
  return plan.pools.find((p) => p.name === name)?.monthlyUsd ?? 0;
}

function refusalsOf({ problems }: DeploymentPlan): string[] {
  return problems.filter((p) => p.severity === "mandatory").map(keyOf);
}

function keyOf({ rule, subject }: CapacityProblem): string {
  return `${rule} ${subject}`;
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function cents(usd: number): number {
  return Math.round(usd * 100);
}
