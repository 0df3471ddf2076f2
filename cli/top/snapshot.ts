/** A snapshot of plan, control API and Prometheus. Pure. */
import type { ControlFacts, MetricFacts, ModelRow, PlanFacts, Snapshot, TaskRow } from "./facts";
import type { Feed } from "./feed";

/** Older failures are history. */
const FAILED_MINUTES = 15;

export interface Known {
  readonly plan?: PlanFacts;
  readonly control: Feed<ControlFacts>;
  readonly prometheus: Feed<MetricFacts>;
}

export function snapshotOf({ plan, control, prometheus }: Known, now: Date): Snapshot {
  const { workers = [], tasks = [] } = control.facts ?? {};
  const { gpus = [], alerts = [] } = prometheus.facts ?? {};
  return {
    at: now.toISOString(),
    ...(plan && { environment: plan.environment, hourlyUsd: plan.hourlyUsd }),
    ...(prometheus.facts?.usdPerHour !== undefined && { actualHourlyUsd: prometheus.facts.usdPerHour }),
    sources: { control: control.state, prometheus: prometheus.state },
    workers,
    models: modelRows(plan, control.facts, prometheus.facts),
    tasks: tasks.filter((task) => isOfNow(task, now)),
    gpus,
    alerts,
  };
}

function isOfNow({ state, finishedAt }: TaskRow, now: Date): boolean {
  if (state !== "failed") {
    return state !== "completed";
  }
  return finishedAt !== undefined && now.getTime() - Date.parse(finishedAt) < FAILED_MINUTES * 60_000;
}

/** A row per model: planned ones by the plan's name, others by their own. */
function modelRows(plan: PlanFacts | undefined, control: ControlFacts | undefined, metrics: MetricFacts | undefined) {
  const rows = new Map<string, ModelRow>();
  const add = (name: string, more: Omit<ModelRow, "name">) => rows.set(name, { ...rows.get(name), name, ...more });
  for (const { name, replicas, hourlyUsd } of plan?.models ?? []) {
    add(name, { plannedReplicas: replicas, hourlyUsd });
  }
  for (const [name, figures] of Object.entries(metrics?.models ?? {})) {
    add(name, figures);
  }
  const planned = [...rows.keys()];
  for (const { name, state, pinned, workers } of control?.models ?? []) {
    add((pinned ? plannedNameOf(workers, planned) : undefined) ?? name, { state, workers });
  }
  return [...rows.values()];
}

/** The control API names a planned model by engine; its workers are named after the plan. */
function plannedNameOf(workers: readonly string[], planned: readonly string[]): string | undefined {
  return planned.find((name) =>
    workers.some(
      (worker) => worker === name || (worker.startsWith(`${name}-`) && /^\d+$/.test(worker.slice(name.length + 1))),
    ),
  );
}
