import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalCidr, contains, type Network, overlaps, parseCidr } from "../../../names/cidr";
import { OKE_SUBNETS, okeAddresses } from "../../../stacks/config/core/oke-addresses";
import { okeSection } from "../../../stacks/config/core/sections/oke";
import { problemsWith } from "./samples";

const SERVICES = "10.96.0.0/16";
const network = (cidr: string): Network => {
  const found = parseCidr(cidr);
  if (!found) {
    throw new Error(`${cidr} is no network`);
  }
  return found;
};

describe("the address plan of an OKE network", () => {
  it("shares the usual network out", () => {
    const { network: usual } = okeSection.shape;
    expect(okeAddresses(usual.parse({}))).toEqual({
      vcn: "10.0.0.0/16",
      services: "10.96.0.0/16",
      subnets: { endpoint: "10.0.0.0/28", loadBalancers: "10.0.1.0/24", nodes: "10.0.16.0/20", pods: "10.0.64.0/18" },
    });
  });

  it("moves what a written subnet is in the way of, and nothing else", () => {
    const subnets = { nodes: "10.0.64.0/20" };
    expect(okeAddresses({ vcn: "10.0.0.0/16", services: SERVICES, subnets })?.subnets).toEqual({
      endpoint: "10.0.0.0/28",
      loadBalancers: "10.0.1.0/24",
      nodes: "10.0.64.0/20",
      pods: "10.0.128.0/18",
    });
  });

  it("has no answer for a network without room", () => {
    expect(okeAddresses({ vcn: "10.0.0.0/27", services: SERVICES, subnets: {} })).toBeUndefined();
    expect(okeAddresses({ vcn: "fd00::/48", services: SERVICES, subnets: {} })).toBeUndefined();
  });

  it("never overlaps and never leaves the network, whatever is written", () => {
    const plans = fc
      .record({ prefix: fc.integer({ min: 16, max: 23 }), place: fc.nat(), written: fc.subarray([...OKE_SUBNETS]) })
      .map(({ prefix, place, written }) => {
        const size = 2 ** (32 - prefix);
        const first = 10 * 2 ** 24 + (place % 2 ** (prefix - 8)) * size;
        const cidr = (address: number, bits: number) =>
          `${[24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".")}/${bits}`;
        // Sixteenths of the network, from its end: apart from each other.
        const subnets = Object.fromEntries(
          written.map((name, i) => [name, cidr(first + size - ((i + 1) * size) / 16, prefix + 4)]),
        );
        return { vcn: cidr(first, prefix), services: "192.168.0.0/16", subnets };
      });
    fc.assert(
      fc.property(plans, (said) => {
        const subnets = okeAddresses(said)?.subnets;
        expect(subnets).toMatchObject(said.subnets);
        const all = Object.values(subnets ?? {});
        expect(all).toHaveLength(4);
        for (const [i, cidr] of all.entries()) {
          expect(canonicalCidr(cidr)).toBe(cidr);
          expect(contains(network(said.vcn), network(cidr))).toBe(true);
          expect(all.slice(0, i).some((other) => overlaps(network(other), network(cidr)))).toBe(false);
        }
      }),
    );
  });
});

const oke = {
  tenancyId: "ocid1.tenancy.oc1..t",
  compartmentId: "ocid1.compartment.oc1..c",
  region: "eu-frankfurt-1",
  kubernetesVersion: "v1.34.1",
};
const pools = {
  system: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24, maxNodes: 3 },
  gpu: { shape: "VM.GPU.A10.2", availabilityDomains: [1], maxNodes: 4 },
};
const creating = (addresses: object) => ({
  pools,
  cluster: { kind: "oci", provision: "create", oke: { ...oke, ...addresses } },
});
const at = "cluster.oke.network";

const cases: readonly [string, object, { path: string; value?: string; allowed: string; fix: string }][] = [
  [
    "a subnet outside",
    { network: { subnets: { pods: "10.1.0.0/18" } } },
    { path: `${at}.subnets.pods`, allowed: "inside of cluster.oke.network.vcn, 10.0.0.0/16", fix: "its share" },
  ],
  [
    "subnets that overlap",
    { network: { subnets: { nodes: "10.0.0.0/20", pods: "10.0.8.0/21" } } },
    { path: `${at}.subnets.pods`, allowed: `apart from ${at}.subnets.nodes, 10.0.0.0/20`, fix: "does not overlap" },
  ],
  [
    "Services among the nodes",
    { network: { vcn: "10.0.0.0/16", services: "10.0.128.0/17" } },
    { path: `${at}.services`, allowed: "does not overlap cluster.oke.network.vcn, 10.0.0.0/16", fix: "10.96.0.0/16" },
  ],
  [
    "an address for a network",
    { network: { subnets: { pods: "10.0.64.1/18" } } },
    { path: `${at}.subnets.pods`, allowed: "a network in CIDR form", fix: "write 10.0.64.0/18" },
  ],
  [
    "a network that Oracle does not make",
    { network: { vcn: "10.0.0.0/8", services: "192.168.0.0/16" } },
    { path: `${at}.vcn`, allowed: "/16 to /30", fix: "10.0.0.0/16" },
  ],
  [
    "a network without room",
    { network: { vcn: "10.0.0.0/27" } },
    { path: `${at}.vcn`, allowed: "room for four subnets", fix: "a larger network" },
  ],
  [
    "too few addresses for pods",
    { network: { subnets: { pods: "10.0.64.0/23" } } },
    {
      path: `${at}.subnets.pods`,
      value: "10.0.64.0/23: 512 addresses",
      allowed:
        "at least 1027 addresses, a /21: Σ (maxNodes + 1 while nodes are replaced) × ⌈pods per node ÷ 31⌉ VNICs × 32 + 3 that Oracle keeps: system 4 × 96 (93 pods per node) + gpu 5 × 128 (110 pods per node) + 3",
      fix: "write a /21",
    },
  ],
  [
    "too few addresses for nodes",
    { network: { subnets: { nodes: "10.0.16.0/29" } } },
    {
      path: `${at}.subnets.nodes`,
      value: "10.0.16.0/29: 8 addresses",
      allowed:
        "at least 12 addresses, a /28: Σ (maxNodes + 1 while nodes are replaced) + 3 that Oracle keeps: system 4 + gpu 5 + 3",
      fix: "write a /28",
    },
  ],
  [
    "a share that is too small",
    { network: { vcn: "10.0.0.0/21" } },
    {
      path: `${at}.subnets.pods`,
      value: "its share of 10.0.0.0/21: 512 addresses",
      allowed: "1027",
      fix: "a larger vcn",
    },
  ],
  [
    "a public Kubernetes API for nobody in particular",
    { endpoint: { public: true } },
    { path: "cluster.oke.endpoint.allowedCidrs", allowed: "network of operators", fix: "public: false" },
  ],
  [
    "a Kubernetes API for the whole internet",
    { endpoint: { public: true, allowedCidrs: ["0.0.0.0/0"] } },
    { path: "cluster.oke.endpoint.allowedCidrs[0]", allowed: "/8 or more: not the internet", fix: "203.0.113.0/24" },
  ],
];

describe("rules of an OKE network", () => {
  it("take the usual one, and one with operators", () => {
    expect(problemsWith(creating({}))).toEqual([]);
    expect(problemsWith(creating({ endpoint: { public: true, allowedCidrs: ["203.0.113.0/24"] } }))).toEqual([]);
  });

  it.each(cases)("refuse %s", (_, addresses, expected) => {
    const found = problemsWith(creating(addresses));
    expect(found).toHaveLength(1);
    expect(found[0]?.path).toBe(expected.path);
    expect(found[0]?.value).toContain(expected.value ?? "");
    expect(found[0]?.allowed).toContain(expected.allowed);
    expect(found[0]?.fix).toContain(expected.fix);
  });
});

describe("addresses on the RDMA network", () => {
  const withRdma = (
    network: object,
    { maxNodes = 2, access = "virtual-functions", privateCidrs = [] as string[] } = {},
  ) => {
    const changes = creating({ network });
    const shape = "BM.GPU.H100.8";
    const image = "ocid1.image.oc1.eu-frankfurt-1.ubuntu-hpc";
    const rdma = { mode: "managed", access };
    const h100 = { shape, minNodes: 2, maxNodes, availabilityDomains: [1], rdma, image };
    return problemsWith({
      ...changes,
      cluster: { ...changes.cluster, privateCidrs },
      pools: { ...changes.pools, h100 },
    });
  };

  it("are apart from what pods talk to, and enough for every node", () => {
    expect(withRdma({})).toEqual([]);
    expect(withRdma({ vcn: "192.168.0.0/16" })).toMatchObject([
      {
        path: `${at}.rdma`,
        allowed: expect.stringContaining(`apart from ${at}.vcn, 192.168.0.0/16`),
        fix: expect.stringContaining("172.28.0.0/16"),
      },
    ]);
    expect(withRdma({ services: "192.168.128.0/17" })).toMatchObject([{ path: `${at}.rdma` }]);
    expect(withRdma({}, { privateCidrs: ["192.168.7.0/24"] })).toMatchObject([
      { path: `${at}.rdma`, allowed: expect.stringContaining("apart from cluster.privateCidrs, 192.168.7.0/24") },
    ]);
    expect(withRdma({ rdma: "172.28.0.0/24" })).toMatchObject([
      {
        path: `${at}.rdma`,
        allowed: "at least 303 addresses: 100 for each of 3 nodes (maxNodes + 1 while nodes are replaced) of h100, + 3",
        fix: "write a /23, or lower maxNodes",
      },
    ]);
    expect(withRdma({ rdma: "172.28.0.1/16" })).toMatchObject([{ path: `${at}.rdma`, fix: "write 172.28.0.0/16" }]);
  });

  it("are nobody's where no pod gets virtual functions", () => {
    expect(withRdma({ vcn: "192.168.0.0/16" }, { access: "host-network" })).toEqual([]);
    expect(problemsWith(creating({ network: { vcn: "192.168.0.0/16" } }))).toEqual([]);
  });
});
