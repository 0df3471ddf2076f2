import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { platformNodes, pools } from "../../../cli/doctor/checks/pools";
import { quantity } from "../../../cli/doctor/checks/quantity";
import type { NodeFact } from "../../../cli/doctor/facts";
import type { PoolNeed } from "../../../cli/doctor/needs";
import { parted } from "../../../planner/slices";
import { shapeNamed } from "../../planner/fixtures";
import { a10, facts, gist, known, needs, node, only } from "./made-up";

const LABELS = { "node.kubernetes.io/instance-type": "VM.GPU.A10.2" };
const ROOM = { cpu: "58", memory: "440Gi", "ephemeral-storage": "200Gi", "nvidia.com/gpu": "2" };

function machine(name: string, more: Partial<NodeFact> = {}): NodeFact {
  return node(name, { labels: LABELS, allocatable: ROOM, ...more });
}

function judge(nodes: readonly NodeFact[], need: PoolNeed = a10()) {
  return only(pools, facts({ nodes: known(nodes) }), needs({ pools: [need] }));
}

describe("the nodes of a pool", () => {
  it.each<[string, readonly NodeFact[], PoolNeed, readonly [string, string, boolean]]>([
    ["are there", [machine("a")], a10(), ["passed", "1 node", false]],
    [
      "have the taints that pods tolerate",
      [machine("a", { taints: [{ key: "nvidia.com/gpu", value: "present", effect: "NoSchedule" }] })],
      a10(),
      ["passed", "1 node", false],
    ],
    ["may be none where none is needed", [], a10({ minNodes: 0 }), ["passed", "none yet, and none is needed", false]],
    ["are none", [node("other")], a10(), ["failed", "no node has these labels", true]],
    ["are too few", [machine("a")], a10({ minNodes: 2 }), ["failed", "1 of 2 nodes", true]],
    [
      "are not ready",
      [machine("a", { ready: false })],
      a10(),
      ["failed", "0 of 1 nodes; not ready or cordoned: a", true],
    ],
    [
      "are cordoned",
      [machine("a", { unschedulable: true })],
      a10(),
      ["failed", "0 of 1 nodes; not ready or cordoned: a", true],
    ],
    [
      "are of another architecture",
      [machine("a", { architecture: "arm64" })],
      a10(),
      ["failed", "a: arm64, not amd64", true],
    ],
    [
      "keep pods away",
      [machine("a", { taints: [{ key: "team", value: "red", effect: "NoSchedule" }] })],
      a10(),
      ["failed", "a has the taint team, which pods of this pool do not tolerate", true],
    ],
    [
      "would rather have other pods",
      [machine("a", { taints: [{ key: "team", effect: "PreferNoSchedule" }] })],
      a10(),
      ["passed", "1 node", false],
    ],
    [
      "offer no GPU",
      [machine("a", { allocatable: { ...ROOM, "nvidia.com/gpu": "0" } })],
      a10(),
      ["failed", "no nvidia.com/gpu on a", true],
    ],
    [
      "lost a GPU",
      [machine("a", { allocatable: { ...ROOM, "nvidia.com/gpu": "1" } })],
      a10(),
      ["failed", "1 of 2 GPUs on a", true],
    ],
    [
      "share their GPUs",
      [machine("a", { allocatable: { ...ROOM, "nvidia.com/gpu": "8" } })],
      a10(),
      ["warning", "8 GPUs on a, where the plan counts on 2", true],
    ],
    [
      "have too small a disk",
      [machine("a", { allocatable: { ...ROOM, "ephemeral-storage": "37Gi" } })],
      a10(),
      ["failed", "at most 37 GiB of ephemeral storage on a node, and chat asks for 40", true],
    ],
    [
      "have too little memory",
      [machine("a", { allocatable: { ...ROOM, memory: "32Gi" } })],
      a10(),
      ["failed", "at most 32 GiB of memory on a node, and chat asks for 48", true],
    ],
  ])("%s", (_, nodes, need, expected) => {
    expect(gist(judge(nodes, need))).toEqual(expected);
  });

  it("are told how to part their GPUs where the plan counts on slices", () => {
    const whole = shapeNamed("BM.GPU.H100.8");
    const sharing = { mig: "all-1g.10gb" };
    const need = a10({ shape: parted(whole, sharing), sharing });
    const offered = (slices: string) =>
      machine("a", { allocatable: { ...ROOM, "nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": slices } });
    const lacking = judge([offered("0")], need);
    expect(gist(lacking)).toEqual(["failed", "no nvidia.com/mig-1g.10gb on a", true]);
    expect(JSON.stringify(lacking)).toContain("kubectl label node a --overwrite nvidia.com/mig.config=all-1g.10gb");
    expect(gist(judge([offered("49")], need))).toEqual(["failed", "49 of 56 slices on a", true]);
    expect(judge([offered("56")], need).found).not.toContain("slices");
  });

  it("say their zones, where replicas are kept apart by zones", () => {
    const need = { ...a10(), zones: 2 };
    const inZone = (name: string, zone: string) =>
      machine(name, { labels: { ...LABELS, "topology.kubernetes.io/zone": zone } });
    const unlabelled = judge([inZone("a", "hall-1"), machine("b")], need);
    expect(gist(unlabelled)).toEqual(["failed", expect.stringContaining("b: no label topology"), true]);
    expect(JSON.stringify(unlabelled)).toContain("kubectl label node b topology.kubernetes.io/zone=<its zone>");
    expect(gist(judge([inZone("a", "hall-1"), inZone("b", "hall-1")], need))).toEqual([
      "failed",
      expect.stringContaining("nodes in 1 of 2 zones"),
      true,
    ]);
    expect(judge([inZone("a", "hall-1"), inZone("b", "hall-2")], need).status).toBe("passed");
  });

  it("tolerate what the file says, but for the platform's", () => {
    const tainted = [machine("a", { taints: [{ key: "team", effect: "NoSchedule" }] })];
    const fixOf = (need: PoolNeed) => JSON.stringify(judge(tainted, need));
    expect(fixOf(a10())).toContain("taints: [{ key: team }]");
    const system = a10();
    const fix = fixOf({ ...system, pool: { ...system.pool, role: "system" } });
    expect(fix).toContain("kubectl taint nodes a team-");
    expect(fix).not.toContain("taints: [");
  });

  it("hold the files of all their pods together", () => {
    const { pool, pods } = a10();
    const need = { pool, pods: [...pods, ...pods].map((pod) => ({ ...pod, ephemeralStorageGiB: 120 })) };
    expect(judge([machine("a")], need).found).toContain(
      "200 GiB of ephemeral storage on 1 nodes, and the pods of its models ask for 240",
    );
    expect(judge([machine("a"), machine("b")], need).status).toBe("passed");
  });

  it("are told what is needed", () => {
    expect(judge([]).needed).toBe(
      "1 amd64 node labelled node.kubernetes.io/instance-type=VM.GPU.A10.2 with 2 × nvidia.com/gpu, 40 GiB of ephemeral storage",
    );
  });

  it("pass whatever other nodes there are", () => {
    const other = fc.record({ name: fc.string(), ready: fc.boolean(), unschedulable: fc.boolean() });
    fc.assert(
      fc.property(fc.array(other), (others) => {
        expect(judge([...others.map(({ name, ...more }) => node(name, more)), machine("a")]).status).toBe("passed");
      }),
    );
  });
});

describe("the platform's own pods", () => {
  const tainted = machine("a", { taints: [{ key: "nvidia.com/gpu", effect: "NoSchedule" }] });

  it("need a node that tolerates everybody", () => {
    expect(only(platformNodes, facts({ nodes: known([tainted]) })).status).toBe("failed");
    expect(only(platformNodes, facts({ nodes: known([tainted, node("b")]) })).found).toBe("1 of 2 nodes");
    expect(only(platformNodes, facts({ nodes: known([]) })).found).toBe("the cluster has no node");
  });
});

describe("quantities", () => {
  it.each([
    ["4Ti", 4 * 2 ** 40],
    ["15842Mi", 15842 * 2 ** 20],
    ["500m", 0.5],
    ["1e3", 1000],
    ["128974848", 128974848],
    ["1.5", 1.5],
    ["2k", 2000],
    ["", undefined],
    ["-1", undefined],
    ["12 GiB", undefined],
    ["1X", undefined],
  ])("%s", (text, value) => {
    expect(quantity(text)).toBe(value);
  });
});
