/** The shape of `rehearse --json`: keys that others rely on. docs/rehearsal.md explains it. */
import { z } from "zod";

/** Not negative and whole. */
const count = z.int().min(0);
const seconds = z.number().min(0);

const pod = z.object({
  namespace: z.string(),
  name: z.string(),
  /** Null while it is not scheduled. */
  node: z.string().nullable(),
  ready: z.boolean(),
  /** What keeps it from being ready, in the scheduler's or a controller's words; null when it is ready. */
  waitsFor: z.string().nullable(),
});

const workload = z.object({
  kind: z.enum(["Deployment", "StatefulSet", "LeaderWorkerSet", "RayService", "Job"]),
  namespace: z.string(),
  name: z.string(),
  /** The model that it serves or prepares; null for the platform's own. */
  model: z.string().nullable(),
  /** A LeaderWorkerSet's are its groups, a RayService's its workers. */
  replicas: count,
  /** Of a Job: the ones that have ended well. */
  readyReplicas: count,
  /** Pods of one replica. */
  size: count,
  pods: z.array(pod),
  /** Why its controller made fewer pods than it should, in the controller's words; null when it made all. */
  missing: z.string().nullable(),
});

const group = z.object({
  /** `<model>-<index>`. */
  name: z.string(),
  namespace: z.string(),
  model: z.string(),
  /** Pods that belong to it, its leader among them. */
  size: count,
  pods: z.array(
    pod.extend({
      role: z.enum(["leader", "worker"]),
      /** 0 is the leader. */
      index: count,
    }),
  ),
  /** All its pods are there and ready. */
  complete: z.boolean(),
  /** No two of its pods share a node. */
  onePodPerNode: z.boolean(),
});

const replicas = z.object({
  namespace: z.string(),
  name: z.string(),
  model: z.string().nullable(),
  /** As many as it should have. */
  replicas: count,
  /** The fewest that were ready at once. */
  fewest: count,
  /** The one pod without which no replica serves was among those that left: the head of a Ray cluster. */
  headLeft: z.literal(true).optional(),
});

const drain = z.object({
  node: z.string(),
  pool: z.string(),
  /** Pods that left. */
  evicted: count,
  /** Pods that the drain had to move. */
  pods: count,
  /** Disruption budgets that made evictions wait. */
  heldBy: z.array(
    z.object({
      /** `<namespace>/<name>` */
      budget: z.string(),
      /** Evictions that were refused, each to be tried again. */
      refusals: count,
      message: z.string(),
    }),
  ),
  /** Nodes of the pool that had to be added, within its limit, before the drain could end. */
  addedNodes: count,
  finished: z.boolean(),
  workloads: z.array(replicas),
  /** What had no place while the node was drained. */
  waiting: z.array(pod),
  /** All was ready again when the node was back. */
  recovered: z.boolean(),
  seconds,
});

const loss = z.object({
  node: z.string(),
  pool: z.string(),
  /** Pods that died with it. */
  pods: count,
  /** Workloads that had pods there, or lost them to these. */
  workloads: z.array(
    replicas.omit({ fewest: true }).extend({
      /** Ready replicas when the other nodes had taken over what they could. */
      left: count,
      /** Its pods that had no place without the node. */
      waiting: z.array(pod),
    }),
  ),
  /** Groups that had a pod there. */
  groups: z.array(
    z.object({
      name: z.string(),
      /** No pod of the old group is in the new one. */
      restartedAsGroup: z.boolean(),
    }),
  ),
  /** All was ready again when a new node had come. */
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
      /** The machine that the plan has there. */
      shape: z.string(),
      /** Nodes that were there before: a managed node group has them. */
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
      /** From the first pod until the last of these nodes took pods: Karpenter's own time, in whole seconds. EC2 needs minutes more. Null where it made none. */
      seconds: seconds.nullable(),
      /** Of these nodes, at the list price on demand: spot costs less. Null where the catalogue has no price. */
      usdPerHour: z.number().min(0).nullable(),
    }),
  ),
});

const finding = z.object({
  /** `broken`: a promise that does not hold, exit status 1. `notice`: holds, but deserves a look. */
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
      /** Nodes that the rehearsal had. */
      nodes: count,
      minNodes: count,
      maxNodes: count,
      gpusPerNode: count,
    }),
  ),
  /** Every node that the rehearsal started with. */
  nodes: z.array(z.object({ name: z.string(), pool: z.string() })),
  /** What the plan decided. */
  models: z.array(z.object({ name: z.string(), pool: z.string(), replicas: count, nodesPerReplica: count })),
  /** Kubernetes objects of the platform on the API server. */
  objects: z.object({
    applied: count,
    refused: z.array(z.object({ object: z.string(), reason: z.string() })),
  }),
  /** As they were after the start. */
  workloads: z.array(workload),
  groups: z.array(group),
  drains: z.array(drain),
  losses: z.array(loss),
  /** Who made nodes for pods that had none; absent where the rehearsal made all of them from the plan. */
  autoscaler: autoscaler.optional(),
  notRehearsed: z.object({
    /** Helm releases: of these only the custom resource definitions were installed. */
    charts: z.array(z.string()),
    /** Kinds of custom resources whose controllers did not run. */
    customResourceKinds: z.array(z.string()),
    /** CronJobs: none was due. */
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
