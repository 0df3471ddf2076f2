/** Parts of a cluster's objects that checks judge. */
import { z } from "zod";

/** A fact, or why it is unknown: missing rights or an invalid answer. */
export type Asked<T> =
  | { readonly known: true; readonly value: T }
  | {
      readonly known: false;
      readonly reason: string;
      /** The user lacks the right. */
      readonly forbidden: boolean;
    };

const text = z.string();
/** Kubernetes omits empty values; some servers write null. */
const texts = z
  .record(text, text)
  .nullish()
  .transform((value) => value ?? {});
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);

const metadata = z.object({ name: text, namespace: text.optional(), labels: texts, annotations: texts });
const condition = z.object({ type: text, status: text });

export const node = z
  .object({
    metadata,
    spec: z
      .object({
        unschedulable: z.boolean().nullish(),
        taints: list(
          z.object({
            key: text,
            value: text.optional(),
            effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
          }),
        ),
      })
      .nullish(),
    status: z
      .object({
        allocatable: texts,
        conditions: list(condition),
        nodeInfo: z
          .object({
            architecture: text.nullish(),
            kubeletVersion: text.nullish(),
            kernelVersion: text.nullish(),
            containerRuntimeVersion: text.nullish(),
          })
          .nullish(),
      })
      .nullish(),
  })
  .transform(({ metadata: { name, labels, annotations }, spec, status }) => ({
    name,
    labels,
    annotations,
    unschedulable: spec?.unschedulable === true,
    taints: spec?.taints ?? [],
    /** Kubernetes quantities. */
    allocatable: status?.allocatable ?? {},
    ready: isReady(status?.conditions ?? []),
    /** Pods select by this label. */
    architecture: labels["kubernetes.io/arch"] ?? (status?.nodeInfo?.architecture || undefined),
    kubeletVersion: status?.nodeInfo?.kubeletVersion || undefined,
    /** As in `uname -r`: "6.8.0-1035-oracle". */
    kernelVersion: status?.nodeInfo?.kernelVersion || undefined,
    /** For example "containerd://2.2.4". */
    containerRuntime: status?.nodeInfo?.containerRuntimeVersion || undefined,
  }));

/** Deployment or DaemonSet. */
export const workload = z
  .object({
    metadata,
    spec: z.object({
      template: z.object({
        spec: z.object({
          containers: list(z.object({ name: text, image: text.nullish(), args: list(text), command: list(text) })),
        }),
      }),
    }),
  })
  .transform(({ metadata: { name, namespace = "default", labels, annotations }, spec }) => ({
    name,
    namespace,
    labels,
    annotations,
    containers: spec.template.spec.containers.map((container) => ({
      name: container.name,
      image: container.image ?? "",
      /** Command and arguments. */
      words: [...container.command, ...container.args],
    })),
  }));

export const pod = z
  .object({
    metadata,
    status: z.object({ conditions: list(condition), podIPs: list(z.object({ ip: z.string() })) }).nullish(),
  })
  .transform(({ metadata: { name }, status }): { name: string; ready: boolean; ips?: readonly string[] } => {
    const ips = (status?.podIPs ?? []).map(({ ip }) => ip);
    return { name, ready: isReady(status?.conditions ?? []), ...(ips.length > 0 && { ips }) };
  });

/** A pod that provides devices of a node: node and container starts. */
export const devicePod = z
  .object({
    metadata,
    spec: z.object({ nodeName: text.nullish(), containers: list(z.object({ image: text.nullish() })) }),
    status: z
      .object({
        containerStatuses: list(
          z.object({ state: z.object({ running: z.object({ startedAt: text }).nullish() }).nullish() }),
        ),
      })
      .nullish(),
  })
  .transform(({ metadata: { name, namespace = "default", labels }, spec, status }) => ({
    name,
    namespace,
    labels,
    node: spec.nodeName || undefined,
    images: spec.containers.flatMap(({ image }) => image ?? []),
    /** Milliseconds since 1970, per running container. */
    started: (status?.containerStatuses ?? []).flatMap(({ state }) => {
      const at = Date.parse(state?.running?.startedAt ?? "");
      return Number.isNaN(at) ? [] : [at];
    }),
  }));

export const storageClass = z
  .object({ metadata, provisioner: text, parameters: texts, allowVolumeExpansion: z.boolean().nullish() })
  .transform(({ metadata: { name, annotations }, provisioner, parameters, allowVolumeExpansion }) => ({
    name,
    provisioner,
    parameters,
    grows: allowVolumeExpansion === true,
    isDefault: ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"].some(
      (key) => annotations[key] === "true",
    ),
  }));

/** An aggregated API by its Service's namespace; without a Service the server's own. */
export const apiService = z
  .object({
    metadata,
    spec: z.object({ service: z.object({ namespace: text, name: text }).nullish() }),
    status: z.object({ conditions: list(condition) }).nullish(),
  })
  .transform(({ metadata: { name }, spec, status }) => ({
    name,
    service: spec.service ?? undefined,
    available: (status?.conditions ?? []).some(({ type, status: met }) => type === "Available" && met === "True"),
  }));

export const configMap = z
  .object({ metadata, data: texts })
  .transform(({ metadata: { name, namespace = "default" }, data }) => ({ name, namespace, data }));

/** A GatewayClass, with the kind of its parameters. */
export const gatewayClass = z
  .object({
    metadata,
    spec: z.object({ controllerName: text, parametersRef: z.object({ kind: text, name: text }).nullish() }),
  })
  .transform(({ metadata: { name }, spec: { controllerName, parametersRef } }) => ({
    name,
    controllerName,
    parameters: parametersRef ?? undefined,
  }));

/** Metadata of any object. */
export const named = z.object({ metadata }).transform(({ metadata: found }) => found);

export type NodeFact = Readonly<z.infer<typeof node>>;
export type WorkloadFact = Readonly<z.infer<typeof workload>>;
export type PodFact = Readonly<z.infer<typeof pod>>;
export type DevicePodFact = Readonly<z.infer<typeof devicePod>>;
export type StorageClassFact = Readonly<z.infer<typeof storageClass>>;
export type ApiServiceFact = Readonly<z.infer<typeof apiService>>;
export type ConfigMapFact = Readonly<z.infer<typeof configMap>>;
export type GatewayClassFact = Readonly<z.infer<typeof gatewayClass>>;
export type NamedFact = Readonly<z.infer<typeof named>>;

/** A right that the installer needs. */
export interface RightFact {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly allowed: boolean;
}

export interface ClusterFacts {
  readonly context: string;
  readonly server: string;
  /** For example "v1.34.1+k3s1". */
  readonly version: Asked<string>;
  readonly nodes: Asked<readonly NodeFact[]>;
  readonly daemonSets: Asked<readonly WorkloadFact[]>;
  readonly deployments: Asked<readonly WorkloadFact[]>;
  readonly statefulSets: Asked<readonly WorkloadFact[]>;
  /** Pods of kube-system with the label that NetworkPolicies choose DNS by. */
  readonly dnsPods: Asked<readonly PodFact[]>;
  /** NVIDIA's container toolkit and nv-ipam, on all nodes. */
  readonly devicePods: Asked<readonly DevicePodFact[]>;
  readonly storageClasses: Asked<readonly StorageClassFact[]>;
  readonly runtimeClasses: Asked<readonly NamedFact[]>;
  readonly apiServices: Asked<readonly ApiServiceFact[]>;
  /** Configurations of Envoy Gateways: its chart's name is the same in all releases. */
  readonly gatewayConfigs: Asked<readonly ConfigMapFact[]>;
  readonly gatewayClasses: Asked<readonly GatewayClassFact[]>;
  /** CRDs, metadata only. */
  readonly definitions: Asked<readonly NamedFact[]>;
  /** Namespaces with platform labels. */
  readonly ownNamespaces: Asked<readonly NamedFact[]>;
  readonly rights: Asked<readonly RightFact[]>;
}

function isReady(conditions: readonly z.infer<typeof condition>[]): boolean {
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
