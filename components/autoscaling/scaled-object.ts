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

/** Seconds without an answer to a signal before the plan's replicas for that case run: a Prometheus that is made anew is back by then. */
const SIGNALS_LOST_SECONDS = 300;

/** Makes KEDA scale one model. */
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
          // Whoever takes the autoscaler away must not leave the model asleep.
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
 * Between none and one KEDA decides itself, and looks as often as is planned; from one on the HorizontalPodAutoscaler asks it, and
 * these say nothing (keda v2.21.0, apis/keda/v1alpha1/scaledobject_types.go, IsPollingIntervalRelevant).
 *
 * A model that was woken is loaded first, and nobody is answered meanwhile: its time without requests begins after that. One that was
 * just deployed is loaded already.
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
