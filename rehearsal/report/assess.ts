import { autoscalerFindings } from "../autoscaler-facts";
import { reasonsOf, shortReason } from "./reasons";
import type { DrainFact, Finding, GroupFact, LossFact, RehearsalFacts, WorkloadFact } from "./schema";

type Rule = Finding["rule"];

/** Compares observations with the platform's promises, listed in docs/rehearsal.md. */
export function assess(facts: RehearsalFacts): Finding[] {
  return [
    ...facts.objects.refused.map(({ object, reason }) =>
      broken("objects", object, `the API server refused it: ${reason}`),
    ),
    ...facts.workloads.flatMap(workloadFindings),
    ...facts.groups.flatMap(groupFindings),
    ...placementFindings(facts),
    ...facts.drains.flatMap((drain) => drainFindings(drain, facts)),
    ...facts.losses.flatMap(lossFindings),
    ...autoscalerFindings(facts),
    ...skippedFindings(facts),
  ];
}

function broken(rule: Rule, subject: string, message: string): Finding {
  return { severity: "broken", rule, subject, message };
}

function notice(rule: Rule, subject: string, message: string): Finding {
  return { severity: "notice", rule, subject, message };
}

/** `model llama-8b`, or `model-store/minio` without a model. */
function nameOf({ model, namespace, name }: Pick<WorkloadFact, "model" | "namespace" | "name">): string {
  return model === null ? `${namespace}/${name}` : `model ${model}`;
}

function workloadFindings(workload: WorkloadFact): Finding[] {
  const { kind, namespace, name, readyReplicas, replicas, pods, missing } = workload;
  if (readyReplicas >= replicas) {
    return [];
  }
  const subject = kind === "Job" ? `Job ${namespace}/${name}` : nameOf(workload);
  if (missing !== null) {
    const wanted = workload.replicas * workload.size;
    return [broken("pods", subject, `has ${pods.length} of ${wanted} pods; it waits for: ${missing}`)];
  }
  // Groups report their own reasons.
  if (kind === "LeaderWorkerSet") {
    return [];
  }
  const waiting = pods.filter(({ ready }) => !ready);
  return [broken("pods", subject, `${waiting.length} of ${pods.length} pods wait: ${reasonsOf(waiting)}`)];
}

function groupFindings(group: GroupFact): Finding[] {
  const subject = `group ${group.name}`;
  if (!group.complete) {
    return [broken("groups", subject, waitOf(group))];
  }
  if (!group.onePodPerNode) {
    const places = group.pods.map(({ name, node }) => `${name} on ${node}`).join(", ");
    return [broken("groups", subject, `has several pods on one node: ${places}`)];
  }
  return [];
}

/** `waits for 1 of 2 pods: worker 1: 0/3 nodes are available: …` */
function waitOf({ size, pods }: GroupFact): string {
  const waiting = pods.filter(({ ready }) => !ready);
  const absent = size - pods.length;
  const reasons = [
    ...waiting.map(
      (pod) => `${pod.role === "leader" ? "leader" : `worker ${pod.index}`}: ${shortReason(pod.waitsFor)}`,
    ),
    ...(absent > 0 ? [`${absent} not made yet`] : []),
  ];
  return `waits for ${waiting.length + absent} of ${size} pods: ${reasons.join("; ")}`;
}

/** Models without pods, and pods on unplanned pools, where cost and memory do not hold. */
function placementFindings({ models, workloads, nodes }: RehearsalFacts): Finding[] {
  const poolOf = new Map(nodes.map(({ name, pool }) => [name, pool]));
  return models.flatMap((model) => {
    const subject = `model ${model.name}`;
    const served = workloads.filter((workload) => workload.model === model.name && workload.kind !== "Job");
    const replicas = served.reduce((sum, workload) => sum + workload.replicas, 0);
    if (replicas !== model.replicas) {
      return [broken("placement", subject, `is planned with ${model.replicas} replicas and declared with ${replicas}`)];
    }
    const strays = served
      .flatMap(({ pods }) => pods)
      .filter(({ node }) => node !== null && poolOf.get(node) !== model.pool)
      .map(({ name, node }) => `${name} on ${node}`);
    return strays.length === 0
      ? []
      : [broken("placement", subject, `is planned for pool ${model.pool}, and has ${strays.join(", ")}`)];
  });
}

function drainFindings(drain: DrainFact, { pools }: RehearsalFacts): Finding[] {
  const subject = `drain of ${drain.node}`;
  const limit = pools.find(({ name }) => name === drain.pool)?.maxNodes ?? 0;
  const findings: Finding[] = [];
  if (!drain.finished) {
    const message =
      `does not end: ${drain.evicted} of ${drain.pods} pods left${heldText(drain)}. Pool ${drain.pool} may have no more ` +
      `than ${limit} nodes: raise pools.${drain.pool}.maxNodes`;
    findings.push(broken("drain", subject, message));
  } else if (drain.addedNodes > 0) {
    const nodes = drain.addedNodes === 1 ? "one node" : `${drain.addedNodes} nodes`;
    const message = `ends only with ${nodes} more in pool ${drain.pool}, which may have ${limit}. Without${heldText(drain)}`;
    findings.push(notice("drain", subject, message));
  }
  for (const { fewest, replicas, headLeft, ...workload } of drain.workloads) {
    if (replicas > 1 && fewest < replicas - 1 && !headLeft) {
      const message = `${nameOf(workload)} fell to ${fewest} of ${replicas} replicas: its budget allows one at a time`;
      findings.push(broken("drain", subject, message));
    }
  }
  const single = drain.workloads.filter(({ fewest, replicas }) => replicas === 1 && fewest === 0);
  if (single.length > 0) {
    const message = `interrupts what has one replica: ${single.map(nameOf).join(", ")}`;
    findings.push(notice("drain", subject, message));
  }
  const headless = drain.workloads.filter(({ headLeft }) => headLeft);
  if (headless.length > 0) {
    const message = `interrupts what has one head, until another is there: ${headless.map(nameOf).join(", ")}`;
    findings.push(notice("drain", subject, message));
  }
  if (!drain.recovered) {
    findings.push(notRecovered("drain", subject, "was put back"));
  }
  return findings;
}

/** `, budget a/b holds the rest; 2 pods wait: 0/5 nodes are available: …` */
function heldText({ heldBy, waiting }: DrainFact): string {
  const budgets = heldBy.map(({ budget }) => budget).join(" and ");
  const held = heldBy.length === 0 ? "" : `, the rest is held by the disruption budget of ${budgets}`;
  const pods = waiting.length === 1 ? "1 pod waits" : `${waiting.length} pods wait`;
  return waiting.length === 0 ? held : `${held}; ${pods}: ${reasonsOf(waiting)}`;
}

function lossFindings(loss: LossFact): Finding[] {
  const subject = `loss of ${loss.node}`;
  const findings = lossEffects(loss).map((message) => notice("node-loss", subject, message));
  for (const { name, restartedAsGroup } of loss.groups) {
    if (!restartedAsGroup) {
      findings.push(
        broken("node-loss", subject, `group ${name} kept pods of its previous generation: they never become ready`),
      );
    }
  }
  if (!loss.recovered) {
    findings.push(notRecovered("node-loss", subject, "was replaced"));
  }
  return findings;
}

/** Reduced or lost service without the node; groups workloads with equal effect and reason. */
function lossEffects({ workloads }: LossFact): string[] {
  const namesByFate = new Map<string, string[]>();
  for (const { left, replicas, waiting, ...workload } of workloads.filter((each) => each.left < each.replicas)) {
    const state = left === 0 ? "out of service" : `down to ${left} of ${replicas} replicas`;
    const fate = `${state} until it is replaced${waiting.length === 0 ? "" : `; its pods have no other place: ${reasonsOf(waiting)}`}`;
    namesByFate.set(fate, [...(namesByFate.get(fate) ?? []), nameOf(workload)]);
  }
  return [...namesByFate].map(([fate, names]) => `puts ${names.join(", ")} ${fate}`);
}

function notRecovered(rule: Rule, subject: string, event: string): Finding {
  return broken(rule, subject, `not everything was ready again a minute after the node ${event}`);
}

function skippedFindings({ drains, losses, workloads, autoscaler }: RehearsalFacts): Finding[] {
  const allReady = workloads.every(({ readyReplicas, replicas }) => readyReplicas >= replicas);
  // Not rehearsed with an autoscaler, which the report always states.
  if (autoscaler !== undefined || allReady || drains.length > 0 || losses.length > 0) {
    return [];
  }
  return [notice("skipped", "node drains and losses", "were not rehearsed: first everything must run")];
}
