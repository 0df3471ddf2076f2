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

/** How many pods run, and who decides it. */
export interface Replicas {
  readonly count: number;
  /**
   * `plan`: every deployment sets the count, and takes it back, once it is said, from whoever had it before. `runtime`: only the one that creates the controller; after that the number
   * belongs to whoever scales it (the model control API, an autoscaler, `kubectl scale`), and no deployment sets it back.
   * @default "plan"
   */
  readonly owner?: "plan" | "runtime";
}

/**
 * Options of a controller with these replicas. Where they are not the plan's, the provider leaves the field to its other manager, or
 * applies the number that runs (pulumi-kubernetes 4.34, pkg/await, handleSSAIgnoreFields).
 */
export function replicasOptions({
  owner,
}: Pick<Replicas, "owner">): Pick<pulumi.CustomResourceOptions, "ignoreChanges"> {
  return owner === "runtime" ? { ignoreChanges: ["spec.replicas"] } : {};
}

/**
 * Annotations of a controller whose number is said to be the plan's. It may have been another's before, and server-side apply refuses to
 * change what `kubectl scale` or an autoscaler has set ("conflict with "kube-controller-manager" with subresource "scale"", a real
 * API server, 2026-11-23), unless it is told to (pulumi-kubernetes 4.34, pkg/await, patchForce).
 */
export function replicasAnnotations({ owner }: Pick<Replicas, "owner">): Labels {
  return owner === "plan" ? { "pulumi.com/patchForce": "true" } : {};
}

type ClaimRetention = "Retain" | "Delete";

export interface WorkloadArgs {
  readonly namespace: pulumi.Input<string>;
  /** What it runs (`minio`, `ollama`): with `instance` it forms the selector. */
  readonly app: string;
  /** Name of the controller, Service and budget inside the namespace. */
  readonly instance: string;
  readonly labels?: Labels;
  readonly podAnnotations?: Readonly<Record<string, pulumi.Input<string>>>;
  readonly pod: HardenedPodArgs;
  readonly ports: readonly ServicePort[];
  /**
   * The Service's name resolves to the ready pods instead of one virtual address: for clients that balance
   * requests themselves, as the gateway does. @default false
   */
  readonly headless?: boolean;
  /** @default 1, by the plan */
  readonly replicas?: Replicas;
  /** How far its pods are kept apart, by the plan. @default wherever there is room, rather on other nodes */
  readonly apart?: Apart | undefined;
  /**
   * `StatefulSet` when replicas own volumes, or one volume must never have two users. `Deployment` rolls with one extra pod, unless GPUs make
   * an extra pod impossible: then `surge: false` replaces pods one by one.
   */
  readonly controller:
    | { readonly kind: "Deployment"; readonly surge?: boolean; readonly progressDeadlineSeconds?: number }
    | {
        readonly kind: "StatefulSet";
        /**
         * Claims of each replica. They cannot be changed later: another size makes a new set, with empty volumes. For
         * what must not be lost, mount a claim of its own.
         * @default none
         */
        readonly volumeClaims?: readonly kubernetes.types.input.core.v1.PersistentVolumeClaim[];
        /** What becomes of the claims when the set is deleted, and when it is scaled down. @default both are kept */
        readonly claimRetention?: { readonly whenDeleted: ClaimRetention; readonly whenScaled: ClaimRetention };
      };
  /** Options of the controller, for example `protect` for stateful sets of production. */
  readonly controllerOptions?: pulumi.CustomResourceOptions;
}

/**
 * A long-running workload of ours: service account without rights, hardened pods, Service and
 * disruption budget. Everything a pod needs to be safe comes from here, not from the caller.
 */
export class Workload {
  readonly service: kubernetes.core.v1.Service;
  readonly controller: kubernetes.apps.v1.Deployment | kubernetes.apps.v1.StatefulSet;
  /** What must be there for clients: who comes after it depends on these. */
  readonly ready: readonly pulumi.Resource[];
  /** Labels that select its pods. */
  readonly podLabels: Labels;

  private readonly name: string;
  private readonly options: pulumi.CustomResourceOptions;

  /** @param name prefix of the logical names of what it makes, all of it children of the parent that `opts` names. */
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
                // Replicas do not need one another to start.
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
    // Of a single pod it would allow every eviction.
    if (replicas > 1 || owner === "runtime") {
      new kubernetes.policy.v1.PodDisruptionBudget(
        `${this.name}-budget`,
        { metadata, spec: { ...ONE_AT_A_TIME, selector: { matchLabels } } },
        this.options,
      );
    }
  }

  /** Gives each pod of a set an address of its own (`<pod>.<instance>-pods`), also before it is ready. */
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

/** Name of the headless Service of a StatefulSet: pods are `<instance>-<ordinal>.<this>` in their namespace. */
export function headlessServiceName(instance: string): string {
  return `${instance}-pods`;
}

function rollingUpdate(surge: boolean): kubernetes.types.input.apps.v1.DeploymentStrategy {
  return surge
    ? { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    : { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
}
