import type { ModelRequest, PlanRequest, PoolRequest } from "../request";
import type { DeploymentPlan, FixValue } from "../types";

/** A plan, and how to plan its request with something changed. */
export interface Replanning {
  readonly request: PlanRequest;
  readonly plan: DeploymentPlan;
  readonly again: (request: PlanRequest) => DeploymentPlan;
}

/** A setting of the configuration with the values that it might have instead. */
export interface Setting {
  /** As in the configuration: `models.chat.concurrency`. */
  readonly path: string;
  readonly from: FixValue;
  /** Number of other values, mildest first: once one helps, every harsher one does. */
  readonly count: number;
  /** Whether the model then has other weights, which answer otherwise. @default false */
  readonly changesWeights?: boolean;
  readonly at: (index: number) => Change;
}

/** A setting's new value, and the request that has it. */
export interface Change {
  readonly to: FixValue;
  readonly request: PlanRequest;
}

/** The request with one model changed, and its canary in all that it has of its model. */
export function withModel(request: PlanRequest, name: string, change: Partial<ModelRequest>): PlanRequest {
  const { minReplicas: _min, maxReplicas: _max, quantization: _format, ...shared } = change;
  const changed = (m: ModelRequest): ModelRequest =>
    m.name === name ? { ...m, ...change } : m.revisionOf?.model === name ? { ...m, ...shared } : m;
  return { ...request, models: request.models.map(changed) };
}

/** The request with one pool changed. */
export function withPool(request: PlanRequest, name: string, change: Partial<PoolRequest>): PlanRequest {
  return { ...request, pools: request.pools.map((p) => (p.name === name ? { ...p, ...change } : p)) };
}
