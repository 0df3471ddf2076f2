/** `npm run model -- NAME --traffic … --json`: machines by price, then refusals, nearest first. */
import type { MachineComparison } from "../../planner/machine-comparison";
import type { TrafficQuestion } from "./comparison-text";

export function comparisonJson({ model, traffic }: TrafficQuestion, { able, refused }: MachineComparison) {
  return {
    model: model.architecture.name,
    engine: model.engine,
    traffic,
    serviceLevel: model.serviceLevel ?? {},
    machines: able.map(({ shape, plan, nodes, monthlyUsd }) => ({
      shape: shape.name,
      gpu: shape.gpu?.model,
      tensorParallel: plan.tensorParallel,
      pipelineParallel: plan.pipelineParallel,
      nodesPerReplica: plan.nodesPerReplica,
      replicas: plan.minReplicas,
      nodes,
      monthlyUsd,
      concurrency: plan.concurrency,
      speed: plan.speed,
      tokenPrice: plan.tokenPrice,
    })),
    refused: refused.map(({ shape, kind, reason }) => ({ shape: shape.name, kind, reason })),
  };
}
