import { z } from "zod";

/**
 * - `ready`: as many replicas answer as the cluster is told to run;
 * - `degraded`: at least one answers;
 * - `starting`: none does yet, within the time that the plan gives it, and nothing is wrong;
 * - `failing`: none does, and something is wrong;
 * - `stopped`: somebody scaled it to none;
 * - `asleep`: nobody asks for it, so that none of its replicas runs;
 * - `absent`: it was never deployed, or is gone;
 * - `outside`: it runs elsewhere, and is not asked here;
 * - `unknown`: the cluster did not say.
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
  /** What to do, most likely first. */
  remedies: z.array(z.string()),
});

const event = z.object({
  /** When it was last seen, ISO 8601; null where the cluster does not say. */
  at: z.string().nullable(),
  object: z.string(),
  reason: z.string(),
  message: z.string(),
});

const log = z.object({
  pod: z.string(),
  container: z.string(),
  /** Of the container before the one that runs, which ended. */
  previous: z.boolean(),
  lines: z.array(z.string()),
});

const model = z.object({
  name: z.string(),
  engine: z.string(),
  state: z.enum(STATES),
  readyReplicas: z.number().int().min(0),
  /** That the cluster is told to run; those that the plan asks for while it has none. */
  replicas: z.number().int().min(0),
  /** Between which the number follows demand; null: nothing scales it. */
  scaling: z.object({ min: z.number().int().min(0), max: z.number().int().min(1) }).nullable(),
  /** Base URL for clients of the OpenAI API; null where the model has none. */
  endpoint: z.string().nullable(),
  /** A call that shows that it works; it reads a consumer's key from its Secret. */
  curl: z.string().nullable(),
  problems: z.array(problem),
  /** Warnings, the latest first. */
  events: z.array(event),
  log: log.nullable(),
});

const group = z.object({
  name: z.string(),
  /** Key of the model that its nodes serve. */
  model: z.string(),
  /** Of its nodes together, as of a model's replicas. */
  state: z.enum(STATES),
  readyNodes: z.number().int().min(0),
  nodes: z.number().int().min(0),
  /** URL of the registrar that its nodes are told to register at; null: none. Whether they are known there is in no Kubernetes object. */
  registrar: z.string().nullable(),
  /** `https://<gateway>/<group>`, below which `/infer` and `/health` are. */
  endpoint: z.string().nullable(),
  /** A call that shows that it works. */
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
  /** That it was made for, `namespace/name`, and that is gone. */
  claim: z.string(),
  /** As Kubernetes writes quantities: `10Gi`. */
  size: z.string(),
  /** `Released`, `Failed`. */
  phase: z.string(),
});

const gitops = z.object({
  application: z.string(),
  /** `Synced`, `OutOfSync`, or `Unknown`: there is no such Application, or the caller may not see it. */
  sync: z.string(),
  /** `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing`, `Unknown`. */
  health: z.string(),
  /** Commit that is compared with the cluster. */
  revision: z.string().nullable(),
  /** What Argo CD says is wrong. */
  messages: z.array(z.string()),
});

/** The shape of `status --json`. Keys are added, not changed. docs/status.md explains it. */
export const statusSchema = z.object({
  environment: z.string(),
  /** Every model and part is ready: exit status 0. */
  ok: z.boolean(),
  /** The cluster that was asked. */
  cluster: z.object({ context: z.string(), server: z.string() }).nullable(),
  /** Why no cluster could be asked. */
  failure: z.object({ message: z.string(), remedies: z.array(z.string()) }).nullable(),
  address: z.string(),
  /** Where people chat with the models; null: there is no page. */
  chatPage: z.string().nullable(),
  /** How far Argo CD is with the rendered folder; null: `up` applies everything. */
  gitops: gitops.nullable(),
  models: z.array(model),
  groups: z.array(group),
  /** The namespaces of the platform besides the models'. */
  platform: z.array(part),
  /** Volumes without a claim; null where the caller may not list volumes. */
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

/** A model that somebody stopped on purpose is no failure, nor is one that sleeps. */
const WELL: readonly State[] = ["ready", "stopped", "asleep", "outside"];

export function isWell({ models, platform }: Pick<StatusReport, "models" | "platform">): boolean {
  return (
    models.every(({ state }) => WELL.includes(state)) &&
    platform.every(({ readyPods, pods, problems }) => readyPods === pods && problems.length === 0)
  );
}
