import type { CpuArchitecture } from "../catalog/shapes";
import type { CostPlan, DeploymentPlan, ExternalModelPlan, ModelPlan, PoolPlan } from "./types";

/** A plan as others read it: `plan --json`, the plan's ConfigMap, policies. Shapes and templates are named, not spelled out. */
export interface PlanSummary {
  readonly environment: string;
  readonly stage: DeploymentPlan["stage"];
  readonly pools: readonly (Omit<PoolPlan, "shape"> & {
    readonly shape: string;
    readonly cpuArch: CpuArchitecture;
  })[];
  readonly models: readonly (Omit<ModelPlan, "chatTemplate"> & { readonly chatTemplate?: string })[];
  readonly externalModels: readonly (Omit<ExternalModelPlan, "authorities"> & { readonly caFile?: string })[];
  readonly tenants: DeploymentPlan["tenants"];
  readonly storage: DeploymentPlan["storage"];
  readonly cost: CostPlan;
}

export function summarize(plan: DeploymentPlan): PlanSummary {
  const { environment, stage, models, tenants, storage, cost } = plan;
  return {
    environment,
    stage,
    pools: plan.pools.map((pool) => ({ ...pool, shape: pool.shape.name, cpuArch: pool.shape.cpu.arch })),
    models: models.map(({ chatTemplate, ...model }) => ({
      ...model,
      ...(chatTemplate && { chatTemplate: chatTemplate.file }),
    })),
    externalModels: plan.externalModels.map(({ authorities, ...model }) => ({
      ...model,
      ...(authorities && { caFile: authorities.file }),
    })),
    tenants,
    storage,
    cost,
  };
}
