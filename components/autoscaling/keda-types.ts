/**
 * ScaledObject of KEDA 2.21. Only used fields; tests validate rendered objects against the CRD
 * schema.
 */
import type { ScaleTarget } from "../serving/endpoint";
import type { ScalingBehavior } from "./behavior";

/** A query of KEDA, by `type`. */
export interface Trigger {
  readonly type: "prometheus" | "cron";
  /** Unique in its ScaledObject; label `scaler` in KEDA's metrics. */
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * `AverageValue` is divided by the current replicas; `Value` is a ratio that scaling brings to
   * its threshold.
   */
  readonly metricType?: "AverageValue" | "Value";
}

export interface IScaledObject {
  readonly apiVersion: "keda.sh/v1alpha1";
  readonly kind: "ScaledObject";
  readonly metadata?: object;
  readonly spec?: {
    readonly scaleTargetRef: ScaleTarget;
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly pollingInterval?: number;
    readonly cooldownPeriod?: number;
    readonly initialCooldownPeriod?: number;
    readonly fallback: {
      readonly failureThreshold: number;
      readonly replicas: number;
      readonly behavior: "currentReplicasIfHigher";
    };
    readonly advanced: {
      readonly restoreToOriginalReplicaCount: boolean;
      readonly horizontalPodAutoscalerConfig: { readonly behavior: ScalingBehavior };
    };
    readonly triggers: readonly Trigger[];
  };
}
