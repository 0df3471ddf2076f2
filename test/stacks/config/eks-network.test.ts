import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalCidr, contains, type Network, overlaps, parseCidr } from "../../../names/cidr";
import { eksAddresses } from "../../../stacks/config/core/eks-addresses";
import { nodeAddresses } from "../../../stacks/config/rules/eks-network";
import { told } from "./samples";

const LETTERS = ["a", "b", "c", "d", "e", "f"];

const network = (cidr: string): Network => {
  const found = parseCidr(cidr);
  if (!found) {
    throw new Error(`${cidr} is no network`);
  }
  return found;
};

const vpcs = fc.record({ prefix: fc.integer({ min: 16, max: 21 }), place: fc.nat() }).map(({ prefix, place }) => {
  const first = 10 * 2 ** 24 + (place % 2 ** (prefix - 8)) * 2 ** (32 - prefix);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".")}/${prefix}`;
});

describe("the address plan of an EKS network", () => {
  it("shares the usual network out over three zones", () => {
    expect(eksAddresses("10.0.0.0/16", ["a", "b", "c"])).toEqual({
      controlPlane: { a: "10.0.0.0/22", b: "10.0.4.0/22", c: "10.0.8.0/22" },
      public: { a: "10.0.32.0/22", b: "10.0.36.0/22", c: "10.0.40.0/22" },
      nodes: { a: "10.0.64.0/18", b: "10.0.128.0/18", c: "10.0.192.0/18" },
    });
  });

  it("has no answer for a network without room", () => {
    expect(eksAddresses("10.0.0.0/23", ["a", "b"])).toBeUndefined();
    expect(eksAddresses("fd00::/48", ["a", "b"])).toBeUndefined();
    expect(eksAddresses("anything", ["a", "b"])).toBeUndefined();
  });

  it("never overlaps and never leaves the network", () => {
    fc.assert(
      fc.property(vpcs, fc.integer({ min: 2, max: 6 }), (vpc, count) => {
        const plan = eksAddresses(vpc, LETTERS.slice(0, count));
        const all = Object.values(plan ?? {}).flatMap((ofZones) => Object.values<string>(ofZones));
        expect(all).toHaveLength(3 * count);
        for (const [i, cidr] of all.entries()) {
          expect(canonicalCidr(cidr)).toBe(cidr);
          expect(contains(network(vpc), network(cidr))).toBe(true);
          expect(Number(cidr.split("/")[1])).toBeLessThanOrEqual(28);
          expect(all.slice(0, i).some((other) => overlaps(network(other), network(cidr)))).toBe(false);
        }
      }),
    );
  });

  it("moves no zone when one is added at the end, as long as there is a block for it", () => {
    fc.assert(
      fc.property(vpcs, fc.constantFrom([2, 3], [4, 5], [4, 6], [5, 6]), (vpc, [before, after]) => {
        const zones = LETTERS.slice(0, after);
        expect(eksAddresses(vpc, zones)).toMatchObject(eksAddresses(vpc, zones.slice(0, before)) as object);
      }),
    );
  });
});

const ZONES = ["us-east-1a", "us-east-1b"];

/** What is told of a network. */
function said(net: object, pools: object = { system: { shape: "m7i.2xlarge" }, gpu: { shape: "g6.4xlarge" } }) {
  const eks = {
    region: "us-east-1",
    kubernetesVersion: "1.35",
    zones: ZONES,
    administrators: ["arn:aws:iam::111122223333:role/platform"],
    network: net,
  };
  return told({ cluster: { kind: "aws", provision: "create", eks }, pools }, "cluster");
}

describe("the network of an EKS cluster", () => {
  it("takes what Amazon and EKS take", () => {
    expect(said({})).toEqual([]);
    expect(said({ vpc: "10.32.0.0/20", services: "192.168.0.0/24" })).toEqual([]);
  });

  it.each([
    ["a network by one of its hosts", { vpc: "10.0.0.1/16" }, "vpc", /a network in CIDR form.*10\.0\.0\.0\/16/],
    [
      "a network larger than Amazon makes",
      { vpc: "10.0.0.0/15", services: "172.20.0.0/16" },
      "vpc",
      /prefix of \/16 to \/28/,
    ],
    ["a network without room for subnets", { vpc: "10.0.0.0/24" }, "vpc", /three subnets in each of 2 zones/],
    ["Services in few addresses", { services: "172.20.0.0/25" }, "services", /prefix of \/12 to \/24/],
    [
      "Services in the internet's addresses",
      { services: "100.64.0.0/16" },
      "services",
      /inside of one of 10\.0\.0\.0\/8/,
    ],
    ["Services in the whole network", { vpc: "172.20.0.0/16" }, "services", /Write .* such as 10\.100\.0\.0\/16/],
    [
      "Services among the nodes",
      { services: "10.0.128.0/20" },
      "services",
      /does not overlap cluster\.eks\.network\.vpc/,
    ],
  ])("refuses %s", (_what, net, key, message) => {
    const found = said(net);
    expect(found).toEqual([expect.stringMatching(message)]);
    expect(found[0]).toMatch(new RegExp(`^cluster\\.eks\\.network\\.${key} is`));
  });

  it("has room in each zone for all nodes, their pods and what is kept ready", () => {
    const pools = (maxNodes: number, zones?: string[]) => ({
      system: { shape: "m7i.2xlarge" },
      gpu: { shape: "p5.48xlarge", maxNodes, ...(zones && { zones }) },
    });
    // A /22 of a /20: 1024 addresses, of which 5 are Amazon's, 5 endpoints', and 2 × 108 of the system nodes.
    const vpc = "10.0.0.0/20";
    expect(said({ vpc }, pools(4))).toEqual([]);
    const [refused, ...others] = said({ vpc }, pools(5));
    expect(others).toEqual([]);
    expect(refused).toContain("cluster.eks.network.vpc is");
    expect(refused).toContain("have 10.0.4.0/22: 1024 addresses");
    expect(refused).toContain("at least 1126 addresses");
    expect(refused).toContain("system 2 × 108 + gpu 6 × 150, + 5 of endpoints + 5 that Amazon keeps");
  });

  it("counts nodes where their pool may have them", () => {
    const pools = (zones: readonly string[]) => ({
      system: { shape: "m7i.2xlarge" },
      gpu: { shape: "p5.48xlarge", maxNodes: 4, zones: [zones[0]] },
      other: { shape: "p5.48xlarge", maxNodes: 4, zones: [zones[1]], labels: { "example.com/pool": "other" } },
    });
    const vpc = "10.0.0.0/20";
    const rooms = (all: readonly string[]) => said({ vpc }, pools(all)).filter((text) => text.includes("network.vpc"));
    expect(rooms(ZONES)).toEqual([]);
    expect(rooms(["us-east-1b", "us-east-1b"])).toHaveLength(1);
  });

  it("counts no more than engines need of what a machine could have", () => {
    expect(nodeAddresses({ maxPods: 29 })).toBe(79);
    expect(nodeAddresses({ maxPods: 737 })).toBe(160);
    expect(nodeAddresses({})).toBe(160);
    // One of the two interfaces on the first card of a p5 is EFA's, where Karpenter makes it.
    expect(nodeAddresses({ maxPods: 100, addressesPerInterface: 50 })).toBe(150);
    expect(nodeAddresses({ maxPods: 100, addressesPerInterface: 50 }, true)).toBe(101);
  });
});
