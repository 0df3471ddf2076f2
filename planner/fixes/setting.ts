import type { ModelRequest, PlanRequest, PoolRequest } from "../request";
import type { DeploymentPlan, FixValue } from "../types";

export interface Replanning {
  readonly request: PlanRequest;
  readonly plan: DeploymentPlan;
  readonly again: (request: PlanRequest) => DeploymentPlan;
}

export interface Setting {
  /** For example `models.chat.concurrency`. */
  readonly path: string;
  readonly from: FixValue;
  /** Number of other values, mildest first: once one helps, every harsher one does. */
  readonly count: number;
  /** Other weights answer differently. @default false */
  readonly changesWeights?: boolean;
  readonly at: (index: number) => Change;
}

export interface Change {
  readonly to: FixValue;
  readonly request: PlanRequest;
}

/** Its canary changes in everything shared. */
export function withModel(request: PlanRequest, name: string, change: Partial<ModelRequest>): PlanRequest {
  const { minReplicas: _min, maxReplicas: _max, quantization: _format, ...shared } = change;
  const changed = (m: ModelRequest): ModelRequest =>
    m.name === name ? { ...m, ...change } : m.revisionOf?.model === name ? { ...m, ...shared } : m;
  return { ...request, models: request.models.map(changed) };
}

export function withPool(request: PlanRequest, name: string, change: Partial<PoolRequest>): PlanRequest {
  return { ...request, pools: request.pools.map((p) => (p.name === name ? { ...p, ...change } : p)) };
}
