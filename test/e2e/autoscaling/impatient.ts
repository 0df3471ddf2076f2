import type * as Scaling from "../../../planner/scaling";

/**
 * The planner, but for what costs tests minutes: its autoscalers soon give replicas up, and soon take signals for lost, which is after
 * five minutes, counted in looks of the planned length. The environment has no words for these. All that is rendered comes of the plan,
 * so nothing rendered is changed.
 */
export function impatientPlanner(planner: typeof Scaling): typeof Scaling {
  const planScaling: typeof Scaling.planScaling = (...args) => {
    const planned = planner.planScaling(...args);
    return planned && { ...planned, pollSeconds: 60, scaleDownWindowSeconds: 5 };
  };
  return { ...planner, planScaling };
}
