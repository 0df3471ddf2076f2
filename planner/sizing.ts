import type { MachineShape } from "../catalog/shapes";
import type { Candidate } from "./candidates/types";
import { explainDifference, fiveStepRule, type SizingRuleResult, type SizingStep } from "./memory/sizing-rule";
import { countParameters, weightBytes } from "./model/parameters";
import type { ModelRequest } from "./request";
import type { SizingComparison } from "./types";

/** The five-step rule's node count next to the planner's; undefined on CPUs. */
export function compareWithRule(
  model: ModelRequest,
  { layout, estimate }: Candidate,
  shape: MachineShape,
): SizingComparison | undefined {
  const rule = ruleFor(model, shape);
  return (
    rule && {
      parametersB: rule.parametersB,
      bits: rule.bits,
      shapeGpuMemoryGB: rule.shapeGpuMemoryGB,
      ruleMemoryGB: rule.memoryGB,
      ruleNodes: rule.nodes,
      exactNodes: layout.nodesPerReplica,
      difference: explainDifference(rule, {
        ...layout,
        estimate,
        concurrency: model.concurrency,
        contextTokens: model.contextTokens,
      }),
    }
  );
}

export function stepsOf(sizing: SizingComparison): readonly SizingStep[] {
  return fiveStepRule(sizing).steps;
}

type Weighed = Pick<ModelRequest, "architecture" | "quantization">;

/** Undefined for shapes without GPUs. */
export function ruleFor(model: Weighed, { gpu }: MachineShape): SizingRuleResult | undefined {
  return (
    gpu &&
    fiveStepRule({
      parametersB: countParameters(model.architecture).total / 1e9,
      bits: nominalBits(model),
      shapeGpuMemoryGB: gpu.count * gpu.memoryGB,
    })
  );
}

/** The rule's precision: mean bits per parameter as 32, 16, 8 or 4. */
export function nominalBits({ architecture, quantization }: Weighed): number {
  const mean = (weightBytes(architecture, quantization).servedBytes * 8) / countParameters(architecture).total;
  const distance = (bits: number) => Math.abs(bits - mean);
  return [32, 16, 8, 4].reduce((best, bits) => (distance(bits) < distance(best) ? bits : best));
}
