/** Trials as Jobs with two pods on two named nodes. */
import { call, pause, selector } from "./api.ts";
import type { TrialResult } from "./rounds.ts";
import type { GateSettings } from "./settings.ts";
import { verdictOf } from "./verdict.ts";

export interface TrialJob {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly template: { readonly metadata?: object; readonly spec: object } };
}

export type Trials = GateSettings & { readonly job: TrialJob };

interface TrialPod {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly running?: { readonly startedAt?: string };
        readonly waiting?: { readonly reason?: string };
        readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string };
      };
    }[];
  };
}

const INDEX = "batch.kubernetes.io/job-completion-index";
/** Exit status of trial.sh if the second pod did not answer. */
const NO_PEER = 69;
/** Deletion timeout of pods after their Job. */
const GOING_MS = 120_000;

export async function trialJob({ namespace, template }: GateSettings): Promise<TrialJob> {
  const { body } = await call("GET", `/apis/batch/v1/namespaces/${namespace}/cronjobs/${template}`);
  return (body as { readonly spec: { readonly jobTemplate: TrialJob } }).spec.jobTemplate;
}

export async function runTrial(one: string, other: string, gate: Trials): Promise<TrialResult> {
  const name = `trial-${gate.pool}-${Math.random().toString(36).slice(2, 8)}`.slice(-52);
  const jobs = `/apis/batch/v1/namespaces/${gate.namespace}/jobs`;
  await call("POST", jobs, jobOf(name, [one, other], gate));
  console.log(`${one} and ${other}: ${name} begins`);
  try {
    const result = await resultOf(name, [one, other], gate);
    const told = result.ended === "verdict" ? `${result.verdict.kind}: ${result.verdict.reason}` : result.reason;
    console.log(`${one} and ${other}: ${told}`);
    return result;
  } finally {
    await remove({ "batch.kubernetes.io/job-name": name }, [name], gate.namespace);
  }
}

/** Deletes leftover trials of an interrupted certifier, freeing their GPUs. */
export async function sweep({ namespace, job }: Pick<Trials, "namespace" | "job">): Promise<void> {
  const { body } = await call(
    "GET",
    `/apis/batch/v1/namespaces/${namespace}/jobs?labelSelector=${selector(job.metadata.labels)}`,
  );
  const { items } = body as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };
  if (items.length > 0) {
    const names = items.map(({ metadata }) => metadata.name);
    console.log(`removes what an earlier certifier left: ${names.join(", ")}`);
    await remove(job.metadata.labels, names, namespace);
  }
}

async function remove(labels: Readonly<Record<string, string>>, names: readonly string[], namespace: string) {
  for (const name of names) {
    const options = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" };
    await call("DELETE", `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`, options, [404, 409]);
  }
  // GPUs are free only after the pods are gone. On a dead node pods never go.
  for (const until = Date.now() + GOING_MS; Date.now() < until; await pause(500)) {
    if ((await podsOf(labels, namespace)).length === 0) {
      return;
    }
  }
}

async function podsOf(labels: Readonly<Record<string, string>>, namespace: string): Promise<readonly TrialPod[]> {
  const { body } = await call("GET", `/api/v1/namespaces/${namespace}/pods?labelSelector=${selector(labels)}`);
  return (body as { readonly items: readonly TrialPod[] }).items;
}

/** Named nodes prevent the autoscaler from adding one; each takes one pod. */
function jobOf(name: string, nodes: readonly string[], { job }: Trials): object {
  const { metadata, spec } = job;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { ...metadata, name },
    spec: {
      ...spec,
      template: {
        ...spec.template,
        spec: {
          ...spec.template.spec,
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: nodes.map((node) => ({
                  matchFields: [{ key: "metadata.name", operator: "In", values: [node] }],
                })),
              },
            },
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: metadata.labels } },
              ],
            },
          },
        },
      },
    },
  };
}

async function resultOf(name: string, nodes: readonly string[], gate: GateSettings): Promise<TrialResult> {
  const { seconds, expected, namespace } = gate;
  const begun = Date.now();
  const after = (limit: number) => Date.now() - begun > limit * 1000;
  for (;;) {
    await pause(seconds.poll * 1000);
    const pods = await podsOf({ "batch.kubernetes.io/job-name": name }, namespace);
    const first = pods.find(({ metadata }) => metadata.labels?.[INDEX] === "0");
    const { terminated, running, waiting } = first?.status?.containerStatuses?.[0]?.state ?? {};
    const disrupted = pods.flatMap(({ status }) => status?.conditions ?? []).find(isDisruption);
    if (disrupted) {
      return none(`a pod of the trial had to leave: ${disrupted.message ?? "no reason is given"}`);
    }
    if (terminated) {
      const { exitCode, reason = "", message = "" } = terminated;
      const second = pods.find(({ metadata }) => metadata.labels?.[INDEX] === "1");
      const { waiting: late } = second?.status?.containerStatuses?.[0]?.state ?? {};
      if (exitCode === NO_PEER && late) {
        return none(`the container of the second pod did not start in time (${late.reason ?? "no reason is given"})`);
      }
      const output = message === "" ? `trial: ended ${exitCode} after 0 s: the container ended, ${reason}` : message;
      return { ended: "verdict", verdict: verdictOf(output, expected) };
    }
    const turnedDown = pods.find(({ status }) => status?.phase === "Failed");
    if (turnedDown) {
      const { status, spec } = turnedDown;
      const busy = spec?.nodeName === undefined ? [] : [spec.nodeName];
      return none(`${busy[0] ?? "a node"} turned the pod down: ${status?.reason} ${status?.message ?? ""}`, busy);
    }
    if (running?.startedAt !== undefined && Date.now() - Date.parse(running.startedAt) > seconds.run * 1000) {
      const verdict = { kind: "hang", reason: `it did not end within ${seconds.run} s, nor stop itself` } as const;
      return { ended: "verdict", verdict };
    }
    const placed = new Set(pods.map(({ spec }) => spec?.nodeName));
    const without = nodes.filter((node) => !placed.has(node));
    if (without.length > 0 && after(seconds.schedule)) {
      const told = pods.flatMap(({ status }) => status?.conditions ?? []).find(({ type }) => type === "PodScheduled");
      return none(`no room on ${without.join(" and ")} (${told?.message ?? "its pods were not made"})`, without);
    }
    if (running === undefined && after(seconds.schedule + seconds.pull)) {
      return none(`its container did not start within ${seconds.pull} s (${waiting?.reason ?? "no reason is given"})`);
    }
  }
}

function none(reason: string, busy: readonly string[] = []): TrialResult {
  return { ended: "none", reason, busy };
}

/** Preempted, evicted, or lost with its node. */
function isDisruption({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return type === "DisruptionTarget" && status === "True";
}
