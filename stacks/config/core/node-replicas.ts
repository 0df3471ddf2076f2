/** `nodes.<group>.replicas`: a group's nodes are the replicas of its model. */
import type { ModelConfig } from "./canary";
import type { NodesConfig } from "./sections/nodes";

/** The models, each with the replicas of its group where that says how many there are. A canary has its own. */
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
