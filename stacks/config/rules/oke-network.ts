/** Address rules of a provisioned OKE cluster. */
import { DEVICE_ACCESS } from "../../../catalog/fabrics";
import { OKE_PODS, okeMaxPods, okePodAddresses } from "../../../catalog/oke-pods";
import { VF_ADDRESSES } from "../../../catalog/sriov";
import { contains, type Network, overlaps, parseCidr } from "../../../names/cidr";
import { OKE_SUBNETS, type OkeAddresses, okeAddresses } from "../core/oke-addresses";
import type { Path, ProblemDraft } from "../core/problems";
import { knownMachine, knownPools, type Rule, type RuleContext } from "../core/rule";
import { inCidrForm } from "./cidr-form";

/** Oracle reserves a subnet's first two addresses and the last. */
const KEPT = 3;
/** Nodes of a pool that exist twice during a change. */
const SURGE = 1;
/** Allowed VCN prefixes. */
const VCN_PREFIX = { least: 16, most: 30 } as const;

const NETWORK: Path = ["cluster", "oke", "network"];

type Written = NonNullable<ReturnType<typeof sectionOf>>;

function sectionOf({ sections: { cluster } }: RuleContext) {
  return cluster?.kind === "oci" && cluster.provision === "create" ? cluster.oke : undefined;
}

/** Once all addresses are valid networks. */
function planOf(context: RuleContext): OkeAddresses | undefined {
  const section = sectionOf(context);
  const wrong = section && [...addressProblems(section)].length > 0;
  return section && !wrong ? okeAddresses(section.network) : undefined;
}

export const addressesFitTheNetwork: Rule = function* (context) {
  const section = sectionOf(context);
  if (section === undefined) {
    return;
  }
  const problems = [...addressProblems(section)];
  yield* problems;
  if (problems.length === 0 && okeAddresses(section.network) === undefined) {
    const { vcn } = section.network;
    yield {
      path: [...NETWORK, "vcn"],
      value: vcn,
      allowed: "a network with room for four subnets: endpoint, loadBalancers, nodes and pods",
      fix: "write a larger network, such as 10.0.0.0/16, or every subnet under cluster.oke.network.subnets",
    };
  }
};

function* addressProblems({ network }: Written): Generator<ProblemDraft> {
  const written = [
    { path: [...NETWORK, "vcn"], cidr: network.vcn },
    { path: [...NETWORK, "services"], cidr: network.services },
    ...OKE_SUBNETS.flatMap((name) => {
      const cidr = network.subnets[name];
      return cidr === undefined ? [] : [{ path: [...NETWORK, "subnets", name], cidr }];
    }),
  ];
  for (const { path, cidr } of written) {
    yield* inCidrForm(path, cidr, "10.0.0.0/16");
  }
  const vcn = parseCidr(network.vcn);
  if (vcn === undefined) {
    return;
  }
  const prefix = Number(network.vcn.split("/")[1]);
  if (prefix < VCN_PREFIX.least || prefix > VCN_PREFIX.most) {
    yield {
      path: [...NETWORK, "vcn"],
      value: network.vcn,
      allowed: `a network with a prefix of /${VCN_PREFIX.least} to /${VCN_PREFIX.most}: what Oracle makes`,
      fix: "write a network such as 10.0.0.0/16",
    };
  }
  const known = written.flatMap(({ path, cidr }) => {
    const found = parseCidr(cidr);
    return found ? [{ path, cidr, network: found }] : [];
  });
  const [, ...others] = known;
  for (const { path, cidr, network: own } of others) {
    const isSubnet = path.includes("subnets");
    if (isSubnet && !contains(vcn, own)) {
      yield {
        path,
        value: cidr,
        allowed: `a network inside of cluster.oke.network.vcn, ${network.vcn}`,
        fix: "write one inside, or remove it: it gets its share of the network then",
      };
    } else if (!isSubnet && overlaps(vcn, own)) {
      yield {
        path,
        value: cidr,
        allowed: `a network that does not overlap cluster.oke.network.vcn, ${network.vcn}`,
        fix: "write a network that nothing else uses, such as 10.96.0.0/16",
      };
    }
  }
  const subnets = others.filter(({ path }) => path.includes("subnets"));
  for (const [i, { path, cidr, network: own }] of subnets.entries()) {
    const other = subnets.slice(0, i).find((before) => overlaps(before.network, own));
    if (other) {
      yield {
        path,
        value: cidr,
        allowed: `a network apart from ${other.path.join(".")}, ${other.cidr}`,
        fix: "write one that does not overlap, or remove it: it gets its share of the network then",
      };
    }
  }
}

export const subnetsHoldEveryNode: Rule = function* (context) {
  const plan = planOf(context);
  const pools = knownPools(context);
  if (plan === undefined || pools === undefined) {
    return;
  }
  const counted = Object.entries(pools).flatMap(([name, pool]) => {
    const machine = knownMachine(pool);
    return machine?.provider === "oci" ? [{ name, machine, nodes: pool.maxNodes + SURGE }] : [];
  });
  const nodes = counted.reduce((sum, pool) => sum + pool.nodes, 0) + KEPT;
  const pods = counted.reduce((sum, pool) => sum + pool.nodes * okePodAddresses(pool.machine), 0) + KEPT;
  const list = (each: (pool: (typeof counted)[number]) => string) => counted.map(each).join(" + ");
  yield* tooSmall(
    context,
    plan,
    "nodes",
    nodes,
    `Σ (maxNodes + ${SURGE} while nodes are replaced) + ${KEPT} that Oracle keeps: ${list((pool) => `${pool.name} ${pool.nodes}`)} + ${KEPT}`,
  );
  yield* tooSmall(
    context,
    plan,
    "pods",
    pods,
    `Σ (maxNodes + ${SURGE} while nodes are replaced) × ⌈pods per node ÷ ${OKE_PODS.perVnic}⌉ VNICs × ${OKE_PODS.perVnic + 1} + ${KEPT} that Oracle keeps: ${list(
      ({ name, nodes: all, machine }) =>
        `${name} ${all} × ${okePodAddresses(machine)} (${okeMaxPods(machine)} pods per node)`,
    )} + ${KEPT}`,
  );
};

function* tooSmall(
  context: RuleContext,
  { vcn, subnets }: OkeAddresses,
  name: "nodes" | "pods",
  needed: number,
  formula: string,
): Generator<ProblemDraft> {
  const cidr = subnets[name];
  const has = sizeOf(parseCidr(cidr));
  if (has >= needed) {
    return;
  }
  const prefix = 32 - Math.ceil(Math.log2(needed));
  const written = sectionOf(context)?.network.subnets[name] !== undefined;
  yield {
    path: [...NETWORK, "subnets", name],
    value: `${cidr}${written ? "" : `, its share of ${vcn}`}: ${has} addresses`,
    allowed: `at least ${needed} addresses, a /${prefix}: ${formula}`,
    fix: `write a /${prefix} inside of cluster.oke.network.vcn (a larger vcn where there is no room), or lower maxNodes`,
  };
}

function sizeOf(network: Network | undefined): number {
  return network === undefined ? 0 : Number(network.last - network.first + 1n);
}

/**
 * With virtual functions, traffic to these addresses uses the RDMA network: others with them are
 * unreachable. Default for pools, as in `stacks/plan-request.ts`.
 */
export const rdmaAddressesAreFree: Rule = function* (context) {
  const section = sectionOf(context);
  const pools = Object.entries(knownPools(context) ?? {}).filter(
    ([, { rdma }]) => rdma !== undefined && (rdma.access ?? DEVICE_ACCESS.roce) === DEVICE_ACCESS.roce,
  );
  if (section === undefined || pools.length === 0) {
    return;
  }
  const { rdma, vcn, services } = section.network;
  const path: Path = [...NETWORK, "rdma"];
  const own = parseCidr(rdma);
  const misshapen = inCidrForm(path, rdma, VF_ADDRESSES.subnet);
  yield* misshapen;
  if (own === undefined || misshapen.length > 0) {
    return;
  }
  const others = [
    { name: "cluster.oke.network.vcn", cidr: vcn },
    { name: "cluster.oke.network.services", cidr: services },
    ...(context.sections.cluster?.privateCidrs ?? []).map((cidr) => ({ name: "cluster.privateCidrs", cidr })),
  ];
  for (const { name, cidr } of others) {
    const network = parseCidr(cidr);
    if (network && overlaps(own, network)) {
      yield {
        path,
        value: rdma,
        allowed: `a network apart from ${name}, ${cidr}: pods with virtual functions could reach nothing there`,
        fix: "write a private network that nothing else uses, such as 172.28.0.0/16",
      };
    }
  }
  const nodes = pools.reduce((sum, [, { maxNodes }]) => sum + maxNodes + SURGE, 0);
  const needed = nodes * VF_ADDRESSES.perNode + KEPT;
  if (sizeOf(own) < needed) {
    yield {
      path,
      value: rdma,
      allowed: `at least ${needed} addresses: ${VF_ADDRESSES.perNode} for each of ${nodes} nodes (maxNodes + ${SURGE} while nodes are replaced) of ${pools.map(([name]) => name).join(", ")}, + ${KEPT}`,
      fix: `write a /${32 - Math.ceil(Math.log2(needed))}, or lower maxNodes`,
    };
  }
};
