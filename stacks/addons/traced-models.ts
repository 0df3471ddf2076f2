import { engineOf } from "../../engines";
import type { TraceReceiver } from "../../names/trace-receiver";
import type { ModelPlan } from "../../planner/types";

/** Models with a span receiver set; users' trace settings stay. */
export function tracedModels(models: readonly ModelPlan[], traces: TraceReceiver | undefined): readonly ModelPlan[] {
  if (traces === undefined) {
    return models;
  }
  return models.map((model): ModelPlan => {
    const settings = engineOf(model.engine).traces?.(traces, model);
    const isOwn = Object.keys(settings?.args ?? {}).some((name) => model.args?.[name] !== undefined);
    return {
      ...model,
      ...(settings && !isOwn && { args: { ...settings.args, ...model.args }, env: { ...settings.env, ...model.env } }),
      ...(model.node && { node: { ...model.node, traces } }),
    };
  });
}

/** Whether its engine, or a node's Envoy, reports spans. */
export function reportsSpans(model: ModelPlan, traces: TraceReceiver): boolean {
  return model.node !== undefined || engineOf(model.engine).traces?.(traces, model) !== undefined;
}
