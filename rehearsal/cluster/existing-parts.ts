import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "../../kubernetes/object";
import { type MeshMode, meshAgents } from "../../planner/mesh-reserve";
import { NODE_AGENTS } from "../../planner/node-agents";
import type { Capacity } from "../../planner/packing";
import { allocatable } from "../../planner/pod-resources";
import { cloudLabels } from "../../planner/pool-labels";
import type { DeploymentPlan, PoolPlan } from "../../planner/types";
import type { EnvironmentConfig } from "../../stacks/config";
import { moduleFolder, requirePart } from "../parts/find";
import type { ApiClient } from "./api-client";
import type { ControlPlane } from "./control-plane";
import { madeStorageClassesOf, storageClassesOf } from "./recorded-objects";

/** Default storage class. */
const CLASS_OF_CLUSTER = "cluster-default";
/** Provisioner of classes with static volumes. */
const NO_PROVISIONER = "kubernetes.io/no-provisioner";
const VOLUMES = 12;

/** Creates the runtime class of GPU pods, a prerequisite of the environment. */
export async function addRuntimeClass(client: ApiClient, { cluster }: EnvironmentConfig): Promise<void> {
  const name = cluster.gpuRuntimeClass;
  if (name === undefined) {
    return;
  }
  await client.create({ apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name }, handler: name });
}

/**
 * Creates the default storage class, classes named by claims, and volumes for every claim. For the
 * platform's own classes, creates only volumes, as their provisioners do not run.
 */
export async function addStorage(client: ApiClient, platform: readonly KubernetesObject[]): Promise<void> {
  const made = madeStorageClassesOf(platform);
  const classes = [CLASS_OF_CLUSTER, ...storageClassesOf(platform)];
  const objects = classes.flatMap((name): KubernetesObject[] => [
    ...(made.has(name) ? [] : [storageClass(name)]),
    ...Array.from({ length: VOLUMES }, (_, number) => ({
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `${name}-${number}` },
      spec: {
        storageClassName: name,
        capacity: { storage: "100Ti" },
        accessModes: ["ReadWriteOnce", "ReadWriteMany"],
        persistentVolumeReclaimPolicy: "Retain",
        hostPath: { path: `/volumes/${name}-${number}` },
      },
    })),
  ]);
  await Promise.all(objects.map((object) => client.create(object)));
}

function storageClass(name: string): KubernetesObject {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: {
      name,
      annotations: { "storageclass.kubernetes.io/is-default-class": String(name === CLASS_OF_CLUSTER) },
    },
    provisioner: NO_PROVISIONER,
    volumeBindingMode: "WaitForFirstConsumer",
  };
}

/**
 * Nodes of the plan's pools. Taints GPU nodes as docs/environments requires, except bare-metal
 * machines that also run the platform. Keeps taints set by clouds.
 *
 * @param count nodes of a pool.
 * @default its maximum
 * @param nameOf name of a node by index.
 * @default pool name and index
 */
export function nodesOf(
  plan: DeploymentPlan,
  count: (pool: PoolPlan) => number = mostNodes,
  nameOf: NodeNaming = numbered,
): KubernetesObject[] {
  const isShared = plan.pools.every(({ taints, shape }) => taints.length > 0 && shape.provider === "onprem");
  const pools = plan.pools.map((pool) => (isShared ? { ...pool, taints: [] } : pool));
  return pools.flatMap((pool) => {
    const own = plan.models.filter((m) => m.pool === pool.name);
    const blockSize = Math.max(1, ...own.map((m) => m.nodesPerReplica));
    const zones = Math.max(1, ...own.map(({ availability }) => availability?.apart.zones ?? 1));
    return Array.from({ length: count(pool) }, (_, index) =>
      nodeOf(pool, index, { name: nameOf(pool, index), blockSize, zones, mesh: plan.mesh }),
    );
  });
}

export type NodeNaming = (pool: Pick<PoolPlan, "name">, index: number) => string;

/** Default node names of the rehearsal. */
export const numbered: NodeNaming = ({ name }, index) => `${name}-${index}`;

function mostNodes({ maxNodes }: PoolPlan): number {
  return maxNodes;
}

/**
 * Resources of agents that are not simulated: of charts, the cloud and a mesh. Excludes Calico's,
 * which runs as a pod.
 */
function notPlayed({ provider }: Pick<PoolPlan["shape"], "provider">, mesh: MeshMode | undefined): Capacity {
  const { cpu, memoryGiB } = meshAgents(mesh);
  const played = provider === "oci" ? NODE_AGENTS.networkPolicies : { cpu: 0, memoryGiB: 0 };
  return { gpus: 0, cpu: cpu - played.cpu, memoryGiB: memoryGiB - played.memoryGiB };
}

/** Allocatable resources of a simulated node: the plan's, plus agents that run as pods. */
export function playedAllocatable(shape: PoolPlan["shape"], mesh: MeshMode | undefined): Capacity {
  return allocatable(shape, notPlayed(shape, mesh));
}

interface Around {
  readonly name: string;
  /** Nodes per RDMA network block: those of the largest replica. */
  readonly blockSize: number;
  /** Zones of the nodes: the most that replicas must spread over. 1: no zone labels. */
  readonly zones: number;
  readonly mesh: MeshMode | undefined;
}

function nodeOf(
  { name: poolName, shape, labels, taints, startupTaints, fabric }: PoolPlan,
  index: number,
  { name, blockSize, zones, mesh }: Around,
): KubernetesObject {
  const { cpu, memoryGiB, gpus } = playedAllocatable(shape, mesh);
  const resources = {
    cpu: `${Math.floor(cpu * 1000)}m`,
    memory: `${Math.floor(memoryGiB * 1024)}Mi`,
    "ephemeral-storage": "4Ti",
    pods: String(shape.maxPods ?? 110),
    ...(shape.gpu && { [shape.gpu.resource]: String(gpus) }),
    ...(fabric && fabric.access !== "host-network" && { [fabric.device.resource]: String(fabric.device.perNode) }),
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": shape.cpu.arch,
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": name,
        ...cloudLabels(shape),
        ...labels,
        ...(zones > 1 && { "topology.kubernetes.io/zone": `zone-${(index % zones) + 1}` }),
        ...(fabric?.topologyLabel !== undefined && {
          [fabric.topologyLabel]: `${poolName}-block-${Math.floor(index / blockSize)}`,
        }),
      },
    },
    spec: { taints: [...taints, ...startupTaints] },
    status: { capacity: resources, allocatable: resources },
  };
}

export interface KubeletOptions {
  /** Labels of Job pods that fail. @default none fail */
  readonly failing?: Readonly<Record<string, string>>;
  /** Leaves scheduled pods unchanged, for tests that simulate their containers. @default false */
  readonly idle?: boolean;
  /**
   * Termination time of a pod in milliseconds. At 0, controllers may miss its termination.
   * @default 0
   */
  readonly terminationMs?: number;
  /** Additional KWOK stages, one per file. */
  readonly stages?: readonly string[];
}

/**
 * Starts the scheduler, and KWOK as the kubelet of every node: pods become ready, and Job pods
 * complete.
 */
export async function runNodes(
  plane: ControlPlane,
  nodes: readonly KubernetesObject[],
  { terminationMs = 0, failing, idle = false, stages: more = [] }: KubeletOptions = {},
): Promise<void> {
  const stages = join(await moduleFolder("sigs.k8s.io/kwok"), "kustomize", "stage");
  const files = [
    "node/fast/node-initialize",
    // Without heartbeats, the node controller marks nodes as lost after 40 seconds.
    "node/heartbeat-with-lease/node-heartbeat-with-lease",
    ...(idle ? [] : ["pod/fast/pod-ready", "pod/fast/pod-complete"]),
  ];
  plane.run(requirePart("kwok"), [
    `--kubeconfig=${plane.kubeconfig}`,
    "--manage-all-nodes",
    ...files.map((file) => `--config=${join(stages, `${file}.yaml`)}`),
    `--config=${podDeletion(plane, terminationMs)}`,
    ...more.map((file) => `--config=${file}`),
    ...(failing ? [`--config=${podFailure(plane, failing)}`] : []),
  ]);
  plane.run(requirePart("kube-scheduler"), [`--config=${schedulerSettings(plane)}`, "--secure-port=0"]);
  await Promise.all(nodes.map((node) => plane.client.create(node)));
}

/**
 * Default scheduler configuration, except that unschedulable pods back off for at most 1 s, not 10.
 */
function schedulerSettings({ folder, kubeconfig }: ControlPlane): string {
  const file = join(folder, "scheduler.json");
  const settings = {
    apiVersion: "kubescheduler.config.k8s.io/v1",
    kind: "KubeSchedulerConfiguration",
    clientConnection: { kubeconfig },
    leaderElection: { leaderElect: false },
    podMaxBackoffSeconds: 1,
  };
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

/** KWOK stage that fails Job pods; its weight exceeds that of completion. */
function podFailure({ folder }: ControlPlane, labels: Readonly<Record<string, string>>): string {
  const file = join(folder, "pod-failure.json");
  const stage = {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name: "pod-failure" },
    spec: {
      resourceRef: { apiGroup: "v1", kind: "Pod" },
      selector: {
        matchLabels: labels,
        matchExpressions: [
          { key: ".metadata.deletionTimestamp", operator: "DoesNotExist" },
          { key: ".status.phase", operator: "In", values: ["Pending", "Running"] },
          { key: ".metadata.ownerReferences.[].kind", operator: "In", values: ["Job"] },
        ],
      },
      weight: 100,
      next: { statusTemplate: "phase: Failed\nreason: Error\nmessage: simulated by the rehearsal" },
    },
  };
  writeFileSync(file, JSON.stringify(stage));
  return file;
}

/** KWOK stage that deletes terminating pods. */
function podDeletion({ folder }: ControlPlane, terminationMs: number): string {
  const file = join(folder, "pod-delete.json");
  const stage = {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name: "pod-delete" },
    spec: {
      resourceRef: { apiGroup: "v1", kind: "Pod" },
      selector: { matchExpressions: [{ key: ".metadata.deletionTimestamp", operator: "Exists" }] },
      delay: { durationMilliseconds: terminationMs },
      next: { delete: true },
    },
  };
  writeFileSync(file, JSON.stringify(stage));
  return file;
}
