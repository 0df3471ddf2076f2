import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, MODEL_LABEL, selectorLabels, standardLabels } from "../../names/labels";
import { SPARE_NAMESPACE } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import { hardenedPodSpec } from "../core/hardened-pod";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { named } from "../core/known";
import { priorityClass, SPARE_PRIORITY } from "../core/priority-classes";
import { extendedQuantities, gibibytes, modelResources } from "../core/resources";
import type { ScaledModel } from "./scaled-model";

const APP = "spare-replica";

export function withSpareReplicas<M extends Pick<ScaledModel, "scaling">>(models: readonly M[]): M[] {
  return models.filter(({ scaling }) => scaling.spareReplicas > 0);
}

/**
 * Placeholder pods that reserve room for spare replicas, which preempt them. They then wait for a
 * new node.
 *
 * @param models at least one, each with spare replicas.
 */
export function placeholderPods(
  name: string,
  models: readonly ScaledModel[],
  opts: Omit<pulumi.CustomResourceOptions, "aliases">,
): void {
  const priority = priorityClass(`${name}-priority`, SPARE_PRIORITY, opts);
  const { namespace } = new IsolatedNamespace(`${name}-ns`, { namespace: SPARE_NAMESPACE, quota: quota(models) }, opts);
  for (const { model, scaling } of models) {
    const labels = standardLabels(APP, model.name, { [MODEL_LABEL]: model.name });
    new kubernetes.apps.v1.Deployment(
      `${name}-${model.name}`,
      {
        metadata: {
          name: model.name,
          namespace,
          labels,
          // Preempted placeholders stay pending, and must not block a deployment.
          annotations: { "pulumi.com/skipAwait": "true" },
        },
        spec: {
          replicas: podsOf({ model, scaling }),
          revisionHistoryLimit: 3,
          selector: { matchLabels: { ...selectorLabels(APP, model.name) } },
          // An update must not add nodes.
          strategy: { type: "Recreate" },
          template: { metadata: { labels, annotations: memoryAnnotations(model) }, spec: podSpec(model, priority) },
        },
      },
      opts,
    );
  }
}

/** Replicas that span nodes need one pod per node. */
function podsOf({ model, scaling }: Pick<ScaledModel, "model" | "scaling">): number {
  return scaling.spareReplicas * model.nodesPerReplica;
}

/** Same size and nodes as a replica, so that it fits in their place. */
function podSpec(
  { nodeSelector, tolerations, resources }: ModelPlan,
  priority: kubernetes.scheduling.v1.PriorityClass,
) {
  return hardenedPodSpec({
    nodeSelector,
    tolerations,
    priorityClassName: named(priority, SPARE_PRIORITY.name),
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "pause", image: image("pause"), resources: modelResources({ resources }) }],
  });
}

/** They reserve GPUs without using GPU memory. */
function memoryAnnotations({ memoryPerGpu }: ModelPlan): Record<string, string> {
  const none = (0).toFixed(2);
  return {
    [ANNOTATIONS.memoryTotalGiB]: none,
    [ANNOTATIONS.memoryMostGiB]: none,
    [ANNOTATIONS.memoryLimitGiB]: memoryPerGpu.limitGiB.toFixed(2),
  };
}

function quota(models: readonly ScaledModel[]): Record<string, string> {
  const total = (of: (model: ModelPlan) => number) =>
    models.reduce((sum, scaled) => sum + podsOf(scaled) * of(scaled.model), 0);
  const devices: Record<string, number> = {};
  for (const scaled of models) {
    for (const [device, count] of Object.entries(extendedQuantities(scaled.model.resources, podsOf(scaled)))) {
      devices[device] = (devices[device] ?? 0) + Number(count);
    }
  }
  return {
    pods: String(total(() => 1)),
    "requests.cpu": String(Math.ceil(total(({ resources }) => resources.cpu))),
    "requests.memory": gibibytes(Math.ceil(total(({ resources }) => resources.memoryGiB))),
    ...Object.fromEntries(Object.entries(devices).map(([device, count]) => [`requests.${device}`, String(count)])),
  };
}
