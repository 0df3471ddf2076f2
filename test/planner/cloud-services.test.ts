import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BilledPlan, type CloudBilling, cloudServices } from "../../planner/cloud-services";
import { costOf } from "../../planner/cost";
import { planWithAdvice } from "../../planner/plan-with-advice";
import { environmentOf, modelOf, poolOf, shapeNamed } from "./fixtures";

const billing: CloudBilling = {
  provider: "oci",
  cluster: { natGateways: 1, publicAddresses: 0, endpoints: 0, keys: 0 },
  loadBalancer: { service: "network-load-balancer", minMbps: 0, publicAddresses: 0 },
  volumes: [{ name: "metrics", sizeGiB: 100, count: 2 }],
  notPriced: [],
  spareModelGiB: 0,
};
const { cluster: _, ...existing } = billing;
const pool: BilledPlan["pools"][number] = {
  name: "a10",
  shape: shapeNamed("VM.GPU.A10.1"),
  role: "gpu",
  minNodes: 1,
  maxNodes: 3,
  scheduledNodeHours: 0,
  localDisks: false,
};
const plan: BilledPlan = { pools: [pool], models: [], storeGiB: 45, bootVolumeGiB: new Map([["a10", 200]]) };

describe("what a cloud bills beside machines", () => {
  it("is the control plane, the way out, the load balancer, volumes and nodes' disks of a cluster made here", () => {
    const { services, notPriced } = cloudServices(billing, plan);
    expect(
      services.map(({ kind, name, count, sizeGiB, monthlyUsd, maxMonthlyUsd }) => [
        kind,
        name,
        count,
        sizeGiB,
        Number(monthlyUsd.toFixed(4)),
        Number(maxMonthlyUsd.toFixed(4)),
      ]),
    ).toEqual([
      ["control-plane", "control plane", 1, undefined, 73, 73],
      ["nat-gateway", "NAT gateway", 1, undefined, 0, 0],
      ["load-balancer", "load balancer", 1, undefined, 0, 0],
      // The store's 45 GiB: Oracle makes no smaller volume than 50.
      ["volume", "model store", 1, 50, 2.125, 2.125],
      ["volume", "metrics", 2, 100, 8.5, 8.5],
      // Half a day: disks go with their nodes.
      ["node-disk", "disks of a10", 1, 200, 8.5, 25.5],
    ]);
    expect(notPriced).toEqual(["network traffic"]);
    for (const { note } of services) {
      expect(note).toMatch(/USD (an hour|for each GB and month).*\(.+; (read|reported) \d{4}-\d\d-\d\d: .+\)$/);
    }
  });

  it("counts what there are several of by their number: ways out, their addresses, endpoints in each zone, keys", () => {
    const { services, notPriced } = cloudServices(
      {
        ...billing,
        provider: "aws",
        cluster: { natGateways: 3, publicAddresses: 3, endpoints: 15, keys: 2 },
        loadBalancer: { service: "network-load-balancer", minMbps: 0, publicAddresses: 3 },
        volumes: [],
      },
      { ...plan, storeGiB: 0, pools: [] },
    );
    expect(services.find(({ kind }) => kind === "nat-gateway")?.hourlyUsd).toBeCloseTo(3 * 0.045, 9);
    expect(
      services.map(({ kind, name, count, monthlyUsd }) => [kind, name, count, Number(monthlyUsd.toFixed(4))]),
    ).toEqual([
      ["control-plane", "control plane", 1, 73],
      ["nat-gateway", "NAT gateways", 3, 98.55],
      ["public-address", "public addresses of the NAT gateways", 3, 10.95],
      ["endpoint", "endpoints of services, by zone", 15, 109.5],
      ["key", "encryption keys", 2, 2],
      ["load-balancer", "load balancer", 1, 16.425],
      ["public-address", "public addresses of the load balancer", 3, 10.95],
    ]);
    expect(notPriced).toEqual(["network traffic"]);
    expect(services.find(({ kind }) => kind === "key")?.note).toMatch(/^1 USD a month, /);
  });

  it("bills each kind for its hours: monthlyUsd is hourlyUsd of all of them x 730 x h/24", () => {
    const count = fc.nat(4);
    const inputs = fc.record({
      provider: fc.constantFrom("aws", "oci"),
      cluster: fc.record({ natGateways: count, publicAddresses: count, endpoints: count, keys: count }),
      loadBalancer: fc.record({
        service: fc.constantFrom("network-load-balancer", "load-balancer"),
        minMbps: fc.nat(100),
        publicAddresses: count,
      }),
      volumes: fc.array(fc.record({ name: fc.constant("x"), sizeGiB: fc.integer({ min: 1, max: 900 }), count })),
    });
    fc.assert(
      fc.property(inputs, count, fc.integer({ min: 1, max: 2000 }), (each, minNodes, scheduledNodeHours) => {
        const { services } = cloudServices(
          { ...billing, ...each },
          { ...plan, pools: [{ ...pool, minNodes: minNodes + 1, scheduledNodeHours }] },
        );
        for (const { kind, hourlyUsd, monthlyUsd } of services) {
          const more = kind === "node-disk" ? scheduledNodeHours / (minNodes + 1) : 0;
          expect(monthlyUsd).toBeCloseTo(hourlyUsd * (730 + more), 6);
        }
      }),
    );
  });

  it("is volumes and load balancer alone on a cluster that exists, and says what is missing", () => {
    const { services, notPriced } = cloudServices({ ...existing, provider: "aws" }, plan);
    expect(services.map(({ kind, monthlyUsd }) => [kind, Number(monthlyUsd.toFixed(3))])).toEqual([
      ["load-balancer", 16.425],
      ["volume", 3.6],
      ["volume", 16],
    ]);
    expect(notPriced).toEqual(["network traffic", "the cluster's own control plane, network and nodes' disks"]);
  });

  it("counts the bandwidth that a load balancer proper keeps", () => {
    const loadBalancer = { service: "load-balancer", minMbps: 10, publicAddresses: 0 } as const;
    const [own] = cloudServices({ ...existing, loadBalancer }, plan).services;
    expect(own?.hourlyUsd).toBeCloseTo(0.0113 + 10 * 0.0001, 10);
    expect(own?.note).toContain("0.0113 USD an hour and 0.0001 for each of 10 Mbit/s");
  });

  it("names what has no price where it is made", () => {
    const loadBalancer = { service: "load-balancer", minMbps: 0, publicAddresses: 0 } as const;
    const { services, notPriced } = cloudServices({ ...existing, provider: "aws", loadBalancer }, plan);
    expect(services.map(({ kind }) => kind)).not.toContain("load-balancer");
    expect(notPriced[0]).toBe("load balancer");
  });

  it("plans disks of nodes by what their pods write where nobody says", () => {
    const sizes = cloudServices(billing, { ...plan, bootVolumeGiB: new Map() }).services;
    expect(sizes.find(({ kind }) => kind === "node-disk")?.sizeGiB).toBe(50);
  });

  it("gives each replica of an engine that keeps its models a volume, with the room beside them", () => {
    const ollama = {
      ...modelOf("llama-3.1-8b-instruct", { contextTokens: 4096, concurrency: 2 }),
      engine: "ollama",
      source: { kind: "ollama", tag: "llama3.1:8b" },
      minReplicas: 2,
      maxReplicas: 2,
    } as const;
    const request = environmentOf([poolOf("VM.GPU.A10.1", 2)], [{ ...ollama, quantization: "Q4_K_M" }], {
      billing: { ...billing, spareModelGiB: 100 },
    });
    const { cost, models } = planWithAdvice(request);
    const own = models[0]?.modelStorageGiB ?? 0;
    expect(own).toBeGreaterThan(0);
    expect(cost.services.filter(({ name }) => name.startsWith("models of"))).toMatchObject([
      { kind: "volume", count: 2, sizeGiB: own + 100 },
    ]);
  });

  it("gives a model whose engine keeps a state one volume, however many replicas it has", () => {
    const model = modelOf("llama-3.1-8b-instruct", { contextTokens: 4096, concurrency: 2 });
    const request = environmentOf(
      [poolOf("VM.GPU.A10.1", 2)],
      [{ ...model, engine: "ray", engineVersion: "2.56.0", minReplicas: 2, maxReplicas: 2 }],
      { billing },
    );
    const states = planWithAdvice(request).cost.services.filter(({ name }) => name.startsWith("state of"));
    // Oracle makes no smaller volume than 50 GiB.
    expect(states).toMatchObject([{ kind: "volume", name: `state of ${model.name}`, count: 1, sizeGiB: 50 }]);
  });
});

describe("a plan's cost", () => {
  const request = environmentOf(
    [poolOf("VM.GPU.A10.1", 2)],
    [modelOf("llama-3.1-8b-instruct", { contextTokens: 4096, concurrency: 2 })],
    { billing },
  );

  it("is pools and services together, and the budget limits both", () => {
    const { cost } = planWithAdvice(request);
    const pools = cost.items.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0);
    const services = cost.services.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0);
    expect(services).toBeGreaterThan(73);
    expect(cost.monthlyUsd).toBeCloseTo(pools + services, 6);
    const rules = (monthlyBudgetUsd: number) =>
      planWithAdvice({ ...request, monthlyBudgetUsd }).problems.map(({ rule }) => rule);
    expect(rules(cost.monthlyUsd + 1)).not.toContain("monthly-budget");
    expect(rules(pools + 1)).toContain("monthly-budget");
  });

  it("says why a pool's price is not the list price", () => {
    const billed = { name: "gpu", shape: pool.shape, nodes: 1, maxNodes: 1, usdPerNodeHour: 1, hoursPerDay: 24 };
    expect(costOf([{ ...billed, priceNote: "spot" }], undefined).items[0]?.note).toBe("spot");
    expect(costOf([billed], undefined).items[0]).not.toHaveProperty("note");
  });

  it("never falls with a larger volume, one more of it, or one more node", () => {
    const total = (volumes: CloudBilling["volumes"], minNodes = 1) =>
      cloudServices({ ...billing, volumes }, { ...plan, pools: [{ ...pool, minNodes }] }).services.reduce(
        (sum, { monthlyUsd, maxMonthlyUsd }) => sum + monthlyUsd + maxMonthlyUsd,
        0,
      );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(500),
        fc.nat(5),
        fc.nat(9),
        (sizeGiB, count, moreGiB, more, nodes) => {
          const before = total([{ name: "x", sizeGiB, count }], nodes);
          const after = total([{ name: "x", sizeGiB: sizeGiB + moreGiB, count: count + more }], nodes + more);
          expect(after).toBeGreaterThanOrEqual(before - 1e-9);
        },
      ),
    );
  });
});
