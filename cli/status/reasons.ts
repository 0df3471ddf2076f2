/** Why a pod does not answer and what to do, for the engineer on call. */
import { setSecretCommand } from "../../names/secret-command";
import { type ContainerFact, conditionOf, type EventFact, isReady, type PodFact } from "./facts";
import type { StatusProblem } from "./result";

export interface ReasonContext {
  readonly environment: string;
  /** Of this pod, latest first. */
  readonly events: readonly EventFact[];
  /** Seconds since creation. */
  readonly age: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Planned seconds to start. @default none */
  readonly startupBudget?: number;
}

type Reason = Omit<StatusProblem, "what">;

/** Undefined: healthy, or starting in time. */
export function problemOf(pod: PodFact, context: ReasonContext): StatusProblem | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  if (pod.status.phase === "Succeeded") {
    return undefined;
  }
  if (deletionTimestamp) {
    return stuckLeaving(pod, context);
  }
  if (isReady(pod)) {
    return undefined;
  }
  const reason =
    unscheduled(pod, context) ??
    ended(pod) ??
    onLostNode(pod) ??
    waiting(pod, context) ??
    restarting(pod, context) ??
    overdue(pod, context);
  return reason && { what: `Pod ${name}`, ...reason };
}

/** Seconds past the deletion time: a working kubelet is done by then. */
const LEAVING_SLACK = 60;

/** The deletion time is the end of the grace period (Kubernetes: ObjectMeta). */
function stuckLeaving({ metadata }: PodFact, { now }: ReasonContext): StatusProblem | undefined {
  const { name, deletionTimestamp } = metadata;
  const late = (now - Date.parse(deletionTimestamp ?? "")) / 1000;
  if (!(late > LEAVING_SLACK)) {
    return undefined;
  }
  return {
    what: `Pod ${name}`,
    why: `Terminating, and should be gone for ${minutes(late)}: its node does not answer, or a finalizer holds it`,
    remedies: [LOST_NODE],
  };
}

const LOST_NODE = "kubectl get nodes; a lost node: docs/operations.md, When a node is lost";

/**
 * A lost node has no kubelet to report: the node controller only clears its pods' `Ready`
 * (MarkPodsNotReady of Kubernetes 1.36, pkg/controller/util/node). Kubelets clear it with a reason,
 * as for readiness gates.
 */
function onLostNode(pod: PodFact): Reason | undefined {
  const ready = conditionOf(pod, "Ready");
  const isTaken = ready?.status === "False" && ready.reason === undefined;
  return isTaken && conditionOf(pod, "ContainersReady")?.status === "True"
    ? { why: "its node does not answer: its containers were ready when it last did", remedies: [LOST_NODE] }
    : undefined;
}

/** Container for the log: a terminated one, else one running but not ready. */
export function loggedContainer({
  status,
}: PodFact): { readonly name: string; readonly previous: boolean } | undefined {
  const all = [...status.initContainerStatuses, ...status.containerStatuses];
  const crashed = all.find(
    (container) => (container.state.waiting && container.lastState.terminated) || hasRestarted(container),
  );
  if (crashed) {
    return { name: crashed.name, previous: true };
  }
  const last =
    all.find(({ state }) => state.terminated && state.terminated.exitCode !== 0) ??
    running(status.containerStatuses) ??
    running(status.initContainerStatuses);
  return last && { name: last.name, previous: false };
}

/**
 * Sidecars come first, and a proxy is not ready while its engine is not: the last one is more
 * informative.
 */
function running(containers: readonly ContainerFact[]): ContainerFact | undefined {
  return containers.findLast(({ state, ready }) => state.running && !ready);
}

/** A node autoscaler's events about pending pods. */
interface Autoscaler {
  readonly name: string;
  /** Event reason without a new node, and the message's text before the cause. */
  readonly refusal: { readonly reason: string; readonly prefix: string };
  /** Event reason for a new or planned node. */
  readonly addition: string;
  /** Where it reports the cloud's answer, which its event on the pod lacks. */
  readonly cause: string;
}

const AUTOSCALERS: readonly Autoscaler[] = [
  {
    // sigs.k8s.io/karpenter v1.14.1, pkg/controllers/provisioning/scheduling/events.go. The
    // scheduler's own reason begins otherwise.
    name: "Karpenter",
    refusal: { reason: "FailedScheduling", prefix: "Failed to schedule pod, " },
    addition: "Nominated",
    cause: "if the cloud has no machine: kubectl get events -A --field-selector reason=InsufficientCapacityError",
  },
  {
    // kubernetes/autoscaler, cluster-autoscaler 1.36.1:
    // processors/status/eventing_scale_up_processor.go, events of type Normal. The cloud's answer
    // is in ScaleUpFailed, FailedToScaleUpGroup or ScaleUpTimedOut on the ConfigMap of
    // --status-config-map-name (clusterstate/utils/status.go).
    name: "cluster-autoscaler",
    refusal: { reason: "NotTriggerScaleUp", prefix: "pod didn't trigger scale-up: " },
    addition: "TriggeredScaleUp",
    cause:
      "if the cloud has no machine: kubectl get events -A --field-selector involvedObject.name=cluster-autoscaler-status",
  },
];

function unscheduled({ status }: PodFact, { environment, events }: ReasonContext): Reason | undefined {
  const condition = status.conditions.find(({ type, status: met }) => type === "PodScheduled" && met === "False");
  const refused = AUTOSCALERS.flatMap((autoscaler) => {
    const why = refusalBy(autoscaler, events);
    return why === undefined ? [] : [{ ...autoscaler, why }];
  });
  return (
    condition && {
      why: [
        `no node takes it: ${condition.message ?? condition.reason ?? "the scheduler does not say why"}`,
        ...refused.map(({ name, why }) => `${name} makes none: ${why}`),
      ].join("; "),
      remedies: [
        `npm run doctor -- ${environment} shows what the nodes of each pool offer`,
        ...(refused.length > 0
          ? refused.map(({ cause }) => cause)
          : ["while a node autoscaler adds a node, this goes by itself"]),
      ],
    }
  );
}

/** Undefined without such an event, or with a node added since. @param events latest first */
function refusalBy({ refusal, addition }: Autoscaler, events: readonly EventFact[]): string | undefined {
  const latest = events.find(
    ({ reason, message }) =>
      reason === addition || (reason === refusal.reason && message?.startsWith(refusal.prefix) === true),
  );
  return latest?.reason === refusal.reason ? latest.message?.slice(refusal.prefix.length) : undefined;
}

function ended({ status }: PodFact): Reason | undefined {
  if (status.phase !== "Failed") {
    return undefined;
  }
  return {
    why: `it ended: ${status.reason ?? "without a reason"}${status.message ? `: ${status.message}` : ""}`,
    remedies:
      status.reason === "Evicted"
        ? ["its node ran out of what the message names: kubectl describe node shows how much is left"]
        : ["its log, below"],
  };
}

function waiting({ status }: PodFact, { events, environment }: ReasonContext): Reason | undefined {
  for (const container of [...status.initContainerStatuses, ...status.containerStatuses]) {
    const reason = container.state.waiting?.reason;
    const explained = reason === undefined ? undefined : WAITING[reason]?.(container, environment);
    if (explained) {
      return explained;
    }
  }
  const stuck = events.find(({ reason }) => MOUNTS.includes(reason ?? ""));
  return (
    stuck && {
      why: `a volume or Secret is not there: ${stuck.message ?? stuck.reason}`,
      remedies: ["the storage class and its driver: kubectl get pvc,events in its namespace"],
    }
  );
}

const MOUNTS = ["FailedMount", "FailedAttachVolume", "FailedBinding", "ProvisioningFailed"];

type Explain = (container: ContainerFact, environment: string) => Reason;

const noImage: Explain = ({ name, image, state }, environment) => ({
  why: `the image of ${name} cannot be had${image === "" ? "" : ` (${image})`}: ${state.waiting?.message ?? state.waiting?.reason}`,
  remedies: [
    "that the registry has this tag, for the processor of the node",
    `credentials, where it asks for them: ${setSecretCommand("registryCredentials", environment)}`,
  ],
});

const noStart: Explain = ({ name, state }) => ({
  why: `${name} cannot be started: ${state.waiting?.message ?? state.waiting?.reason}`,
  remedies: ["what the message names, a Secret or ConfigMap mostly: pulumi up makes it again"],
});

/** Kubelet reasons (Kubernetes 1.36: images/types.go, kuberuntime_container.go, cri-api errors). */
const WAITING: Readonly<Record<string, Explain>> = {
  ImagePullBackOff: noImage,
  ErrImagePull: noImage,
  ErrImageNeverPull: noImage,
  ImageInspectError: noImage,
  InvalidImageName: noImage,
  RegistryUnavailable: noImage,
  SignatureValidationFailed: noImage,
  CreateContainerConfigError: noStart,
  CreateContainerError: noStart,
  PreCreateHookError: noStart,
  PreStartHookError: noStart,
  PostStartHookError: noStart,
  RunContainerError: noStart,
  CrashLoopBackOff: restarts,
};

/** From this number on, restarts are no accident. */
const RESTARTS = 2;

function hasRestarted({ state, lastState, ready, restartCount }: ContainerFact): boolean {
  return !ready && restartCount >= RESTARTS && state.running !== undefined && lastState.terminated !== undefined;
}

/** Containers run between crashes: engines failing while they load do so most of the time. */
function restarting({ status }: PodFact, { startupBudget = 0 }: ReasonContext): Reason | undefined {
  const endedAtStart = (container: ContainerFact) => {
    const { startedAt, finishedAt } = container.lastState.terminated ?? {};
    const ran = (Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "")) / 1000;
    return hasRestarted(container) && ran <= startupBudget;
  };
  const container = [...status.initContainerStatuses, ...status.containerStatuses].find(endedAtStart);
  return container && restarts(container);
}

function restarts({ name, restartCount, lastState }: ContainerFact): Reason {
  const { exitCode, reason } = lastState.terminated ?? {};
  const isMemory = reason === "OOMKilled";
  const how = isMemory ? "it took more memory than its limit" : `exit status ${exitCode ?? "unknown"}`;
  return {
    why: `${name} was restarted ${restartCount} times, after it last ended with: ${how}`,
    remedies: isMemory
      ? ["a smaller contextTokens or concurrency of the model, or a machine with more host memory"]
      : ["its last words, below"],
  };
}

function overdue({ status }: PodFact, { events, age, startupBudget }: ReasonContext): Reason | undefined {
  if (startupBudget === undefined || age <= startupBudget) {
    return undefined;
  }
  const probe = events.find(({ reason }) => reason === "Unhealthy");
  // After the pod's containers started, a running init container is a sidecar.
  const started = status.containerStatuses.some(({ state }) => state.running || state.terminated);
  const init = started ? undefined : status.initContainerStatuses.findLast(({ state }) => state.running);
  const at = init ? `; ${init.name} still runs` : "";
  return {
    why: `not ready after ${minutes(age)}, the plan gives it ${minutes(startupBudget)}${at}${probe?.message ? `: ${probe.message}` : ""}`,
    remedies: ["its log, below", "slow links: storage.registryGbps and storeGbps say what the plan counts on"],
  };
}

function minutes(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
