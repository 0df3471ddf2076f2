import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CloudCapacity, capacityFindings, takenOf } from "../../../../components/cluster/oke/capacity";
import { okePool } from "../../../harness/oke-pools";

const LIMITS = { "VM.GPU.A10.1": ["gpu-a10-count"], "VM.GPU.A10.2": ["gpu-a10-count"], "BM.GPU.H100.8": [] };

function cloud(left: readonly number[], running: CloudCapacity["running"] = {}): CloudCapacity {
  return {
    domains: Object.fromEntries(
      left.map((available, i) => [
        i + 1,
        { name: `X:AD-${i + 1}`, shapes: LIMITS, available: { "gpu-a10-count": available } },
      ]),
    ),
    running,
  };
}

describe("takenOf", () => {
  it.each([
    ["gpu-a10-count", "BM.GPU.A10.4", 4, "GPUs"],
    ["standard-a1-core-count", "VM.Standard.A1.Flex", 4, "OCPUs"],
    ["standard-e3-core-ad-count", "VM.Standard.E5.Flex", 4, "OCPUs"],
    ["standard-a1-memory-count", "VM.Standard.A1.Flex", 32, "GB of memory"],
    ["vm-gpu-a10-count", "VM.GPU.A10.2", 1, "machines"],
  ])("of %s, %s takes %d %s", (limit, shape, amount, unit) => {
    expect(takenOf(limit, okePool(shape))).toEqual({ amount, unit });
  });

  it.each(["gpu-a10-core-count-reservable", "gpu-a10-reserved-count", "standard-a1-core-regional-count", "new-limit"])(
    "does not guess what %s counts",
    (limit) => {
      expect(takenOf(limit, okePool("VM.GPU.A10.1"))).toBeUndefined();
    },
  );
});

describe("capacityFindings", () => {
  it("refuses what exceeds a limit, with number, place and remedy: two pools share one", () => {
    const pools = [
      okePool("VM.GPU.A10.1", { name: "one", minNodes: 1 }),
      okePool("VM.GPU.A10.2", { name: "two", minNodes: 2 }),
    ];
    expect(capacityFindings(pools, cloud([4])).problems).toEqual([
      {
        severity: "mandatory",
        rule: "cloud-capacity",
        subject: "pools.one",
        message:
          "5 GPUs more are needed in X:AD-1 (nodes of one: 1, two: 2), and 4 are left of gpu-a10-count. Ask for a higher limit (Console: Limits, Quotas and Usage, service compute), write fewer minNodes, another availability domain or shape, or a capacity reservation (pools.one.capacity)",
      },
    ]);
    expect(capacityFindings(pools, cloud([5]))).toEqual({ problems: [], notes: [] });
  });

  it("does not count nodes again that run already, as long as they are of the same shape", () => {
    const pool = okePool("VM.GPU.A10.2", { name: "a", minNodes: 3 });
    const running = (shape: string, nodes: number) => ({ a: { shape, nodes } });
    expect(capacityFindings([pool], cloud([0], running("VM.GPU.A10.2", 3))).problems).toEqual([]);
    expect(capacityFindings([pool], cloud([0], running("VM.GPU.A10.2", 2))).problems[0]?.message).toContain("2 GPUs");
    expect(capacityFindings([pool], cloud([0], running("VM.GPU.A10.1", 3))).problems[0]?.message).toContain("6 GPUs");
  });

  it("says what will lack once pools grow, and refuses nothing for it", () => {
    const pool = okePool("VM.GPU.A10.1", { name: "a", minNodes: 1, maxNodes: 3 });
    expect(capacityFindings([pool], cloud([2]))).toEqual({
      problems: [],
      notes: [
        expect.stringMatching(
          /^room for minNodes, but .*: 3 GPUs more are needed in X:AD-1 \(nodes of a: 3\), and 2 are left of gpu-a10-count$/,
        ),
      ],
    });
  });

  it("says what nobody could tell", () => {
    const { problems, notes } = capacityFindings([okePool("BM.GPU.H100.8", { name: "h" })], cloud([0]));
    expect(problems).toEqual([]);
    expect(notes).toEqual([
      expect.stringContaining(
        "pools.h: OCI did not report what is left of the limits of BM.GPU.H100.8 in X:AD-1; whether",
      ),
    ]);
  });

  it("takes nothing of the limits for what is reserved", () => {
    const reserved = { capacity: { reservation: "ocid1.capacityreservation.oc1..r" } };
    expect(capacityFindings([okePool("VM.GPU.A10.1", {}, reserved)], cloud([0]))).toEqual({ problems: [], notes: [] });
  });

  it("names the domain that has the shape, and the domains that there are", () => {
    const domain = { name: "X:AD-1", shapes: {}, available: {} };
    const region: CloudCapacity = {
      domains: { 1: domain, 2: { ...domain, name: "X:AD-2", shapes: { "BM.GPU.H100.8": [] } } },
      running: {},
    };
    const messages = (domains: number[], shape = "BM.GPU.H100.8") =>
      capacityFindings([okePool(shape, { name: "h" }, { availabilityDomains: domains })], region).problems.map(
        ({ subject, message }) => `${subject}: ${message}`,
      );
    expect(messages([1])).toEqual([
      "pools.h: BM.GPU.H100.8 is not offered to this tenancy in X:AD-1; availability domain 2 offers it: pools.h.availabilityDomains",
    ]);
    expect(messages([1], "VM.GPU.A10.1")[0]).toContain("no availability domain of the region offers it");
    expect(messages([3])).toEqual([
      expect.stringMatching(/^pools\.h\.availabilityDomains: .* no availability domain 3; it has 1, 2$/),
    ]);
  });

  const POOLS = fc.array(
    fc.record({
      minNodes: fc.nat({ max: 6 }),
      running: fc.nat({ max: 6 }),
      domains: fc.subarray([1, 2, 3], { minLength: 1 }),
      shape: fc.constantFrom("VM.GPU.A10.1", "VM.GPU.A10.2"),
    }),
    { maxLength: 4 },
  );

  it("refuses nothing where each domain has room for all, and never more than is asked for", () => {
    fc.assert(
      fc.property(POOLS, fc.array(fc.nat({ max: 12 }), { minLength: 3, maxLength: 3 }), (asked, left) => {
        const pools = asked.map(({ minNodes, domains, shape }, i) =>
          okePool(shape, { name: `p${i}`, minNodes }, { availabilityDomains: domains }),
        );
        const running = Object.fromEntries(asked.map(({ shape, running: nodes }, i) => [`p${i}`, { shape, nodes }]));
        const gpus = asked.reduce(
          (sum, { minNodes, running: nodes, shape }) => sum + Math.max(0, minNodes - nodes) * Number(shape.slice(-1)),
          0,
        );
        expect(capacityFindings(pools, cloud([gpus, gpus, gpus], running)).problems).toEqual([]);
        const { problems } = capacityFindings(pools, cloud(left, running));
        // Fewer than are asked for in all cannot do, wherever they are.
        if (left.reduce((sum, each) => sum + each, 0) < gpus) {
          expect(problems.length).toBeGreaterThan(0);
        }
        // A second run, when all that runs is used, refuses nothing.
        const all = Object.fromEntries(
          pools.map(({ plan }) => [plan.name, { shape: plan.shape.name, nodes: plan.minNodes }]),
        );
        expect(capacityFindings(pools, cloud([0, 0, 0], all)).problems).toEqual([]);
      }),
    );
  });
});
