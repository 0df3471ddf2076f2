import type { BackendKind } from "../backends/backend";

export const AUTOSCALER_KINDS = ["ScaledObject", "HorizontalPodAutoscaler"] as const;

/** KEDA's ScaledObject or a HorizontalPodAutoscaler, in the workload's namespace. */
export interface Autoscaler {
  readonly kind: (typeof AUTOSCALER_KINDS)[number];
  readonly name: string;
}

/** Kubernetes workload that runs the engine. */
export interface ScaleTarget {
  readonly namespace: string;
  readonly kind: "StatefulSet" | "Deployment";
  readonly name: string;
  /** Replicas for a start if the previous count is unknown. @default 1 */
  readonly replicas?: number;
  /** @default none: only this API scales it */
  readonly autoscaler?: Autoscaler;
  /**
   * Ordinal of the worker's replica in a StatefulSet; absent at this replica count or below.
   * @default 0
   */
  readonly ordinal?: number;
}

/**
 * Configured engine process. Replicas of a StatefulSet are separate workers, which may share a
 * scale target; it scales to zero after the last stop.
 */
export interface WorkerSpec {
  readonly name: string;
  readonly backend: BackendKind;
  readonly url: string;
  /** Memory limit of its models, in bytes: GPU memory, or system memory without a GPU. */
  readonly memoryBytes: number;
  /** Disk limit of its models, in bytes. @default unlimited */
  readonly diskBytes?: number;
  /** Fixed models of an engine that serves no others. */
  readonly models?: readonly string[];
  /** Models never evicted, spelled as by `parseModelName`. */
  readonly pins: readonly string[];
  /** Models that may be unloaded, never deleted. @default the pins */
  readonly keeps?: readonly string[];
  readonly scale?: ScaleTarget;
}

export function sameTarget(a: ScaleTarget, b: ScaleTarget): boolean {
  return a.namespace === b.namespace && a.kind === b.kind && a.name === b.name;
}

/** Whether the worker's replica is not running. */
export function isScaledAway({ ordinal = 0 }: ScaleTarget, replicas: number): boolean {
  return replicas <= ordinal;
}

/** Name for messages. */
export function targetName({ namespace, kind, name }: ScaleTarget): string {
  return `${kind} ${namespace}/${name}`;
}
