import type { ProblemDraft } from "../core/problems";
import type { RuleContext } from "../core/rule";

/** A cluster that is made of one machine has one pool, of one node. */
export function* oneMachine({ sections: { pools = {} }, declared }: RuleContext): Generator<ProblemDraft> {
  const names = declared.pools;
  if (names.length > 1) {
    yield {
      path: ["pools"],
      value: names,
      allowed: "one pool: the cluster is one machine",
      fix: "keep the pool that describes the machine",
    };
  }
  for (const [name, { minNodes, maxNodes }] of Object.entries(pools)) {
    for (const [key, nodes] of Object.entries({ minNodes, maxNodes })) {
      if (nodes !== undefined && nodes !== 1) {
        yield {
          path: ["pools", name, key],
          value: nodes,
          allowed: "1: the cluster is one machine",
          fix: `remove ${key}`,
        };
      }
    }
  }
}
