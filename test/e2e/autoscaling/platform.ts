import type { KubernetesObject } from "../../../kubernetes/object";
import type { DeploymentPlan } from "../../../planner/types";
import { applyPlatform, prepareCluster } from "../../../rehearsal/bring-up";
import { nodesOf } from "../../../rehearsal/cluster/existing-parts";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import type { ProgramRun } from "../../stacks/run";
import type { AutoscalingStand } from "./stand";

/** Objects of an environment's models, without the rest of the platform, and what all of these need. */
export function modelObjects({ plan, resources }: ProgramRun): KubernetesObject[] {
  const namespaces = plan.models.map(({ name }) => `model-${name}`);
  return recordedObjects(resources).filter(
    ({ kind, metadata }) =>
      kind === "PriorityClass" ||
      namespaces.includes(metadata.namespace ?? "") ||
      (kind === "Namespace" && namespaces.includes(metadata.name)),
  );
}

/** An object of KEDA's, with the Prometheus of a stand in place of the platform's. */
export function reading(object: KubernetesObject, prometheusUrl: string): KubernetesObject {
  if (object.kind !== "ScaledObject") {
    return object;
  }
  const { triggers, ...spec } = object.spec as ScaledObjectSpec;
  const redirected = triggers.map((trigger) =>
    trigger.type === "prometheus"
      ? { ...trigger, metadata: { ...trigger.metadata, serverAddress: prometheusUrl } }
      : trigger,
  );
  return { ...object, spec: { ...spec, triggers: redirected } };
}

interface ScaledObjectSpec {
  readonly triggers: readonly { readonly type: string; readonly metadata: Readonly<Record<string, string>> }[];
}

const AUTOSCALERS = ["ScaledObject", "HorizontalPodAutoscaler"];

/**
 * Brings up models on a stand, and then what scales them, as the program does. All nodes of the plan are there, and none waits to be
 * tried.
 *
 * @throws Error with what the API server refused.
 */
export async function bringUpModels({ plane, replay }: AutoscalingStand, run: ProgramRun): Promise<void> {
  const objects = modelObjects(run).map((object) => reading(object, replay.url));
  const isAutoscaler = ({ kind }: KubernetesObject) => AUTOSCALERS.includes(kind);
  await prepareCluster(plane, nodesOf(withoutStartupTaints(run.plan)), objects);
  const { refused } = await applyPlatform(
    plane.client,
    objects.filter((object) => !isAutoscaler(object)),
  );
  if (refused.length > 0) {
    throw new Error(refused.map(({ object, reason }) => `${object}: ${reason}`).join("\n"));
  }
  await Promise.all(objects.filter(isAutoscaler).map((object) => plane.client.apply(object)));
}

function withoutStartupTaints(plan: DeploymentPlan): DeploymentPlan {
  return { ...plan, pools: plan.pools.map((pool) => ({ ...pool, startupTaints: [] })) };
}
