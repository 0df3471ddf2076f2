/** `nodes.<group>.replicas`: a group's nodes are its model's replicas. */
import type { ModelConfig } from "./canary";
import type { NodesConfig } from "./sections/nodes";

/** Canaries have their own. */
export function withNodeReplicas(
  models: Readonly<Record<string, ModelConfig>>,
  nodes: NodesConfig,
): Record<string, ModelConfig> {
  const said = new Map(
    Object.entries(nodes).flatMap(([group, { model, replicas }]) =>
      replicas === undefined ? [] : [[model, { replicas, replicasOf: group }]],
    ),
  );
  return Object.fromEntries(
    Object.entries(models).map(([name, model]) => [name, { ...model, ...ownOf(model, said.get(name)) }]),
  );
}

function ownOf({ revisionOf }: ModelConfig, said: Pick<ModelConfig, "replicas" | "replicasOf"> | undefined) {
  return revisionOf === undefined ? said : undefined;
}
