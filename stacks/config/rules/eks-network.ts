/** Address rules of a provisioned EKS cluster. */
import { EKS_PODS, eksMaxPods } from "../../../catalog/eks";
import type { MachineShape } from "../../../catalog/shapes";
import { contains, overlaps, PRIVATE_IPV4, parseCidr } from "../../../names/cidr";
import { eksAddresses } from "../core/eks-addresses";
import type { Path, ProblemDraft } from "../core/problems";
import { knownMachine, knownPools, type Rule } from "../core/rule";
import type { PoolConfig } from "../schema";
import { inCidrForm } from "./cidr-form";
import { madeEks } from "./eks-cluster";

/** Nodes of a pool that exist twice during a change. */
const SURGE = 1;
/** Allowed VPC prefixes (docs.aws.amazon.com/vpc, "VPC CIDR blocks", read 2026-11-23). */
const VPC_PREFIX = { least: 16, most: 28 } as const;
/** Allowed Service prefixes (@pulumi/aws 7.48.0, ClusterKubernetesNetworkConfig). */
const SERVICES_PREFIX = { least: 12, most: 24 } as const;

const NETWORK: Path = ["cluster", "eks", "network"];

type Written = NonNullable<ReturnType<typeof madeEks>>;

export const eksAddressesFitTheNetwork: Rule = function* (context) {
  const eks = madeEks(context);
  if (eks === undefined) {
    return;
  }
  const problems = [...addressProblems(eks)];
  yield* problems;
  if (problems.length === 0 && eksAddresses(eks.network.vpc, eks.zones) === undefined) {
    yield {
      path: [...NETWORK, "vpc"],
      value: eks.network.vpc,
      allowed: `a network with room for three subnets in each of ${eks.zones.length} zones, none smaller than a /28`,
      fix: "write a larger network, such as 10.0.0.0/16",
    };
  }
};

function* addressProblems({ network: { vpc, services } }: Written): Generator<ProblemDraft> {
  const vpcPath: Path = [...NETWORK, "vpc"];
  const servicesPath: Path = [...NETWORK, "services"];
  yield* inCidrForm(vpcPath, vpc, "10.0.0.0/16");
  yield* inCidrForm(servicesPath, services, "172.20.0.0/16");
  yield* prefixWithin(vpcPath, vpc, VPC_PREFIX, "what Amazon makes", "10.0.0.0/16");
  yield* prefixWithin(servicesPath, services, SERVICES_PREFIX, "what EKS takes", "172.20.0.0/16");
  const [network, own] = [parseCidr(vpc), parseCidr(services)];
  const ranges = PRIVATE_IPV4.flatMap((range) => parseCidr(range) ?? []);
  if (own && !ranges.some((range) => contains(range, own))) {
    yield {
      path: servicesPath,
      value: services,
      allowed: `a network inside of one of ${PRIVATE_IPV4.join(", ")}: what EKS takes`,
      fix: "write 172.20.0.0/16",
    };
  }
  if (network && own && overlaps(network, own)) {
    yield {
      path: servicesPath,
      value: services,
      allowed: `a network that does not overlap cluster.eks.network.vpc, ${vpc}`,
      fix: `write a network that nothing else uses, such as ${apartFrom(vpc)}`,
    };
  }
}

/** Example Service addresses outside the network. */
function apartFrom(vpc: string): string {
  const network = parseCidr(vpc);
  const free = ["172.20.0.0/16", "10.100.0.0/16"].find((example) => {
    const other = parseCidr(example);
    return network === undefined || other === undefined || !overlaps(network, other);
  });
  return free ?? "192.168.0.0/20";
}

function* prefixWithin(
  path: Path,
  cidr: string,
  { least, most }: { readonly least: number; readonly most: number },
  why: string,
  example: string,
): Generator<ProblemDraft> {
  const prefix = Number(cidr.split("/")[1]);
  if (prefix < least || prefix > most) {
    yield {
      path,
      value: cidr,
      allowed: `a network with a prefix of /${least} to /${most}: ${why}`,
      fix: `write a network such as ${example}`,
    };
  }
}

/**
 * Pods and the VPC CNI's reserve take addresses of the nodes' subnet. Machine availability is
 * unknown, so each zone's subnet must fit all nodes of all its pools.
 */
export const eksSubnetsHoldEveryNode: Rule = function* (context) {
  const eks = madeEks(context);
  const pools = knownPools(context);
  if (eks === undefined || pools === undefined || [...addressProblems(eks)].length > 0) {
    return;
  }
  const subnets = eksAddresses(eks.network.vpc, eks.zones)?.nodes ?? {};
  const crowded = Object.entries(subnets).flatMap(([zone, cidr]) => {
    const here = Object.entries(pools).flatMap(([name, pool]) => {
      const machine = knownMachine(pool);
      return machine?.provider === "aws" && (pool.zones ?? eks.zones).includes(zone)
        ? [{ name, nodes: pool.maxNodes + SURGE, each: nodeAddresses(machine, isEfaOfKarpenter(pool)) }]
        : [];
    });
    const endpoints = eks.network.endpoints.length;
    const needed = here.reduce((sum, { nodes, each }) => sum + nodes * each, EKS_PODS.keptAddresses + endpoints);
    const has = sizeOf(cidr);
    return has < needed ? [{ zone, cidr, here, endpoints, needed, has }] : [];
  });
  const [worst] = crowded.sort((one, other) => other.needed - one.needed);
  if (worst === undefined) {
    return;
  }
  const { zone, cidr, here, endpoints, needed, has } = worst;
  const terms = here.map(({ name, nodes, each }) => `${name} ${nodes} × ${each}`).join(" + ");
  yield {
    path: [...NETWORK, "vpc"],
    value: `${eks.network.vpc}, of which nodes and pods in ${zone} have ${cidr}: ${has} addresses`,
    allowed: `at least ${needed} addresses in ${zone}: Σ (maxNodes + ${SURGE} while nodes are replaced) × (pods per node, at most ${EKS_PODS.most}, + ${EKS_PODS.warm} kept ready) = ${terms}, + ${endpoints} of endpoints + ${EKS_PODS.keptAddresses} that Amazon keeps`,
    fix: `write a larger network (a /${VPC_PREFIX.least} at most), lower maxNodes, or give pools zones of their own (pools.<name>.zones)`,
  };
};

/**
 * Addresses per node: its pods', and one spare interface. A machine's maximum is far above engines'
 * needs and not counted.
 */
export function nodeAddresses(
  machine: Pick<MachineShape, "maxPods" | "addressesPerInterface">,
  efaByKarpenter = false,
): number {
  return Math.min(eksMaxPods(machine, efaByKarpenter) ?? EKS_PODS.most, EKS_PODS.most) + EKS_PODS.warm;
}

/** Reserved nodes are in a node group, with its interfaces. */
function isEfaOfKarpenter({ rdma, capacity }: PoolConfig): boolean {
  return rdma?.access === "efa" && typeof capacity !== "object";
}

function sizeOf(cidr: string): number {
  const network = parseCidr(cidr);
  return network === undefined ? 0 : Number(network.last - network.first + 1n);
}
