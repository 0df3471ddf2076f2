import type { PlannedStep } from "./replay";

/**
 * Kinds that hold nothing and that nobody waits for: they may go and be made again. Monitors and rules are read all together by
 * their controllers, new ones before old ones go; budgets went from single pods, whose eviction they never stopped.
 */
const DISPOSABLE = ["ConfigMap", "Job", "NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "PrometheusRule"];

const REMOVALS = ["delete", "delete-replaced", "replace", "discard"];

/** What of the steps takes an object away that holds state or serves, one line each. */
export function lossesOf(steps: readonly PlannedStep[]): string[] {
  return steps.filter(isLoss).map(({ operation, type, name }) => `${operation} ${type} ${name}`);
}

/** Components are no objects: an engine forgets them without touching anything. */
function isLoss({ operation, type }: PlannedStep): boolean {
  const kind = type.slice(type.lastIndexOf(":") + 1);
  return REMOVALS.includes(operation) && !type.startsWith("inference:") && !DISPOSABLE.includes(kind);
}
