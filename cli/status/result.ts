import { z } from "zod";

/**
 * - `ready`: all desired replicas answer;
 * - `degraded`: at least one answers;
 * - `starting`: none answers yet, within the planned time, without a problem;
 * - `failing`: none answers, with a problem;
 * - `stopped`: scaled to zero manually;
 * - `asleep`: scaled to zero without demand;
 * - `absent`: never deployed, or removed;
 * - `outside`: hosted elsewhere, not checked;
 * - `unknown`: no information from the cluster.
 */
export const STATES = [
  "ready",
  "degraded",
  "starting",
  "failing",
  "stopped",
  "asleep",
  "absent",
  "outside",
  "unknown",
] as const;
export type State = (typeof STATES)[number];

const problem = z.object({
  /** Pod or workload: `Pod chat-0`. */
  what: z.string(),
  why: z.string(),
  /** Most likely first. */
  remedies: z.array(z.string()),
});

const event = z.object({
  /** Last seen, ISO 8601; null if unknown. */
  at: z.string().nullable(),
  object: z.string(),
  reason: z.string(),
  message: z.string(),
});

const log = z.object({
  pod: z.string(),
  container: z.string(),
  /** Of the previous, terminated container. */
  previous: z.boolean(),
  lines: z.array(z.string()),
});

const model = z.object({
  name: z.string(),
  engine: z.string(),
  state: z.enum(STATES),
  readyReplicas: z.number().int().min(0),
  /** Desired in the cluster; planned ones while it is missing. */
  replicas: z.number().int().min(0),
  /** Autoscaling limits; null: none. */
  scaling: z.object({ min: z.number().int().min(0), max: z.number().int().min(1) }).nullable(),
  /** Base URL for clients of the OpenAI API; null for other models. */
  endpoint: z.string().nullable(),
  /** Test call; reads a consumer's key from its Secret. */
  curl: z.string().nullable(),
  problems: z.array(problem),
  /** Warnings, latest first. */
  events: z.array(event),
  log: log.nullable(),
});

const group = z.object({
  name: z.string(),
  /** Model of its nodes. */
  model: z.string(),
  /** Of all nodes, as for a model's replicas. */
  state: z.enum(STATES),
  readyNodes: z.number().int().min(0),
  nodes: z.number().int().min(0),
  /** Registrar URL of its nodes; null: none. Registration is in no Kubernetes object. */
  registrar: z.string().nullable(),
  /** `https://<gateway>/<group>`, base of `/infer` and `/health`. */
  endpoint: z.string().nullable(),
  /** Test call. */
  curl: z.string().nullable(),
});

const part = z.object({
  namespace: z.string(),
  readyPods: z.number().int().min(0),
  pods: z.number().int().min(0),
  problems: z.array(problem),
});

const volume = z.object({
  name: z.string(),
  /** Removed claim, `namespace/name`. */
  claim: z.string(),
  /** Kubernetes quantity: `10Gi`. */
  size: z.string(),
  /** `Released`, `Failed`. */
  phase: z.string(),
});

const gitops = z.object({
  application: z.string(),
  /** `Synced`, `OutOfSync`, or `Unknown`: the Application is missing or forbidden. */
  sync: z.string(),
  /** `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing`, `Unknown`. */
  health: z.string(),
  /** Commit compared with the cluster. */
  revision: z.string().nullable(),
  /** Problems reported by Argo CD. */
  messages: z.array(z.string()),
});

/** Shape of `status --json` (docs/status.md). Keys are added, not changed. */
export const statusSchema = z.object({
  environment: z.string(),
  /** Everything is ready: exit status 0. */
  ok: z.boolean(),
  cluster: z.object({ context: z.string(), server: z.string() }).nullable(),
  /** Why no cluster was asked. */
  failure: z.object({ message: z.string(), remedies: z.array(z.string()) }).nullable(),
  address: z.string(),
  /** Null: no chat page. */
  chatPage: z.string().nullable(),
  /** Argo CD's progress with the rendered folder; null: `up` applies everything. */
  gitops: gitops.nullable(),
  models: z.array(model),
  groups: z.array(group),
  /** Platform namespaces other than models'. */
  platform: z.array(part),
  /** Volumes without a claim; null without the right to list volumes. */
  volumes: z.array(volume).nullable(),
  seconds: z.number().min(0),
});

export type StatusReport = Readonly<z.infer<typeof statusSchema>>;
export type ModelStatus = StatusReport["models"][number];
export type GroupStatus = StatusReport["groups"][number];
export type PartStatus = StatusReport["platform"][number];
export type GitopsStatus = Readonly<z.infer<typeof gitops>>;
export type VolumeStatus = Readonly<z.infer<typeof volume>>;
export type StatusProblem = Readonly<z.infer<typeof problem>>;
export type EventLine = Readonly<z.infer<typeof event>>;

/** Stopped or sleeping models are no failure. */
const WELL: readonly State[] = ["ready", "stopped", "asleep", "outside"];

export function isWell({ models, platform }: Pick<StatusReport, "models" | "platform">): boolean {
  return (
    models.every(({ state }) => WELL.includes(state)) &&
    platform.every(({ readyPods, pods, problems }) => readyPods === pods && problems.length === 0)
  );
}
