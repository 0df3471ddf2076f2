import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { fabricOf } from "../../../../catalog/fabrics";
import { findShape, type MachineShape, sizedFlex } from "../../../../catalog/shapes";
import { localDisksGiB } from "../../../../planner/local-disks";
import { NODE_AGENTS } from "../../../../planner/node-agents";
import { allocatable } from "../../../../planner/pod-resources";
import { cloudLabels } from "../../../../planner/pool-labels";
import type { CloudNodes, DrainRules, NodeTemplate } from "./cloud/nodes";
import type { CloudResource, Properties } from "./cloud/store";
import type { Taint } from "./karpenter/objects";

/** The arguments of a node pool that decide about its nodes. */
interface NodePoolInputs {
  readonly nodeShape: string;
  readonly nodeShapeConfig?: { readonly ocpus?: number; readonly memoryInGbs?: number };
  readonly initialNodeLabels?: readonly { readonly key: string; readonly value: string }[];
  readonly nodeMetadata?: Readonly<Record<string, string>>;
  readonly nodeSourceDetails?: { readonly imageId?: string; readonly bootVolumeSizeInGbs?: string };
  readonly kubernetesVersion?: string;
  readonly nodeConfigDetails: {
    readonly size: number;
    readonly placementConfigs: readonly { readonly availabilityDomain: string }[];
    readonly nodePoolPodNetworkOptionDetails?: { readonly maxPodsPerNode?: number };
  };
  readonly nodePoolCyclingDetails?: {
    readonly isNodeCyclingEnabled?: boolean;
    readonly maximumSurge?: string;
    readonly maximumUnavailable?: string;
  };
  readonly nodeEvictionNodePoolSettings?: {
    readonly evictionGraceDuration?: string;
    readonly isForceDeleteAfterGraceDuration?: boolean;
  };
}

/** Of a pool's cloud-init: the files that it writes on a new node. */
interface CloudConfig {
  readonly write_files?: readonly { readonly content: string }[];
}

/** Arguments that an existing node keeps as they were: another value is for new nodes alone, unless the pool cycles. */
const OF_NODES = [
  "initialNodeLabels",
  "kubernetesVersion",
  "nodeMetadata",
  "nodeShape",
  "nodeShapeConfig",
  "nodeSourceDetails",
] as const;

/** GB of a boot volume whose size nobody says: 46.6 (Oracle's docs on boot volumes, 2026-11-23). */
const BOOT_VOLUME_GB = 46;
/** Part of the boot volume that pods may write to. */
const FOR_PODS = 0.85;
/** A test waits no hour for a drain: an hour's grace is this long. */
const MS_PER_HOUR_OF_GRACE = 60_000;

/** OKE's managed node pools, as nodes of the API server. */
export class OkeNodes {
  constructor(private readonly nodes: CloudNodes) {}

  async make({ id, inputs }: CloudResource): Promise<void> {
    const pool = asPool(inputs);
    await this.nodes.add(id, templateOf(pool), pool.nodeConfigDetails.size);
  }

  /** Adds a node, as an autoscaler does. @returns false where the pool has `most` already */
  async grow({ id, inputs }: CloudResource, most: number): Promise<boolean> {
    if ((await this.nodes.of(id)).length >= most) {
      return false;
    }
    await this.nodes.add(id, templateOf(asPool(inputs)), 1);
    return true;
  }

  /** In place: another size adds or takes nodes; what machines are made with reaches them by cycling alone. */
  async change({ id, inputs: old }: CloudResource, { inputs }: CloudResource): Promise<void> {
    const [before, after] = [asPool(old), asPool(inputs)];
    const differs = OF_NODES.some((key) => !isDeepStrictEqual(before[key], after[key]));
    const isCycling = differs && after.nodePoolCyclingDetails?.isNodeCyclingEnabled === true;
    const placements = [before, after].map(({ nodeConfigDetails }) => nodeConfigDetails.placementConfigs);
    if (isCycling && !isDeepStrictEqual(placements[0], placements[1])) {
      throw new Error(
        "409-Conflict, Cannot perform nodepool cycling and nodepool Placement Configuration change simultaneously",
      );
    }
    if (isCycling) {
      await this.cycle(id, after);
    }
    const present = await this.nodes.of(id);
    const missing = after.nodeConfigDetails.size - present.length;
    if (missing > 0) {
      await this.nodes.add(id, templateOf(after), missing);
    } else if (missing < 0) {
      await this.nodes.remove(present.slice(missing), drainRules(after));
    }
  }

  /** Takes all nodes away, as the deletion of a pool does. */
  async empty({ id, inputs }: CloudResource): Promise<void> {
    await this.nodes.remove(await this.nodes.of(id), drainRules(asPool(inputs)));
  }

  /** Replaces nodes a few at a time: with a surge new ones are ready before old ones are drained. */
  private async cycle(id: string, pool: NodePoolInputs): Promise<void> {
    const old = await this.nodes.of(id);
    const { maximumSurge = "1", maximumUnavailable = "0" } = pool.nodePoolCyclingDetails ?? {};
    const surge = countOf(maximumSurge, old.length);
    const step = Math.max(surge, countOf(maximumUnavailable, old.length));
    if (step === 0) {
      throw new Error("400-InvalidParameter, maximumSurge and maximumUnavailable must not both be 0");
    }
    for (let first = 0; first < old.length; first += step) {
      const leaving = old.slice(first, first + step);
      if (surge > 0) {
        await this.nodes.add(id, templateOf(pool), leaving.length);
        await this.nodes.remove(leaving, drainRules(pool));
      } else {
        await this.nodes.remove(leaving, drainRules(pool));
        await this.nodes.add(id, templateOf(pool), leaving.length);
      }
    }
  }
}

/** `templateOf` for a resource's arguments. */
export function joinedNodeOf(inputs: Properties): NodeTemplate {
  return templateOf(asPool(inputs));
}

function asPool(inputs: Properties): NodePoolInputs {
  return inputs as unknown as NodePoolInputs;
}

/** "2", or "25%" of the pool, rounded up. */
function countOf(text: string, nodes: number): number {
  return text.endsWith("%") ? Math.ceil((Number.parseInt(text, 10) / 100) * nodes) : Number(text);
}

function drainRules({ nodeEvictionNodePoolSettings }: NodePoolInputs): DrainRules {
  const { evictionGraceDuration = "PT60M", isForceDeleteAfterGraceDuration = false } =
    nodeEvictionNodePoolSettings ?? {};
  const { minutes = "60" } = /^PT(?<minutes>\d+)M$/.exec(evictionGraceDuration)?.groups ?? {};
  return { graceMs: (Number(minutes) / 60) * MS_PER_HOUR_OF_GRACE, force: isForceDeleteAfterGraceDuration };
}

/** A node of a pool, as it is when it has joined. */
export function templateOf(pool: NodePoolInputs): NodeTemplate {
  const shape = shapeOf(pool);
  const { nodeConfigDetails, nodeSourceDetails = {}, initialNodeLabels = [] } = pool;
  // Calico's agent comes as a pod: its room, which plans leave, is there.
  const { cpu: ofCalico, memoryGiB: memoryOfCalico } = NODE_AGENTS.networkPolicies;
  const { cpu, memoryGiB, gpus } = allocatable(shape, { gpus: 0, cpu: -ofCalico, memoryGiB: -memoryOfCalico });
  const bootVolumeGB = Number(nodeSourceDetails.bootVolumeSizeInGbs ?? BOOT_VOLUME_GB);
  const disksGiB = bootFiles(pool).includes("local-disks") ? localDisksGiB({ shape }) : undefined;
  // The network operator makes devices of the RDMA network's ports, once it was told of them.
  const { device } = fabricOf(shape.name) ?? {};
  return {
    labels: {
      "kubernetes.io/arch": shape.cpu.arch,
      "topology.kubernetes.io/region": "eu-frankfurt-1",
      "topology.kubernetes.io/zone": nodeConfigDetails.placementConfigs[0]?.availabilityDomain.split(":").at(-1) ?? "",
      ...cloudLabels(shape),
      ...Object.fromEntries(initialNodeLabels.map(({ key, value }) => [key, value])),
    },
    taints: taintsOf(pool, shape),
    capacity: {
      cpu: `${Math.floor(cpu * 1000)}m`,
      memory: `${Math.floor(memoryGiB * 1024)}Mi`,
      "ephemeral-storage": `${disksGiB ?? Math.floor(bootVolumeGB * FOR_PODS)}Gi`,
      pods: String(nodeConfigDetails.nodePoolPodNetworkOptionDetails?.maxPodsPerNode ?? 110),
      ...(shape.gpu && { [shape.gpu.resource]: String(gpus) }),
      ...(device && { [device.resource]: String(device.perNode) }),
    },
    madeWith: [shape.name, nodeSourceDetails.imageId ?? "newest image", pool.kubernetesVersion].join(" "),
  };
}

function shapeOf({ nodeShape, nodeShapeConfig: { ocpus, memoryInGbs } = {} }: NodePoolInputs): MachineShape {
  const shape = findShape(nodeShape);
  if (shape === undefined) {
    throw new Error(`400-InvalidParameter, Invalid nodeShape: ${nodeShape}`);
  }
  return sizedFlex(
    shape,
    ocpus === undefined || memoryInGbs === undefined ? undefined : { ocpus, memoryGB: memoryInGbs },
  );
}

/** What the pool's cloud-init writes, one file after the other. */
function bootFiles({ nodeMetadata = {} }: NodePoolInputs): string {
  const text = Buffer.from(nodeMetadata.user_data ?? "", "base64").toString("utf8");
  const { write_files = [] } = (parse(text) ?? {}) as CloudConfig;
  return write_files.map(({ content }) => content).join("\n");
}

/** What the pool's cloud-init tells the kubelet, and OKE's own taint of GPU nodes. */
function taintsOf(pool: NodePoolInputs, { gpu }: MachineShape): Taint[] {
  const files = bootFiles(pool);
  const told = /^--register-with-taints=(?<taints>\S+)$/m.exec(files)?.groups?.taints ?? "";
  const ours = told
    .split(",")
    .filter((text) => text !== "")
    .map((text) => {
      const {
        key = "",
        value,
        effect = "",
      } = /^(?<key>[^=:]+)(=(?<value>[^:]*))?:(?<effect>\w+)$/.exec(text)?.groups ?? {};
      return { key, ...(value && { value }), effect };
    });
  const isTainted = gpu !== undefined && ours.some(({ key }) => key === gpu.resource);
  const ofOke = gpu && !isTainted ? [{ key: gpu.resource, value: "present", effect: "NoSchedule" }] : [];
  return [...ours, ...ofOke];
}
