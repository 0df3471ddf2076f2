import { findShape, type MachineShape } from "../../../catalog/shapes";
import type { Check } from "../../../cli/doctor/checks/check";
import type { Asked, ClusterFacts, NamedFact, NodeFact, WorkloadFact } from "../../../cli/doctor/facts";
import type { Needs, PoolNeed } from "../../../cli/doctor/needs";
import type { CheckResult } from "../../../cli/doctor/result";
import type { PoolPlan } from "../../../planner/types";

export function known<T>(value: T): Asked<T> {
  return { known: true, value };
}

export const FORBIDDEN = { known: false, reason: "not to be asked (a test)", forbidden: true } as const;

export function named(name: string, annotations: Readonly<Record<string, string>> = {}): NamedFact {
  return { name, labels: {}, annotations };
}

export function workload(
  image: string,
  more: Partial<WorkloadFact> & { readonly words?: readonly string[] } = {},
): WorkloadFact {
  const { words = [], ...rest } = more;
  return {
    name: "some",
    namespace: "kube-system",
    labels: {},
    annotations: {},
    containers: [{ name: "main", image, words: [...words] }],
    ...rest,
  };
}

export function node(name: string, more: Partial<NodeFact> = {}): NodeFact {
  return {
    name,
    labels: {},
    annotations: {},
    unschedulable: false,
    taints: [],
    allocatable: { cpu: "64", memory: "512Gi", "ephemeral-storage": "1Ti" },
    ready: true,
    architecture: "amd64",
    kubeletVersion: "v1.34.1",
    kernelVersion: "6.8.0-1035-oracle",
    containerRuntime: "containerd://2.2.4",
    ...more,
  };
}

/** A cluster where all is well, for an environment without pools. */
export function facts(changes: Partial<ClusterFacts> = {}): ClusterFacts {
  return {
    context: "test",
    server: "https://127.0.0.1:6443",
    version: known("v1.34.1"),
    nodes: known([node("one")]),
    daemonSets: known([workload("quay.io/calico/node:v3.30.3")]),
    deployments: known([]),
    statefulSets: known([]),
    dnsPods: known([{ name: "coredns-1", ready: true, ips: ["10.42.0.3"] }]),
    devicePods: known([]),
    storageClasses: known([
      { name: "disks", provisioner: "disks.example.com", parameters: {}, grows: true, isDefault: true },
    ]),
    runtimeClasses: known([]),
    apiServices: known([]),
    gatewayConfigs: known([]),
    gatewayClasses: known([]),
    definitions: known([]),
    ownNamespaces: known([]),
    rights: known([{ verb: "*", group: "*", resource: "*", allowed: true }]),
    ...changes,
  };
}

export const RELEASES = [
  { chart: "gateway-helm", release: "envoy-gateway", namespace: "envoy-gateway-system" },
  { chart: "cert-manager", release: "cert-manager", namespace: "cert-manager" },
] as const;

export function needs(changes: Partial<Needs> = {}): Needs {
  return {
    environment: "test",
    stage: "development",
    cluster: {
      kind: "local",
      provision: "existing",
      gpuSoftware: "present",
      gpuExporters: "platform",
      certManager: "platform",
      privateCidrs: [],
      dnsCidrs: [],
      apiServerCidrs: [],
    },
    pools: [],
    releases: RELEASES,
    present: [],
    storageClasses: [],
    needsDefaultClass: true,
    runtimeClasses: [],
    agents: [],
    awsLoadBalancer: false,
    refusals: 0,
    ...changes,
  };
}

function shape(name: string): MachineShape {
  const found = findShape(name);
  if (found === undefined) {
    throw new Error(`no shape ${name}`);
  }
  return found;
}

const A10: PoolPlan = {
  name: "a10",
  role: "gpu",
  shape: shape("VM.GPU.A10.2"),
  minNodes: 1,
  maxNodes: 2,
  usdPerNodeHour: 0,
  hourlyUsd: 0,
  monthlyUsd: 0,
  maxMonthlyUsd: 0,
  scheduledNodeHours: 0,
  hoursPerDay: 24,
  selector: { "node.kubernetes.io/instance-type": "VM.GPU.A10.2" },
  labels: {},
  taints: [
    { key: "nvidia.com/gpu", effect: "NoSchedule" },
    { key: "dedicated", value: "inference", effect: "NoSchedule" },
  ],
  startupTaints: [],
  localDisks: false,
  confidential: false,
  gpusClaimed: 1,
  gpusTotal: 2,
};

/** A pool of A10 machines with one model. */
export function a10(changes: Partial<PoolPlan> = {}, ephemeralStorageGiB = 40): PoolNeed {
  return {
    pool: { ...A10, ...changes },
    pods: [{ model: "chat", count: 1, cpu: 8, memoryGiB: 48, ephemeralStorageGiB, sharedMemoryGiB: 1, gpus: 1 }],
  };
}

/** The only result of a check. */
export function only(check: Check, found: ClusterFacts, wanted: Needs = needs()): CheckResult {
  const results = check(found, wanted);
  if (results.length !== 1 || results[0] === undefined) {
    throw new Error(`one result expected, not ${results.length}`);
  }
  return results[0];
}

/** Status, what was found, and whether something is said to mend it. */
export function gist({ status, found, remedies }: CheckResult): readonly [string, string, boolean] {
  return [status, found, remedies.length > 0];
}
