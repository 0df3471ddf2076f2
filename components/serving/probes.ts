/** Start-up by the plan's budget, then readiness and liveness. */
import { engineOf } from "../../engines";
import type { ModelPlan } from "../../planner/types";
import type { HardenedContainer } from "../core/hardened-pod";

export const PROBE_PERIOD_SECONDS = 10;

/**
 * The pod's grace is for drains: a hung engine would hold its GPU that long (kubelet 1.36.3,
 * kuberuntime_container.go prefers the probe's).
 */
export const KILL_GRACE = { terminationGracePeriodSeconds: 30 } as const;

export type Probes = Pick<HardenedContainer, "startupProbe" | "readinessProbe" | "livenessProbe">;

/** On port `http`, by paths of the engine's descriptor. */
export function httpProbes(model: ModelPlan): Probes {
  const { alive, ready } = engineOf(model.engine).health;
  const get = (path: string) => ({
    httpGet: { path, port: "http" },
    periodSeconds: PROBE_PERIOD_SECONDS,
    timeoutSeconds: 5,
  });
  return {
    startupProbe: { ...get(ready), ...KILL_GRACE, failureThreshold: startupFailures(model) },
    readinessProbe: get(ready),
    livenessProbe: { ...get(alive), ...KILL_GRACE, failureThreshold: 6 },
  };
}

/** Allowed failures, PROBE_PERIOD_SECONDS apart. */
export function startupFailures(model: ModelPlan): number {
  return Math.ceil(model.startupBudgetSeconds / PROBE_PERIOD_SECONDS);
}
