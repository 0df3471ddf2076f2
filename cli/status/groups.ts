/** State of server groups, from their models' states. */
import type { ExpectedGroup } from "./expected";
import type { GroupStatus, ModelStatus, State } from "./result";

/** Which model without ready nodes to look at first. */
const WORST_FIRST: readonly State[] = ["failing", "absent", "starting", "unknown", "stopped", "asleep", "outside"];

export function judgeGroup(
  { name, model, members, registrar, endpoint, curl }: ExpectedGroup,
  models: readonly Pick<ModelStatus, "name" | "state" | "readyReplicas" | "replicas">[],
): GroupStatus {
  const found = models.filter((candidate) => members.includes(candidate.name));
  const readyNodes = sum(found.map(({ readyReplicas }) => readyReplicas));
  const nodes = sum(found.map(({ replicas }) => replicas));
  return { name, model, state: stateOf(found, readyNodes, nodes), readyNodes, nodes, registrar, endpoint, curl };
}

function stateOf(models: readonly { readonly state: State }[], readyNodes: number, nodes: number): State {
  if (readyNodes > 0) {
    return readyNodes >= nodes ? "ready" : "degraded";
  }
  return WORST_FIRST.find((state) => models.some((model) => model.state === state)) ?? "unknown";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
