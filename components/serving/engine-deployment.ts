/** A Deployment behind one Service, for stateless replicas. */
import type * as pulumi from "@pulumi/pulumi";
import { ANNOTATIONS, MODEL_LABEL, selectorLabels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import type { OptionsOfGone } from "../core/gone-component";
import { hashOf } from "../core/job-scripts";
import { Workload, type WorkloadArgs } from "../core/workload";
import type { InferenceNode } from "../node/inference-node";
import type { ModelEndpoint } from "./endpoint";
import { modelOf, serverName } from "./model-server";
import { deployTimeouts, memoryAnnotations, replacementSeconds, rolloutSeconds } from "./pod-settings";

/** Where it answers. */
export function deploymentEndpoint(app: string, model: ModelPlan): ModelEndpoint {
  const instance = serverName(model.name);
  return {
    ...modelOf(model),
    service: instance,
    podLabels: selectorLabels(app, instance),
    scale: { apiVersion: "apps/v1", kind: "Deployment", name: instance },
  };
}

export interface EngineDeploymentArgs
  extends Pick<WorkloadArgs, "namespace" | "app" | "pod" | "ports" | "replicas" | "headless"> {
  readonly model: ModelPlan;
  /** Prerequisites of the weights. */
  readonly ready: readonly pulumi.Resource[];
  /** Content outside of the pod template: a change replaces pods. */
  readonly hash: string;
  /** Server group. @default none */
  readonly node?: InferenceNode | undefined;
  /** @default the model's own */
  readonly instance?: string;
}

/** Completes when every replica answers. */
export function engineDeployment(
  name: string,
  {
    model,
    ready,
    hash,
    node,
    pod,
    ports,
    instance = serverName(model.name),
    headless = true,
    ...workload
  }: EngineDeploymentArgs,
  opts: OptionsOfGone,
): void {
  // No spare GPU for an extra pod.
  const surge = model.resources.gpus === 0;
  new Workload(
    name,
    {
      ...workload,
      instance,
      headless,
      pod: node?.around(pod) ?? pod,
      ports: [...ports, ...(node?.ports ?? [])],
      labels: { [MODEL_LABEL]: model.name },
      apart: model.availability?.apart,
      podAnnotations: {
        ...memoryAnnotations(model),
        [ANNOTATIONS.configHash]: node ? hashOf([hash, node.hash]) : hash,
      },
      controller: { kind: "Deployment", surge, progressDeadlineSeconds: replacementSeconds(model, { surge }) },
      controllerOptions: {
        dependsOn: [...ready],
        customTimeouts: deployTimeouts(rolloutSeconds(model)),
      },
    },
    opts,
  );
}
