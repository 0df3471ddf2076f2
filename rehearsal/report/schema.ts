/** Schema of `rehearse --json`, a public contract. See docs/rehearsal.md. */
import { z } from "zod";

/** Non-negative integer. */
const count = z.int().min(0);
const seconds = z.number().min(0);

const pod = z.object({
  namespace: z.string(),
  name: z.string(),
  /** Null until scheduled. */
  node: z.string().nullable(),
  ready: z.boolean(),
  /** Scheduler's or controller's reason for not being ready; null when ready. */
  waitsFor: z.string().nullable(),
});

const workload = z.object({
  kind: z.enum(["Deployment", "StatefulSet", "LeaderWorkerSet", "RayService", "Job"]),
  namespace: z.string(),
  name: z.string(),
  /** Model that it serves or prepares; null for platform workloads. */
  model: z.string().nullable(),
  /** Groups of a LeaderWorkerSet, workers of a RayService. */
  replicas: count,
  /** For a Job, its completions. */
  readyReplicas: count,
  /** Pods per replica. */
  size: count,
  pods: z.array(pod),
  /** Controller's reason for missing pods; null when complete. */
  missing: z.string().nullable(),
});

const group = z.object({
  /** `<model>-<index>`. */
  name: z.string(),
  namespace: z.string(),
  model: z.string(),
  /** Pods of the group, including its leader. */
  size: count,
  pods: z.array(
    pod.extend({
      role: z.enum(["leader", "worker"]),
      /** 0 is the leader. */
      index: count,
    }),
  ),
  /** All pods exist and are ready. */
  complete: z.boolean(),
  /** No two of its pods share a node. */
  onePodPerNode: z.boolean(),
});

const replicas = z.object({
  namespace: z.string(),
  name: z.string(),
  model: z.string().nullable(),
  /** Wanted replicas. */
  replicas: count,
  /** Minimum of ready replicas. */
  fewest: count,
  /** The head of a Ray cluster left, without which no replica serves. */
  headLeft: z.literal(true).optional(),
});

const drain = z.object({
  node: z.string(),
  pool: z.string(),
  /** Pods that left. */
  evicted: count,
  /** Pods moved by the drain. */
  pods: count,
  /** Disruption budgets that delayed evictions. */
  heldBy: z.array(
    z.object({
      /** `<namespace>/<name>` */
      budget: z.string(),
      /** Refused evictions, including retries. */
      refusals: count,
      message: z.string(),
    }),
  ),
  /** Nodes added to the pool, within its limit, to complete the drain. */
  addedNodes: count,
  finished: z.boolean(),
  workloads: z.array(replicas),
  /** Pods without a node during the drain. */
  waiting: z.array(pod),
  /** Everything was ready again after uncordoning. */
  recovered: z.boolean(),
  seconds,
});

const loss = z.object({
  node: z.string(),
  pool: z.string(),
  /** Pods lost with the node. */
  pods: count,
  /** Workloads with pods there, or that lost pods to these. */
  workloads: z.array(
    replicas.omit({ fewest: true }).extend({
      /** Ready replicas after rescheduling. */
      left: count,
      /** Its pods that could not be rescheduled. */
      waiting: z.array(pod),
    }),
  ),
  /** Groups with a pod there. */
  groups: z.array(
    z.object({
      name: z.string(),
      /** No old pod is in the new group. */
      restartedAsGroup: z.boolean(),
    }),
  ),
  /** Everything was ready again with a new node. */
  recovered: z.boolean(),
  seconds,
});

const autoscaler = z.object({
  /** Karpenter's release. */
  name: z.string(),
  pools: z.array(
    z.object({
      /** Of the plan. */
      name: z.string(),
      /** Planned machine. */
      shape: z.string(),
      /** Existing nodes of a managed node group. */
      groupNodes: count,
      maxNodes: count,
      made: z.array(
        z.object({
          name: z.string(),
          shape: z.string(),
          capacityType: z.enum(["on-demand", "spot"]),
          zone: z.string(),
        }),
      ),
      /**
       * Seconds from the first pod until these nodes accepted pods, without EC2's minutes. Null
       * without nodes.
       */
      seconds: seconds.nullable(),
      /** On-demand list price of these nodes; spot is cheaper. Null if unknown. */
      usdPerHour: z.number().min(0).nullable(),
    }),
  ),
});

const finding = z.object({
  /** `broken`: a violated promise, exit status 1. `notice`: worth a check. */
  severity: z.enum(["broken", "notice"]),
  rule: z.enum(["objects", "pods", "groups", "placement", "drain", "node-loss", "autoscaler", "skipped"]),
  subject: z.string(),
  message: z.string(),
});

export const rehearsalSchema = z.object({
  environment: z.string(),
  /** Nothing is broken. */
  ok: z.boolean(),
  findings: z.array(finding),
  pools: z.array(
    z.object({
      name: z.string(),
      shape: z.string(),
      /** Nodes in the rehearsal. */
      nodes: count,
      minNodes: count,
      maxNodes: count,
      gpusPerNode: count,
    }),
  ),
  /** All initial nodes. */
  nodes: z.array(z.object({ name: z.string(), pool: z.string() })),
  models: z.array(z.object({ name: z.string(), pool: z.string(), replicas: count, nodesPerReplica: count })),
  /** Kubernetes objects applied to the API server. */
  objects: z.object({
    applied: count,
    refused: z.array(z.object({ object: z.string(), reason: z.string() })),
  }),
  /** State after deployment. */
  workloads: z.array(workload),
  groups: z.array(group),
  drains: z.array(drain),
  losses: z.array(loss),
  /** Autoscaler that created nodes; absent if the rehearsal created all. */
  autoscaler: autoscaler.optional(),
  notRehearsed: z.object({
    /** Helm releases, of which only CRDs were installed. */
    charts: z.array(z.string()),
    /** Kinds of custom resources whose controllers did not run. */
    customResourceKinds: z.array(z.string()),
    /** CronJobs, none of which was due. */
    cronJobs: z.array(z.string()),
  }),
  phases: z.array(z.object({ name: z.string(), seconds })),
  seconds,
});

export type RehearsalReport = Readonly<z.infer<typeof rehearsalSchema>>;
export type RehearsalFacts = Omit<RehearsalReport, "ok" | "findings" | "phases" | "seconds">;
export type PodFact = z.infer<typeof pod>;
export type WorkloadFact = z.infer<typeof workload>;
export type GroupFact = z.infer<typeof group>;
export type ReplicasFact = z.infer<typeof replicas>;
export type DrainFact = z.infer<typeof drain>;
export type LossFact = z.infer<typeof loss>;
export type AutoscalerFact = z.infer<typeof autoscaler>;
export type Finding = z.infer<typeof finding>;
