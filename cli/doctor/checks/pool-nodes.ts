import type { NodeFact } from "../facts";
import type { PoolNeed } from "../needs";

export function nodesOf(nodes: readonly NodeFact[], { pool }: PoolNeed): NodeFact[] {
  return nodes.filter(({ labels }) => Object.entries(pool.selector).every(([key, value]) => labels[key] === value));
}
