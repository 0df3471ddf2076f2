import type { KubernetesObject } from "../../../../../kubernetes/object";

export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

interface Deletable {
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

/** As far as this game reads it: karpenter.sh/v1. */
export interface NodePool extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & Deletable;
  readonly spec: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly weight?: number;
    readonly template: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec: {
        readonly nodeClassRef: { readonly name: string };
        readonly requirements: readonly Requirement[];
        readonly taints?: readonly Taint[];
        readonly startupTaints?: readonly Taint[];
      };
    };
  };
}

/** As far as this game reads it: karpenter.k8s.aws/v1. */
export interface NodeClass extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & Deletable;
  readonly spec: {
    readonly role: string;
    readonly amiSelectorTerms: readonly { readonly alias?: string }[];
    readonly subnetSelectorTerms: readonly SelectorTerm[];
    readonly securityGroupSelectorTerms: readonly SelectorTerm[];
    readonly blockDeviceMappings?: readonly { readonly ebs?: { readonly volumeSize?: string } }[];
    readonly instanceStorePolicy?: string;
    readonly networkInterfaces?: readonly { readonly interfaceType?: string }[];
    readonly userData?: string;
  };
}

export interface SelectorTerm {
  readonly tags?: Readonly<Record<string, string>>;
}

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface Pod extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms: readonly { readonly matchExpressions?: readonly Requirement[] }[];
        };
      };
    };
    readonly containers: readonly {
      readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
    }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

/** Whether the scheduler found no node for it, and a new one could help. */
export function findsNoRoom({ metadata, spec, status }: Pod): boolean {
  return (
    spec.nodeName === undefined &&
    metadata.deletionTimestamp === undefined &&
    !metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet") &&
    (status?.conditions ?? []).some(({ type, reason }) => type === "PodScheduled" && reason === "Unschedulable")
  );
}

/** Whether a pod may go on nodes with these labels and taints. */
export function mayGoOn({ spec }: Pod, labels: Readonly<Record<string, string>>, taints: readonly Taint[]): boolean {
  const { nodeSelector = {}, tolerations = [], affinity } = spec;
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value) &&
    (terms?.some(({ matchExpressions = [] }) => matchExpressions.every((each) => holds(each, labels))) ?? true) &&
    taints
      .filter(({ effect }) => effect !== "PreferNoSchedule")
      .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)))
  );
}

function holds({ key, operator, values = [] }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[key];
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

function tolerates({ key, operator = "Equal", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  return (
    (key === undefined || key === taint.key) &&
    (operator === "Exists" || value === (taint.value ?? "")) &&
    (effect === "" || effect === taint.effect)
  );
}

/** What a pod's containers ask for, all together. */
export function requestsOf({ spec }: Pod): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {};
  for (const { resources } of spec.containers) {
    for (const [key, quantity] of Object.entries(resources?.requests ?? {})) {
      sum[key] = (sum[key] ?? 0) + quantityOf(quantity);
    }
  }
  return sum;
}

const FACTORS: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity, in its base unit. */
export function quantityOf(quantity: string | number): number {
  const { number = "0", unit = "" } = /^(?<number>[\d.]+)(?<unit>\w*)$/.exec(String(quantity))?.groups ?? {};
  return Number(number) * (FACTORS[unit] ?? 1);
}
