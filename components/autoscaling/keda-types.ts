/** ScaledObject of KEDA 2.21. Only the fields that the platform sets; tests validate what is rendered against the CRD's schema. */
import type { ScaleTarget } from "../serving/endpoint";
import type { ScalingBehavior } from "./behavior";

/** What KEDA asks, of its `type`. */
export interface Trigger {
  readonly type: "prometheus" | "cron";
  /** Unique in its ScaledObject; KEDA's own series have it as `scaler`. */
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** `AverageValue` is shared by the replicas that there are; `Value` is a ratio that they ought to bring to its threshold. */
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
