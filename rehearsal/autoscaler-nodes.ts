import { groupOf, type KubernetesObject } from "../kubernetes/object";
import { isChartType } from "../kubernetes/resource-types";
import type { RecordedResource } from "../offline/run";
import { MACHINE_LABEL, POOL_LABEL } from "../planner/pool-labels";
import { CAPACITY_TYPES, type CapacityType } from "./cluster/instance-types";

const NODE_POOL_LABEL = "karpenter.sh/nodepool";
const CAPACITY_LABEL = "karpenter.sh/capacity-type";
const ZONE_LABEL = "topology.kubernetes.io/zone";
const CHART = "karpenter";
/** API groups of NodePools in any cloud, and of the simulated cloud. */
export const KARPENTER_GROUP = "karpenter.sh";
export const SIMULATED_GROUP = "karpenter.kwok.sh";
const SIMULATED_CLASS = { group: SIMULATED_GROUP, kind: "KWOKNodeClass" } as const;

export interface NodePool extends KubernetesObject {
  readonly spec: {
    readonly disruption?: object;
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly nodeClassRef: { readonly group: string; readonly kind: string; readonly name: string };
        readonly requirements: readonly { readonly key: string; readonly values?: readonly string[] }[];
      };
    };
  };
}

export function nodePoolsOf(objects: readonly KubernetesObject[]): NodePool[] {
  return objects.filter(isNodePool);
}

function isNodePool(object: KubernetesObject): object is NodePool {
  return object.kind === "NodePool" && groupOf(object.apiVersion) === KARPENTER_GROUP;
}

/** Pool of the plan that it provides nodes for. */
export function planPoolOf({ metadata, spec }: NodePool): string {
  return spec.template.metadata?.labels?.[POOL_LABEL] ?? metadata.name;
}

export function zonesOf(pools: readonly NodePool[]): string[] {
  const named = pools.flatMap(({ spec }) =>
    spec.template.spec.requirements.filter(({ key }) => key === ZONE_LABEL).flatMap(({ values = [] }) => values),
  );
  return [...new Set(named)];
}

/**
 * Objects adapted to Karpenter's simulated cloud: NodePools reference its node class. AWS's classes
 * remain, for the API server's validation.
 */
export function onSimulatedCloud(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const classes = new Set(nodePoolsOf(objects).map(({ spec }) => spec.template.spec.nodeClassRef.name));
  return [
    ...[...classes].map((name) => ({
      apiVersion: `${SIMULATED_CLASS.group}/v1alpha1`,
      kind: SIMULATED_CLASS.kind,
      metadata: { name },
      spec: {},
    })),
    ...objects.map((object) => (isNodePool(object) ? withSimulatedClass(object) : object)),
  ];
}

function withSimulatedClass(pool: NodePool): NodePool {
  const { template } = pool.spec;
  const nodeClassRef = { ...template.spec.nodeClassRef, ...SIMULATED_CLASS };
  return { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, nodeClassRef } } } };
}

/** Node created by Karpenter. */
export interface MadeNode {
  readonly name: string;
  readonly nodePool: string;
  readonly shape: string;
  readonly capacityType: CapacityType;
  readonly zone: string;
}

export function madeNodes(nodes: readonly KubernetesObject[]): MadeNode[] {
  return nodes.flatMap(({ metadata: { name, labels = {} } }) => {
    const nodePool = labels[NODE_POOL_LABEL];
    return nodePool === undefined
      ? []
      : {
          name,
          nodePool,
          shape: labels[MACHINE_LABEL] ?? "",
          capacityType: CAPACITY_TYPES.find((type) => type === labels[CAPACITY_LABEL]) ?? "on-demand",
          zone: labels[ZONE_LABEL] ?? "",
        };
  });
}

interface Event extends KubernetesObject {
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string };
  readonly involvedObject?: { readonly kind?: string; readonly uid?: string };
}

/** Karpenter's latest reason for creating no node, by pod uid. */
export function refusedPods(events: readonly KubernetesObject[]): ReadonlyMap<string, string> {
  return new Map(
    (events as readonly Event[])
      .filter(({ reason, source }) => reason === "FailedScheduling" && source?.component === "karpenter")
      .map(({ involvedObject, message = "" }) => [involvedObject?.uid ?? "", message]),
  );
}

/** A NodePool with another instance type does not explain a pod's missing node. */
const OF_OTHER_POOLS = /^incompatible requirements, key node\.kubernetes\.io\/instance-type\b/;

/** Reasons of the NodePools suitable for a pod; all reasons if none is. */
export function shortRefusal(message: string): string {
  const reasons = message.replace(/^Failed to schedule pod, /, "").split("; ");
  const own = reasons.filter((reason) => !OF_OTHER_POOLS.test(reason));
  return (own.length > 0 ? own : reasons).join("; ");
}

/** Chart values that affect node creation, with the variables of Karpenter's program. */
const SETTINGS: Readonly<Record<string, string>> = {
  preferencePolicy: "PREFERENCE_POLICY",
  minValuesPolicy: "MIN_VALUES_POLICY",
  ignoreDRARequests: "IGNORE_DRA_REQUESTS",
};

/** Variables of Karpenter's program from an environment's release. */
export function karpenterSettings(
  resources: readonly Pick<RecordedResource, "type" | "inputs">[],
): Readonly<Record<string, string>> {
  const release = resources.find(({ type, inputs }) => isChartType(type) && chartOf(inputs) === CHART);
  const { settings = {} } = (release?.inputs.values ?? {}) as { readonly settings?: Readonly<Record<string, unknown>> };
  return Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([value, variable]) =>
      settings[value] === undefined ? [] : [[variable, String(settings[value])]],
    ),
  );
}

/** `karpenter` of `oci://public.ecr.aws/karpenter/karpenter`. */
function chartOf({ chart }: RecordedResource["inputs"]): string | undefined {
  return typeof chart === "string" ? chart.split("/").at(-1) : undefined;
}
