import type * as pulumi from "@pulumi/pulumi";
import { engineOf } from "../../engines";
import { type Labels, MODEL_LABEL } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import type { ModelPlan } from "../../planner/types";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { extendedQuantities, gibibytes } from "../core/resources";
import type { ScaleTarget } from "./endpoint";
import { type ControlAccess, scaledEngines } from "./model-server";
import { ScaleRights } from "./scale-rights";

export interface ModelNamespaceArgs {
  readonly model: ModelPlan;
  /** Lets model control scale the engine. @default none */
  readonly control?: ControlAccess & { readonly scale: ScaleTarget | undefined };
  /** Replicas that an update replaces at once. @default 1 */
  readonly replaced?: number;
  /** Additional labels. @default none */
  readonly labels?: Labels;
}

/**
 * Isolated namespace with a quota.
 * @returns its name, once guarded.
 */
export function modelNamespace(
  name: string,
  { model, control, replaced, labels }: ModelNamespaceArgs,
  opts: OptionsOfGone,
): pulumi.Output<string> {
  const options = { ...opts, aliases: childrenOfGone("serving:ModelNamespace", name, opts) };
  const { namespace } = new IsolatedNamespace(
    `${name}-ns`,
    {
      namespace: modelNamespaceName(model.name),
      labels: { [MODEL_LABEL]: model.name, ...labels },
      quota: modelQuota(model, replaced),
      ...(model.domain !== undefined && { use: { domain: model.domain } }),
    },
    options,
  );
  if (control?.scale) {
    const { autoscaler } = scaledEngines(model);
    const { scale: target, client } = control;
    new ScaleRights(`${name}-scale`, { namespace, target, autoscaler, client }, options);
  }
  return namespace;
}

/** For Jobs. */
const HEAD_ROOM = { pods: 3, cpu: 4, memoryGiB: 8 };

/**
 * Replicas at their maximum, replaced ones until they end, and Jobs: a runaway autoscaler cannot
 * take devices of others.
 * @param replaced replicas replaced at once.
 */
export function modelQuota(model: ModelPlan, replaced = 1): Record<string, string> {
  const { resources, nodesPerReplica, maxReplicas } = model;
  const pods = (maxReplicas + replaced) * nodesPerReplica;
  const { companion } = engineOf(model.engine);
  // One, and the one that takes its place.
  const companions = companion ? 2 : 0;
  const states = companion ? 1 : 0;
  const { cpu = 0, memoryGiB = 0 } = companion ?? {};
  return {
    pods: String(pods + companions + states + HEAD_ROOM.pods),
    "requests.cpu": String(Math.ceil(pods * resources.cpu + companions * cpu + HEAD_ROOM.cpu)),
    "requests.memory": gibibytes(Math.ceil(pods * resources.memoryGiB + companions * memoryGiB + HEAD_ROOM.memoryGiB)),
    ...Object.fromEntries(
      Object.entries(extendedQuantities(resources, pods)).map(([name, count]) => [`requests.${name}`, count]),
    ),
    "services.loadbalancers": "0",
    "services.nodeports": "0",
  };
}
