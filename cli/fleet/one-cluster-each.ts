/**
 * Machines and kubeconfig contexts that two nodes must not share: copied nodes often forget to
 * change them.
 */
import { canonicalCidr } from "../../names/cidr";
import { type ConfigProblem, type Path, toProblem, valueAt } from "../../stacks/config/core/problems";
import { NAMESPACE } from "../../stacks/config/core/schema";
import { someOf } from "../cluster/foreign-text";
import type { ComposedNode } from "./compose";
import { isMapping } from "./merge";

const SSH_PORT = 22;
const CLUSTER = `${NAMESPACE}:cluster`;

/** An exclusive property of a node. */
interface Claim {
  readonly node: ComposedNode;
  /** Normalized. */
  readonly claimed: string;
  readonly path: Path;
  readonly value: unknown;
}

/** Adds problems to nodes that share a machine or context. */
export function oneClusterEach(nodes: readonly ComposedNode[]): readonly ComposedNode[] {
  const machines = doubles(nodes.flatMap(machinesOf), (others) => ({
    allowed: `a machine of its own; ${others} ${PLURAL.test(others) ? "have" : "has"} this one too`,
    fix: "give the node the address of its own machine, and that machine's hostKey",
  }));
  const contexts = doubles(nodes.flatMap(contextOf), (others) => ({
    allowed: `a cluster of its own; ${others} ${PLURAL.test(others) ? "have" : "has"} this context too`,
    fix: "name each node's cluster by a context of its own: kubectl config rename-context",
  }));
  return nodes.map((node) => {
    const own = [...machines, ...contexts].filter(({ name }) => name === node.name);
    return own.length === 0
      ? node
      : { ...node, problems: [...node.problems, ...own.map(({ problem }) => node.located(problem))] };
  });
}

const PLURAL = /,| and /;

function doubles(
  claims: readonly Claim[],
  told: (others: string) => { readonly allowed: string; readonly fix: string },
): { readonly name: string; readonly problem: ConfigProblem }[] {
  const byClaim = new Map<string, Claim[]>();
  for (const claim of claims) {
    byClaim.set(claim.claimed, [...(byClaim.get(claim.claimed) ?? []), claim]);
  }
  return claims.flatMap(({ node, claimed, path, value }) => {
    const others = (byClaim.get(claimed) ?? []).map((claim) => claim.node.name).filter((name) => name !== node.name);
    return others.length === 0
      ? []
      : [{ name: node.name, problem: toProblem({ path, value, ...told(someOf(others)) }) }];
  });
}

function machinesOf(node: ComposedNode): Claim[] {
  const hosts = valueAt(node.values, [CLUSTER, "hosts"]);
  return Object.entries(isMapping(hosts) ? hosts : {}).flatMap(([name, host]) => {
    const { address, port = SSH_PORT } = isMapping(host) ? host : {};
    return typeof address === "string"
      ? [
          {
            node,
            claimed: `${sameForAll(address)} ${String(port)}`,
            path: ["cluster", "hosts", name, "address"],
            value: address,
          },
        ]
      : [];
  });
}

/** IPv6 addresses have many spellings. */
function sameForAll(address: string): string {
  return canonicalCidr(`${address}/128`) ?? address;
}

function contextOf(node: ComposedNode): Claim[] {
  const value = valueAt(node.values, [CLUSTER, "kubeContext"]);
  return typeof value === "string" ? [{ node, claimed: value, path: ["cluster", "kubeContext"], value }] : [];
}
