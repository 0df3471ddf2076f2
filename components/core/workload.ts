import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type Labels, selectorLabels, standardLabels } from "../../names/labels";
import type { Apart } from "../../planner/availability/spread";
import { ONE_AT_A_TIME } from "./disruption-budget";
import { childrenOfGone, type OptionsOfGone } from "./gone-component";
import { type HardenedPodArgs, hardenedPodSpec, spreadInZones } from "./hardened-pod";
import { named } from "./known";

export interface ServicePort {
  readonly name: string;
  readonly port: number;
}

export interface Replicas {
  readonly count: number;
  /**
   * `plan`: every deployment sets the count and takes ownership of it. `runtime`: only creation
   * sets it; then the scaler owns it (model control API, autoscaler, `kubectl scale`).
   * @default "plan"
   */
  readonly owner?: "plan" | "runtime";
}

/**
 * Controller options for these replicas. With `runtime`, the provider leaves the field to its
 * manager, or applies the current number (pulumi-kubernetes 4.34, pkg/await,
 * handleSSAIgnoreFields).
 */
export function replicasOptions({
  owner,
}: Pick<Replicas, "owner">): Pick<pulumi.CustomResourceOptions, "ignoreChanges"> {
  return owner === "runtime" ? { ignoreChanges: ["spec.replicas"] } : {};
}

/**
 * Annotations for plan-owned replicas: server-side apply conflicts with `kubectl scale` and
 * autoscalers ("conflict with "kube-controller-manager" with subresource "scale"", a real API
 * server, 2026-11-23; pulumi-kubernetes 4.34, pkg/await, patchForce).
 */
export function replicasAnnotations({ owner }: Pick<Replicas, "owner">): Labels {
  return owner === "plan" ? { "pulumi.com/patchForce": "true" } : {};
}

type ClaimRetention = "Retain" | "Delete";

export interface WorkloadArgs {
  readonly namespace: pulumi.Input<string>;
  /** Application (`minio`, `ollama`); with `instance` it forms the selector. */
  readonly app: string;
  /** Name of controller, Service and budget in the namespace. */
  readonly instance: string;
  readonly labels?: Labels;
  readonly podAnnotations?: Readonly<Record<string, pulumi.Input<string>>>;
  readonly pod: HardenedPodArgs;
  readonly ports: readonly ServicePort[];
  /**
   * The Service resolves to ready pods, for clients that balance requests, such as the gateway.
   * @default false
   */
  readonly headless?: boolean;
  /** @default 1, by the plan */
  readonly replicas?: Replicas;
  /** Separation of pods. @default spread if possible */
  readonly apart?: Apart | undefined;
  /**
   * `StatefulSet` if replicas own volumes, or a volume must never have two users. A `Deployment`
   * surges by one pod; `surge: false` replaces pods one by one, for GPUs.
   */
  readonly controller:
    | { readonly kind: "Deployment"; readonly surge?: boolean; readonly progressDeadlineSeconds?: number }
    | {
        readonly kind: "StatefulSet";
        /**
         * Claims per replica. Immutable: another size creates a new set with empty volumes. Mount a
         * separate claim for data to keep.
         * @default none
         */
        readonly volumeClaims?: readonly kubernetes.types.input.core.v1.PersistentVolumeClaim[];
        /** Claim retention on deletion and scale-down. @default both keep */
        readonly claimRetention?: { readonly whenDeleted: ClaimRetention; readonly whenScaled: ClaimRetention };
      };
  /** Controller options: `protect` for production state. */
  readonly controllerOptions?: pulumi.CustomResourceOptions;
}

/**
 * A long-running workload: service account without permissions, hardened pods, Service and
 * disruption budget.
 */
export class Workload {
  readonly service: kubernetes.core.v1.Service;
  readonly controller: kubernetes.apps.v1.Deployment | kubernetes.apps.v1.StatefulSet;
  /** Prerequisites of clients. */
  readonly ready: readonly pulumi.Resource[];
  /** Pod selector labels. */
  readonly podLabels: Labels;

  private readonly name: string;
  private readonly options: pulumi.CustomResourceOptions;

  /** @param name prefix of logical names; all children have the parent of `opts`. */
  constructor(name: string, args: WorkloadArgs, opts: OptionsOfGone = {}) {
    this.name = name;
    this.options = { ...opts, aliases: childrenOfGone("core:Workload", name, opts) };
    this.podLabels = selectorLabels(args.app, args.instance);
    const labels = standardLabels(args.app, args.instance, args.labels);
    const metadata = { name: args.instance, namespace: args.namespace, labels };
    const annotations = replicasAnnotations(args.replicas ?? {});
    const controllerMetadata = { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) };
    const matchLabels = { ...this.podLabels };
    const { count: replicas, owner = "plan" } = args.replicas ?? { count: 1 };

    const account = new kubernetes.core.v1.ServiceAccount(
      `${this.name}-account`,
      { metadata, automountServiceAccountToken: false },
      this.options,
    );
    this.service = new kubernetes.core.v1.Service(
      `${this.name}-service`,
      {
        metadata,
        spec: {
          selector: matchLabels,
          ports: args.ports.map(({ name: portName, port }) => ({ name: portName, port, targetPort: portName })),
          ...(args.headless && { clusterIP: "None" }),
        },
      },
      this.options,
    );
    const template = {
      metadata: { labels, ...(args.podAnnotations && { annotations: { ...args.podAnnotations } }) },
      spec: hardenedPodSpec({
        serviceAccountName: named(account, args.instance),
        ...spreadInZones(this.podLabels, args.apart),
        ...args.pod,
      }),
    };

    const options: pulumi.CustomResourceOptions = {
      ...this.options,
      ...args.controllerOptions,
      ...replicasOptions({ owner }),
    };
    this.controller =
      args.controller.kind === "Deployment"
        ? new kubernetes.apps.v1.Deployment(
            `${this.name}-deployment`,
            {
              metadata: controllerMetadata,
              spec: {
                replicas,
                revisionHistoryLimit: 3,
                selector: { matchLabels },
                strategy: rollingUpdate(args.controller.surge ?? true),
                progressDeadlineSeconds: args.controller.progressDeadlineSeconds ?? 600,
                template,
              },
            },
            options,
          )
        : new kubernetes.apps.v1.StatefulSet(
            `${this.name}-statefulset`,
            {
              metadata: controllerMetadata,
              spec: {
                replicas,
                revisionHistoryLimit: 3,
                // Replicas start independently.
                podManagementPolicy: "Parallel",
                serviceName: this.headlessService(metadata, matchLabels, args.ports),
                selector: { matchLabels },
                ...(args.controller.volumeClaims && {
                  persistentVolumeClaimRetentionPolicy: {
                    whenDeleted: args.controller.claimRetention?.whenDeleted ?? "Retain",
                    whenScaled: args.controller.claimRetention?.whenScaled ?? "Retain",
                  },
                  volumeClaimTemplates: [...args.controller.volumeClaims],
                }),
                template,
              },
            },
            options,
          );

    this.ready = [this.service, this.controller];
    // For a single pod the budget would have no effect.
    if (replicas > 1 || owner === "runtime") {
      new kubernetes.policy.v1.PodDisruptionBudget(
        `${this.name}-budget`,
        { metadata, spec: { ...ONE_AT_A_TIME, selector: { matchLabels } } },
        this.options,
      );
    }
  }

  /** Gives each pod of a set a DNS name (`<pod>.<instance>-pods`), even before it is ready. */
  private headlessService(
    metadata: { readonly name: string; readonly namespace: pulumi.Input<string>; readonly labels: Labels },
    selector: Labels,
    ports: readonly ServicePort[],
  ): pulumi.Output<string> {
    const service = new kubernetes.core.v1.Service(
      `${this.name}-pods`,
      {
        metadata: { ...metadata, name: headlessServiceName(metadata.name) },
        spec: {
          clusterIP: "None",
          publishNotReadyAddresses: true,
          selector: { ...selector },
          ports: ports.map(({ name, port }) => ({ name, port, targetPort: name })),
        },
      },
      this.options,
    );
    return named(service, headlessServiceName(metadata.name));
  }
}

/** Headless Service of a StatefulSet: pods are `<instance>-<ordinal>.<this>` in their namespace. */
export function headlessServiceName(instance: string): string {
  return `${instance}-pods`;
}

function rollingUpdate(surge: boolean): kubernetes.types.input.apps.v1.DeploymentStrategy {
  return surge
    ? { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    : { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
}
