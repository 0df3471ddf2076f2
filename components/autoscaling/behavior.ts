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

/** `behavior` of a HorizontalPodAutoscaler, which KEDA hands on as it is. */
export interface ScalingBehavior {
  readonly scaleUp: Direction;
  readonly scaleDown: Direction;
}

/** How often the controller of HorizontalPodAutoscalers looks where nobody tells it otherwise. */
const PERIOD_SECONDS = 15;

/**
 * Up at once and as far as is asked for: the plan has room for the maximum, and each replica takes minutes to load. Down by the largest
 * that was asked for in the plan's window, then at once: replicas that go finish what they answer.
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
