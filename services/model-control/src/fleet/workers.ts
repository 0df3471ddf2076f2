import type { BackendKind } from "../backends/backend";

/** A Kubernetes workload whose replicas are the engine. */
export interface ScaleTarget {
  readonly namespace: string;
  readonly kind: "StatefulSet" | "Deployment";
  readonly name: string;
  /** What starting scales to where nobody remembers what it was. Default: 1. */
  readonly replicas?: number;
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
  readonly scale?: ScaleTarget;
}

export function sameTarget(a: ScaleTarget, b: ScaleTarget): boolean {
  return a.namespace === b.namespace && a.kind === b.kind && a.name === b.name;
}
