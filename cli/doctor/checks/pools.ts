import type { GpuSharing } from "../../../catalog/gpu-sharing";
import { cardResource } from "../../../catalog/shapes";
import { ZONE_LABEL } from "../../../planner/availability/zone-label";
import { partWord, sharingLabels } from "../../../planner/slices";
import { allTolerated } from "../../../planner/taints";
import { someOf } from "../../cluster/foreign-text";
import type { NodeFact } from "../facts";
import type { PodNeed, PoolNeed } from "../needs";
import type { CheckResult } from "../result";
import { type Check, failed, judged, passed, type Subject, type Verdict, warning } from "./check";
import { softwareComes } from "./gpu-software";
import { GIB, quantity } from "./quantity";

/** Per pool: nodes exist, of its machine, schedulable and large enough. */
export const pools: Check = (facts, needs) =>
  needs.pools.flatMap((need): CheckResult[] => {
    const subject: Subject = { check: "pool", title: `Pool ${need.pool.name}`, needed: neededOf(need) };
    return [judged(subject, facts.nodes, (found) => nodesOfPool(found, need, softwareComes(facts, needs)))];
  });

/** Platform pods tolerate no taint, so some node must be without. */
export const platformNodes: Check = ({ nodes }) => [
  judged(
    {
      check: "platform-nodes",
      title: "Platform nodes",
      needed: "a ready node without a taint that keeps the platform's own pods away",
    },
    nodes,
    (all) => {
      const open = all.filter((node) => isUp(node) && allTolerated(node.taints, []));
      return open.length > 0
        ? passed(`${open.length} of ${all.length} nodes`)
        : failed(
            all.length === 0
              ? "the cluster has no node"
              : `none of ${all.length} nodes: all are tainted, cordoned or not ready`,
            "add a pool without GPUs and taints (the plan's system pool)",
            "on a single machine of your own, leave the taints out: kubectl taint nodes <node> <key>-",
          );
    },
  ),
];

function neededOf({ pool, pods, alwaysNodes }: PoolNeed): string {
  const { shape, selector } = pool;
  const minNodes = alwaysNodes ?? pool.minNodes;
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${value}`);
  const gpus = shape.gpu ? ` with ${shape.gpu.count} × ${shape.gpu.resource}` : "";
  const where = labels.length > 0 ? ` labelled ${labels.join(", ")}` : "";
  const disk = sum(pods.map(({ ephemeralStorageGiB, count }) => ephemeralStorageGiB * count));
  const others = alwaysNodes === undefined ? "" : "; others by Karpenter, while pods ask for them";
  return `${minNodes} ${shape.cpu.arch} ${minNodes === 1 ? "node" : "nodes"}${where}${gpus}${disk > 0 ? `, ${round(disk)} GiB of ephemeral storage` : ""}${others}`;
}

/** With replicas spread over zones: every node has its zone label, and there are enough zones. */
function zonesOf(open: readonly NodeFact[], { pool, zones = 1 }: PoolNeed): Verdict | undefined {
  if (zones === 1) {
    return undefined;
  }
  const unlabelled = open.filter(({ labels }) => !labels[ZONE_LABEL]);
  if (unlabelled.length > 0) {
    return failed(
      `${named(unlabelled)}: no label ${ZONE_LABEL}, and replicas of pool ${pool.name} are kept apart by it`,
      `kubectl label node ${unlabelled[0]?.name} ${ZONE_LABEL}=<its zone>`,
    );
  }
  const there = new Set(open.map(({ labels }) => labels[ZONE_LABEL])).size;
  return there < zones
    ? failed(
        `nodes in ${there} of ${zones} zones, which what is promised of its models takes`,
        `add a node in another zone, or lower pools.${pool.name}.uptime.zones`,
      )
    : undefined;
}

/** @param gpusCome whether GPUs appear only after an installation by the platform or its cloud. */
function nodesOfPool(all: readonly NodeFact[], need: PoolNeed, gpusCome: boolean): Verdict {
  const { pool } = need;
  const { selector, shape } = pool;
  const minNodes = need.alwaysNodes ?? pool.minNodes;
  const matching = all.filter(({ labels }) => Object.entries(selector).every(([key, value]) => labels[key] === value));
  if (matching.length === 0) {
    return minNodes === 0 ? passed("none yet, and none is needed") : noNode(need);
  }
  const foreign = matching.filter(({ architecture }) => architecture !== undefined && architecture !== shape.cpu.arch);
  if (foreign.length > 0) {
    return failed(
      `${named(foreign)}: ${foreign[0]?.architecture}, not ${shape.cpu.arch}`,
      `replace them by ${shape.name}, or say cpuArch: ${foreign[0]?.architecture} under pools.${pool.name} (machines of your own)`,
    );
  }
  const up = matching.filter(isUp);
  const open = up.filter(({ taints }) => allTolerated(taints, pool.taints));
  const tainted = up.filter((node) => !open.includes(node));
  if (open.length < minNodes && tainted.length > 0) {
    const key = tainted[0]?.taints.find((taint) => !allTolerated([taint], pool.taints))?.key ?? "";
    const untaint = `kubectl taint nodes ${tainted[0]?.name} ${key}-`;
    return failed(
      `${named(tainted)} ${tainted.length === 1 ? "has" : "have"} the taint ${key}, which pods of this pool do not tolerate`,
      pool.role === "system"
        ? `remove it, because the platform's pods tolerate no taint: ${untaint}`
        : `name it under pools.${pool.name}.taints: [{ key: ${key} }], or remove it: ${untaint}`,
      ...(shape.gpu
        ? [`GPU pods tolerate ${cardResource(shape.gpu)} with any value and dedicated=inference, both NoSchedule`]
        : []),
    );
  }
  if (open.length < minNodes) {
    const down = matching.filter((node) => !isUp(node));
    return failed(
      `${open.length} of ${minNodes} nodes${down.length > 0 ? `; not ready or cordoned: ${named(down)}` : ""}`,
      down.length > 0
        ? `kubectl describe node ${down[0]?.name}`
        : `add nodes, or lower minNodes under pools.${pool.name}`,
    );
  }
  const misplaced = zonesOf(open, need);
  if (misplaced !== undefined) {
    return misplaced;
  }
  const count = `${open.length} ${open.length === 1 ? "node" : "nodes"}`;
  const hasNone =
    shape.gpu !== undefined && open.every(({ allocatable }) => !(shape.gpu && allocatable[shape.gpu.resource]));
  if (gpusCome && hasNone) {
    return sizeOf(open, need) ?? passed(`${count}; ${shape.gpu?.resource} comes with the GPU software`);
  }
  return gpusOf(open, need) ?? sizeOf(open, need) ?? passed(count);
}

function noNode({ pool: { name, selector, shape } }: PoolNeed): Verdict {
  const [[key, value] = ["", ""]] = Object.entries(selector);
  const isOwn = shape.provider === "onprem";
  return failed(
    "no node has these labels",
    ...(isOwn && key !== ""
      ? [`label the machine: kubectl label node <node> ${key}=${value}`]
      : [`add a node pool of ${shape.name}; its cloud labels the nodes`]),
    "kubectl get nodes --show-labels",
    ...(isOwn ? [] : [`nodes of another kind: change shape or labels under pools.${name}`]),
  );
}

/** Undefined when pods can get the planned GPUs. */
function gpusOf(nodes: readonly NodeFact[], { pool: { shape, name, sharing } }: PoolNeed): Verdict | undefined {
  const { gpu } = shape;
  if (!gpu) {
    return undefined;
  }
  const offered = nodes.map((node) => ({ node, gpus: quantity(node.allocatable[gpu.resource] ?? "0") ?? 0 }));
  const without = offered.filter(({ gpus }) => gpus === 0).map(({ node }) => node);
  if (without.length > 0 && sharing) {
    return failed(`no ${gpu.resource} on ${named(without)}`, ...partingOf(sharing, without[0]?.name ?? "<node>"));
  }
  if (without.length > 0) {
    return failed(
      `no ${gpu.resource} on ${named(without)}`,
      `install the driver and its device plugin on them (${gpu.vendor === "nvidia" ? "the NVIDIA GPU Operator or device plugin" : "the AMD GPU Operator or device plugin"}; OKE and EKS have add-ons)`,
      `kubectl describe node ${without[0]?.name}, and the device plugin's log, say why`,
    );
  }
  const fewer = offered.filter(({ gpus }) => gpus < gpu.count);
  if (fewer.length > 0) {
    return failed(
      `${fewer[0]?.gpus} of ${gpu.count} ${partWord(gpu.slice, gpu.count)} on ${named(fewer.map(({ node }) => node))}`,
      "a GPU may have failed, or the device plugin may have started before the driver: nvidia-smi or amd-smi on the node, then restart the plugin",
      `a smaller machine: change shape under pools.${name}`,
    );
  }
  const more = offered.filter(({ gpus }) => gpus > gpu.count);
  return more.length === 0
    ? undefined
    : warning(
        `${more[0]?.gpus} ${partWord(gpu.slice, 2)} on ${named(more.map(({ node }) => node))}, where the plan counts on ${gpu.count}`,
        `plan with what is there: change shape or node.gpus under pools.${name}; where GPUs are shared in time, one of them is less than a GPU`,
      );
}

/** How to make a node offer the planned GPU slices. */
function partingOf(sharing: GpuSharing, node: string): string[] {
  const labels = Object.entries(sharingLabels(sharing)).map(([key, value]) => `${key}=${value}`);
  const who =
    "mig" in sharing
      ? "the MIG manager of NVIDIA's GPU Operator, with mig.strategy mixed, parts the cards: nvidia.com/mig.config.state becomes success, on some machines after a reboot"
      : "the device plugin's configuration manager follows it; its configuration of that name has timeSlicing with renameByDefault: true";
  return [
    `part their cards, once no pod uses them: kubectl label node ${node} --overwrite ${labels.join(" ")}`,
    who,
    `kubectl describe node ${node} shows what it offers`,
  ];
}

/** Undefined where every pod fits a node, with its files. */
function sizeOf(nodes: readonly NodeFact[], { pool, pods }: PoolNeed): Verdict | undefined {
  const rooms = [
    { key: "cpu", what: "CPUs", of: ({ cpu }: PodNeed) => cpu, unit: 1 },
    { key: "memory", what: "GiB of memory", of: ({ memoryGiB }: PodNeed) => memoryGiB, unit: GIB },
    { key: "ephemeral-storage", what: "GiB of ephemeral storage", of: diskOf, unit: GIB },
  ];
  for (const { key, what, of, unit } of rooms) {
    const offered = nodes.flatMap((node) => {
      const amount = quantity(node.allocatable[key] ?? "");
      return amount === undefined ? [] : [{ node, amount: amount / unit }];
    });
    const most = Math.max(0, ...offered.map(({ amount }) => amount));
    const largest = [...pods].sort((a, b) => of(b) - of(a))[0];
    if (largest && offered.length > 0 && of(largest) > most) {
      return failed(
        `at most ${round(most)} ${what} on a node, and ${largest.model} asks for ${round(of(largest))}`,
        ...remediesFor(key, pool.name),
      );
    }
  }
  const disk = sum(nodes.map((node) => (quantity(node.allocatable["ephemeral-storage"] ?? "") ?? 0) / GIB));
  const asked = sum(pods.map((pod) => diskOf(pod) * pod.count));
  return asked > disk && disk > 0
    ? failed(
        `${round(disk)} GiB of ephemeral storage on ${nodes.length} nodes, and the pods of its models ask for ${round(asked)}`,
        ...remediesFor("ephemeral-storage", pool.name),
      )
    : undefined;
}

function remediesFor(key: string, pool: string): string[] {
  return key === "ephemeral-storage"
    ? [
        "weights are copied to the node's disk: make its boot volume larger and its file system with it, or put the kubelet's folder on a larger disk",
        `where the cluster is made here: bootVolumeGiB under pools.${pool}`,
      ]
    : [`a larger machine, or fewer reserved by others: change shape or node under pools.${pool}`];
}

function diskOf({ ephemeralStorageGiB }: PodNeed): number {
  return ephemeralStorageGiB;
}

function isUp({ ready, unschedulable }: NodeFact): boolean {
  return ready && !unschedulable;
}

function named(nodes: readonly NodeFact[]): string {
  return someOf(nodes.map(({ name }) => name));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function round(amount: number): number {
  return Math.round(amount * 10) / 10;
}
