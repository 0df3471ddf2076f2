import type { BackendKind } from "../backends/backend";

export const AUTOSCALER_KINDS = ["ScaledObject", "HorizontalPodAutoscaler"] as const;

/** What scales a workload by demand, in its namespace: KEDA by a ScaledObject, or Kubernetes itself. */
export interface Autoscaler {
  readonly kind: (typeof AUTOSCALER_KINDS)[number];
  readonly name: string;
}

/** A Kubernetes workload whose replicas are the engine. */
export interface ScaleTarget {
  readonly namespace: string;
  readonly kind: "StatefulSet" | "Deployment";
  readonly name: string;
  /** What starting scales to where nobody remembers what it was. Default: 1. */
  readonly replicas?: number;
  /** Not set: nothing but this API scales it. */
  readonly autoscaler?: Autoscaler;
  /** Which replica of a StatefulSet the worker is: it is away while no more than so many run. Default: 0. */
  readonly ordinal?: number;
}

/**
 * One engine process, as the configuration names it. Replicas of a StatefulSet are one worker each, by their own
 * addresses; they may share a scale target, which goes to zero when the last of them stops.
 */
export interface WorkerSpec {
  readonly name: string;
  readonly backend: BackendKind;
  readonly url: string;
  /** Bytes that its models may take together: of GPU memory, or of system memory without a GPU. */
  readonly memoryBytes: number;
  /** Bytes that its models may take together. Not set: no bound. */
  readonly diskBytes?: number;
  /** What the engine was started with, where it serves nothing else. */
  readonly models?: readonly string[];
  /** Models that never leave to make room, in the spelling of `parseModelName`. */
  readonly pins: readonly string[];
  /** Models that may leave memory, and never the disk. Default: none but the pinned ones. */
  readonly keeps?: readonly string[];
  readonly scale?: ScaleTarget;
}

export function sameTarget(a: ScaleTarget, b: ScaleTarget): boolean {
  return a.namespace === b.namespace && a.kind === b.kind && a.name === b.name;
}

/** Whether the worker's own replica is not among those that run. */
export function isScaledAway({ ordinal = 0 }: ScaleTarget, replicas: number): boolean {
  return replicas <= ordinal;
}

/** As messages name it. */
export function targetName({ namespace, kind, name }: ScaleTarget): string {
  return `${kind} ${namespace}/${name}`;
}
