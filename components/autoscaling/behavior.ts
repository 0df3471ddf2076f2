import type { ScalingPlan } from "../../planner/scaling";

interface Direction {
  readonly stabilizationWindowSeconds: number;
  readonly selectPolicy: "Max";
  readonly policies: readonly {
    readonly type: "Pods" | "Percent";
    readonly value: number;
    readonly periodSeconds: number;
  }[];
}

/** `behavior` of a HorizontalPodAutoscaler, which KEDA passes unchanged. */
export interface ScalingBehavior {
  readonly scaleUp: Direction;
  readonly scaleDown: Direction;
}

/** Default period of the HorizontalPodAutoscaler controller. */
const PERIOD_SECONDS = 15;

/**
 * Scale up at once without limits: the plan has room for the maximum, and loading is slow. Scale
 * down to the highest request within the window.
 */
export function scalingBehavior({ max, scaleDownWindowSeconds }: ScalingPlan): ScalingBehavior {
  return {
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: "Max",
      policies: [{ type: "Pods", value: max, periodSeconds: PERIOD_SECONDS }],
    },
    scaleDown: {
      stabilizationWindowSeconds: scaleDownWindowSeconds,
      selectPolicy: "Max",
      policies: [{ type: "Percent", value: 100, periodSeconds: PERIOD_SECONDS }],
    },
  };
}
