/** Judges models and the rest of the platform. */
import { GROUP_LABELS, isHead, podsWanted, type Workload } from "../../rehearsal/workloads";
import type { Expected, ExpectedModel } from "./expected";
import {
  type EventFact,
  hasCompleted,
  isActive,
  isLeaving,
  isReady,
  isReplaced,
  type PodFact,
  type StatusFacts,
} from "./facts";
import { judgeGroup } from "./groups";
import { problemOf } from "./reasons";
import type { EventLine, GroupStatus, ModelStatus, PartStatus, State, StatusProblem } from "./result";
import { scalerProblems, sleeps } from "./scaler";

/** Of a model. */
const EVENTS = 3;

/** Without its log, which is fetched later. */
export type JudgedModel = Omit<ModelStatus, "log">;

/** @param now milliseconds since the epoch. */
export function judgeModel(expected: ExpectedModel, facts: StatusFacts, now: number, environment: string): JudgedModel {
  const { name, engine, workloads, endpoint, curl, scaling } = expected;
  const shown = { name, engine, endpoint, curl, scaling: scaling ? { min: scaling.min, max: scaling.max } : null };
  if (workloads.length === 0) {
    const state = engine === "external" ? ("outside" as const) : ("unknown" as const);
    return { ...shown, state, readyReplicas: 0, replicas: 0, problems: [], events: [] };
  }
  const found = workloads.map((workload) => ofWorkload(workload, facts));
  const existing = found.filter(({ exists }) => exists);
  const wanted = sum((existing.length > 0 ? existing : found).map(({ replicas }) => replicas));
  const ready = sum(existing.map(({ readyReplicas }) => readyReplicas));
  const namespaces = new Set(workloads.map(({ namespace }) => namespace));
  const scaler = [...namespaces].flatMap((namespace) => facts.scaledObjects.get(namespace) ?? [])[0];
  const problems = [
    ...existing.flatMap((each) => problemsOf(each, facts, { now, environment, budget: expected.startupBudget })),
    ...(scaler ? scalerProblems(scaler) : []),
  ];
  return {
    ...shown,
    state: stateOf({ exists: existing.length > 0, wanted, ready, problems, sleeps: sleeps(scaling, scaler) }),
    readyReplicas: ready,
    replicas: wanted,
    problems,
    events: warnings(facts.events.filter(({ metadata }) => namespaces.has(metadata.namespace)))
      .slice(0, EVENTS)
      .map(line),
  };
}

/** Other namespaces: everything in them, including charts' pods. */
export function judgePart(namespace: string, facts: StatusFacts, now: number, environment: string): PartStatus {
  const all = facts.pods.filter((pod) => pod.metadata.namespace === namespace);
  const pods = all.filter((pod) => !hasCompleted(pod) && !isReplaced(pod, all));
  return {
    namespace,
    readyPods: pods.filter(isReady).length,
    pods: pods.filter(isActive).length,
    problems: pods.flatMap(
      (pod) => problemOf(pod, context(pod, facts, { now, environment, budget: PART_BUDGET })) ?? [],
    ),
  };
}

/** Pods that are not ready, for the log; terminating ones last. */
export function podsInTrouble(model: ExpectedModel, facts: StatusFacts): PodFact[] {
  const pods = model.workloads.flatMap((workload) => podsOf(workload, facts)).filter((pod) => !isReady(pod));
  return pods.toSorted((a, b) => Number(isLeaving(a)) - Number(isLeaving(b)));
}

export function judge(
  expected: Expected,
  facts: StatusFacts,
  now: number,
): { models: JudgedModel[]; groups: GroupStatus[]; platform: PartStatus[] } {
  const { environment, platform } = expected;
  const models = expected.models.map((model) => judgeModel(model, facts, now, environment));
  return {
    models,
    groups: expected.groups.map((group) => judgeGroup(group, models)),
    platform: platform
      .map((namespace) => judgePart(namespace, facts, now, environment))
      .filter(({ pods, problems }) => pods > 0 || problems.length > 0),
  };
}

/** Platform pods have no planned start-up time: their probes are shorter than this, seconds. */
const PART_BUDGET = 300;

interface WorkloadState {
  readonly workload: Workload;
  readonly exists: boolean;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly pods: readonly PodFact[];
}

function ofWorkload(workload: Workload, facts: StatusFacts): WorkloadState {
  const key = `${workload.namespace}/${workload.name}`;
  const pods = podsOf(workload, facts);
  return {
    workload,
    exists: facts.replicas.has(key),
    replicas: facts.replicas.get(key) ?? workload.replicas,
    readyReplicas: readyReplicas(workload, pods),
    pods,
  };
}

function podsOf({ namespace, selector }: Workload, { pods }: StatusFacts): PodFact[] {
  return pods.filter(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      Object.entries(selector).every(([key, value]) => metadata.labels[key] === value),
  );
}

/** Replicas with all pods ready; heads of a Ray cluster are extra, and all need theirs. */
function readyReplicas({ size, heads: needed = 0 }: Workload, pods: readonly PodFact[]): number {
  const ready = pods.filter(isReady);
  if (size === 1) {
    const heads = ready.filter(({ metadata }) => isHead(metadata)).length;
    return heads < needed ? 0 : ready.length - heads;
  }
  const groups = new Map<string, number>();
  for (const { metadata } of ready) {
    const group = metadata.labels[GROUP_LABELS.group] ?? "";
    groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  return [...groups.values()].filter((count) => count >= size).length;
}

interface Judging {
  readonly now: number;
  readonly environment: string;
  /** Seconds allowed for a start. */
  readonly budget: number;
}

function problemsOf(
  { workload, replicas, pods }: WorkloadState,
  facts: StatusFacts,
  judging: Judging,
): StatusProblem[] {
  const ofPods = pods
    .filter((pod) => !isReplaced(pod, pods))
    .flatMap((pod) => problemOf(pod, context(pod, facts, judging)) ?? []);
  return pods.filter(isActive).length < podsWanted({ ...workload, replicas })
    ? [...refused(workload, facts), ...ofPods]
    : ofPods;
}

/** A controller's event about a rejected pod: quota, limits, Pod Security. */
function refused({ kind, namespace, name }: Workload, facts: StatusFacts): StatusProblem[] {
  const [latest] = warnings(
    facts.events.filter(
      ({ reason, metadata, involvedObject }) =>
        reason === "FailedCreate" &&
        metadata.namespace === namespace &&
        (involvedObject.name === name || involvedObject.name.startsWith(`${name}-`)),
    ),
  );
  return latest
    ? [
        {
          what: `${kind} ${name}`,
          why: `a pod of it is refused: ${latest.message ?? "without a reason"}`,
          remedies: ["the quota of its namespace, which follows from the plan: pulumi up brings it in step"],
        },
      ]
    : [];
}

function context(pod: PodFact, { events }: StatusFacts, { now, environment, budget }: Judging) {
  const { name, namespace, creationTimestamp } = pod.metadata;
  const made = creationTimestamp ? Date.parse(creationTimestamp) : now;
  return {
    environment,
    events: latestFirst(
      events.filter(({ metadata, involvedObject }) => metadata.namespace === namespace && involvedObject.name === name),
    ),
    age: (now - made) / 1000,
    now,
    startupBudget: budget,
  };
}

function stateOf({
  exists,
  wanted,
  ready,
  problems,
  sleeps,
}: {
  readonly exists: boolean;
  readonly wanted: number;
  readonly ready: number;
  readonly problems: readonly StatusProblem[];
  /** No replica has to run. */
  readonly sleeps: boolean;
}): State {
  if (!exists) {
    return "absent";
  }
  if (wanted === 0) {
    return sleeps ? "asleep" : "stopped";
  }
  if (ready >= wanted) {
    return "ready";
  }
  if (ready > 0) {
    return "degraded";
  }
  return problems.length > 0 ? "failing" : "starting";
}

/** Latest first. */
function warnings(events: readonly EventFact[]): EventFact[] {
  return latestFirst(events.filter(({ type }) => type === "Warning"));
}

function latestFirst(events: readonly EventFact[]): EventFact[] {
  return events.toSorted((a, b) => Date.parse(timeOf(b) ?? "") - Date.parse(timeOf(a) ?? "") || 0);
}

function timeOf({ lastTimestamp, eventTime, metadata }: EventFact): string | null {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? null;
}

function line(event: EventFact): EventLine {
  const { reason, message, involvedObject } = event;
  return {
    at: timeOf(event),
    object: `${involvedObject.kind} ${involvedObject.name}`,
    reason: reason ?? "",
    message: message ?? "",
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
