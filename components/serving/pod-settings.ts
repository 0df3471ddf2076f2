/** Small settings that all model servers' pods share. */
import type * as kubernetes from "@pulumi/kubernetes";
import { HSA_OVERRIDE } from "../../catalog/gfx";
import { ANNOTATIONS } from "../../names/labels";
import { partName } from "../../planner/slices";
import type { ModelPlan } from "../../planner/types";
import type { GpuAccess } from "../core/gpu-access";
import type { Replicas } from "../core/workload";
import { leavingSeconds } from "./drain";
import type { ControlAccess } from "./model-server";

/** Plain variables of a container, in a stable order. */
export function variables(values: Readonly<Record<string, string>>): kubernetes.types.input.core.v1.EnvVar[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** By card, environment, then model; later ones win. */
export function modelVariables(
  { env = {}, hsaOverride }: ModelPlan,
  gpu: GpuAccess | undefined,
): kubernetes.types.input.core.v1.EnvVar[] {
  // Kubernetes would expand `$(NAME)`, perhaps to a secret.
  const literal = Object.entries(env).map(([name, value]) => [name, value.replaceAll("$(", "$$$$(")]);
  const ofCard = hsaOverride === undefined ? {} : { [HSA_OVERRIDE]: hsaOverride };
  return variables({ ...ofCard, ...gpu?.environment, ...Object.fromEntries(literal) });
}

/**
 * At least one, which must answer before it may sleep. Autoscaling and model control own the number
 * later.
 */
export function modelReplicas(
  { minReplicas, scaling }: Pick<ModelPlan, "minReplicas" | "scaling">,
  control: ControlAccess | undefined,
): Replicas {
  return { count: Math.max(1, minReplicas), owner: control || scaling ? "runtime" : "plan" };
}

/** Expected and maximum use of the tightest GPU, and its share. */
export function memoryAnnotations({ memoryPerGpu, verdict, server, gpuSlice }: ModelPlan): Record<string, string> {
  const { totalGiB, limitGiB } = server?.memoryPerGpu ?? memoryPerGpu;
  const mostGiB = server?.mostGiB ?? totalGiB + verdict.intervalGiB.above;
  return {
    [ANNOTATIONS.memoryTotalGiB]: totalGiB.toFixed(2),
    [ANNOTATIONS.memoryMostGiB]: mostGiB.toFixed(2),
    [ANNOTATIONS.memoryLimitGiB]: limitGiB.toFixed(2),
    ...(gpuSlice && { [ANNOTATIONS.gpuPart]: `1 ${partName(gpuSlice)} of ${gpuSlice.perGpu} on each card` }),
  };
}

/** Images have 5 to 15 GB. */
export const IMAGE_PULL_SECONDS = 1800;

/**
 * Without `surge` the old replica leaves first, and both times add up: a Deployment counts no
 * progress in between (Kubernetes, DeploymentProgressing, FilterActivePods).
 */
export function replacementSeconds(
  model: Pick<ModelPlan, "drainSeconds" | "startupBudgetSeconds">,
  { surge }: { readonly surge: boolean },
): number {
  return (surge ? 0 : leavingSeconds(model)) + IMAGE_PULL_SECONDS + model.startupBudgetSeconds;
}

/** One replica after the other; only the first waits for its image. */
export function rolloutSeconds(
  model: Pick<ModelPlan, "drainSeconds" | "startupBudgetSeconds" | "minReplicas">,
): number {
  const replicas = Math.max(1, model.minReplicas);
  return IMAGE_PULL_SECONDS + replicas * (leavingSeconds(model) + model.startupBudgetSeconds);
}

export function deployTimeouts(seconds: number): { create: string; update: string } {
  const timeout = `${seconds + 60}s`;
  return { create: timeout, update: timeout };
}
