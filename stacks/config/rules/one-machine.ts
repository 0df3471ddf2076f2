import type { ProblemDraft } from "../core/problems";
import type { RuleContext } from "../core/rule";

/** A one-machine cluster has one pool of one node. */
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
    const told = (key: string, value: number, fix: string): ProblemDraft => ({
      path: ["pools", name, key],
      value,
      allowed: "1: the cluster is one machine",
      fix,
    });
    if (minNodes !== 1) {
      // With only one of the two, the other follows.
      yield told(
        "minNodes",
        minNodes,
        minNodes === maxNodes ? "remove minNodes, and maxNodes if it is there" : "remove minNodes",
      );
    }
    if (maxNodes !== 1 && maxNodes !== minNodes) {
      yield told("maxNodes", maxNodes, "remove maxNodes");
    }
  }
}
