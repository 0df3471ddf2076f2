import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { SIGNAL_SERIES } from "../../names/recorded-series";
import { AUTOSCALER_NAME } from "../../names/services";
import type { ScalingSignalName, SignalPlan } from "../../planner/scaling";
import { scalingBehavior } from "./behavior";
import type { ScaledModel } from "./scaled-model";

/**
 * A HorizontalPodAutoscaler by recorded series, served as external metrics by a cluster adapter.
 * Series have one value per model, so aggregation does not matter.
 *
 * @throws Error for a signal without recorded series, which only KEDA supports.
 */
export function horizontalAutoscaler(name: string, scaled: ScaledModel, opts: pulumi.CustomResourceOptions): void {
  const { model, scaling, endpoint, target } = scaled;
  const { scaleUp, scaleDown } = scalingBehavior(scaling);
  new kubernetes.autoscaling.v2.HorizontalPodAutoscaler(
    name,
    {
      metadata: {
        name: AUTOSCALER_NAME,
        namespace: endpoint.namespace,
        labels: standardLabels("horizontalpodautoscaler", AUTOSCALER_NAME, { [MODEL_LABEL]: model.name }),
      },
      spec: {
        scaleTargetRef: target,
        minReplicas: scaling.min,
        maxReplicas: scaling.max,
        metrics: scaling.signals.map((signal) => externalMetric(model.name, signal)),
        behavior: {
          scaleUp: { ...scaleUp, policies: [...scaleUp.policies] },
          scaleDown: { ...scaleDown, policies: [...scaleDown.policies] },
        },
      },
    },
    opts,
  );
}

function externalMetric(model: string, { on, target }: SignalPlan) {
  return {
    type: "External",
    external: {
      metric: { name: recordedSeries(on, model), selector: { matchLabels: { model } } },
      target: { type: "Value", value: String(target) },
    },
  };
}

function recordedSeries(on: ScalingSignalName, model: string): string {
  if (on === "queue" || on === "kvCache") {
    throw new Error(`models.${model}.scaling: ${on} is no recorded series, so only KEDA scales by it`);
  }
  return SIGNAL_SERIES[on];
}
