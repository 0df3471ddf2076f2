import type * as pulumi from "@pulumi/pulumi";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { AUTOSCALER_NAME } from "../../names/services";
import type { ScalingPlan } from "../../planner/scaling";
import { customResource } from "../core/custom-resource";
import { scalingBehavior } from "./behavior";
import type { IScaledObject } from "./keda-types";
import type { ScaledModel } from "./scaled-model";
import { triggers } from "./triggers";

export interface ScaledObjectArgs {
  readonly scaled: ScaledModel;
  readonly prometheusUrl: string;
}

/** Seconds without signals before fallback replicas apply: longer than a Prometheus restart. */
const SIGNALS_LOST_SECONDS = 300;

export function scaledObject(
  name: string,
  { scaled, prometheusUrl }: ScaledObjectArgs,
  opts: pulumi.CustomResourceOptions,
): void {
  const { model, scaling, endpoint, target } = scaled;
  customResource<IScaledObject>(
    name,
    {
      apiVersion: "keda.sh/v1alpha1",
      kind: "ScaledObject",
      name: AUTOSCALER_NAME,
      namespace: endpoint.namespace,
      // KEDA copies them to its HorizontalPodAutoscaler.
      labels: standardLabels("scaledobject", AUTOSCALER_NAME, { [MODEL_LABEL]: model.name }),
      spec: {
        scaleTargetRef: target,
        minReplicaCount: scaling.min,
        maxReplicaCount: scaling.max,
        ...sleep(scaling),
        fallback: {
          failureThreshold: Math.ceil(SIGNALS_LOST_SECONDS / scaling.pollSeconds),
          replicas: scaling.fallbackReplicas,
          behavior: "currentReplicasIfHigher",
        },
        advanced: {
          // Removing the autoscaler must not leave the model at zero.
          restoreToOriginalReplicaCount: scaling.min === 0,
          horizontalPodAutoscalerConfig: { behavior: scalingBehavior(scaling) },
        },
        triggers: triggers(scaled, prometheusUrl),
      },
    },
    opts,
  );
}

/**
 * KEDA scales between zero and one at this interval; above, the HorizontalPodAutoscaler polls (keda
 * v2.21.0, apis/keda/v1alpha1/scaledobject_types.go, IsPollingIntervalRelevant).
 *
 * A woken model loads first, so its idle time starts after that. A new one is already loaded.
 */
function sleep({ min, pollSeconds, idleSeconds = 0, coldStartSeconds }: ScalingPlan) {
  return min > 0
    ? {}
    : {
        pollingInterval: pollSeconds,
        cooldownPeriod: coldStartSeconds + idleSeconds,
        initialCooldownPeriod: idleSeconds,
      };
}
