import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { type HardenedPodArgs, hardenedPodSpec, spread } from "./hardened-pod";
import { type Labels, selectorLabels, standardLabels } from "./labels";
import { PlatformComponent } from "./platform-component";

export interface ServicePort {
  readonly name: string;
  readonly port: number;
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
  /** @default 1 */
  readonly replicas?: number;
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
        /**
         * What the deployment waits for: ready pods, or only that all pods are of the wanted revision. The latter is for
         * pods that a later resource makes ready: waiting for both at once is a deadlock.
         * @default "ready"
         */
        readonly awaits?: "ready" | "updated";
      };
  /**
   * Somebody else changes the number of replicas at run time, and owns that field from then on: an update that changes
   * the controller sets its own number again, instead of failing on the conflict.
   * @default false
   */
  readonly scaledAtRunTime?: boolean;
  /** Options of the controller, for example `protect` for stateful sets of production. */
  readonly controllerOptions?: pulumi.CustomResourceOptions;
}

/**
 * A long-running workload of ours: service account without rights, hardened pods, Service and
 * disruption budget. Everything a pod needs to be safe comes from here, not from the caller.
 */
export class Workload extends PlatformComponent {
  readonly service: kubernetes.core.v1.Service;
  readonly controller: kubernetes.apps.v1.Deployment | kubernetes.apps.v1.StatefulSet;
  /** Labels that select its pods. */
  readonly podLabels: Labels;

  constructor(name: string, args: WorkloadArgs, opts?: pulumi.ComponentResourceOptions) {
    super("core:Workload", name, opts);
    this.podLabels = selectorLabels(args.app, args.instance);
    const labels = standardLabels(args.app, args.instance, args.labels);
    const metadata = { name: args.instance, namespace: args.namespace, labels };
    const matchLabels = { ...this.podLabels };
    const replicas = args.replicas ?? 1;

    const account = new kubernetes.core.v1.ServiceAccount(
      this.child("account"),
      { metadata, automountServiceAccountToken: false },
      this.childOptions(),
    );
    this.service = new kubernetes.core.v1.Service(
      this.child("service"),
      {
        metadata,
        spec: {
          selector: matchLabels,
          ports: args.ports.map(({ name: portName, port }) => ({ name: portName, port, targetPort: portName })),
          ...(args.headless && { clusterIP: "None" }),
        },
      },
      this.childOptions(),
    );
    const template = {
      metadata: { labels, ...(args.podAnnotations && { annotations: { ...args.podAnnotations } }) },
      spec: hardenedPodSpec({
        serviceAccountName: account.metadata.name,
        topologySpreadConstraints: spread(this.podLabels),
        ...args.pod,
      }),
    };

    const controllerMetadata = { ...metadata, ...deploymentAnnotations(args, replicas) };
    this.controller =
      args.controller.kind === "Deployment"
        ? new kubernetes.apps.v1.Deployment(
            this.child("deployment"),
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
            this.childOptions(args.controllerOptions),
          )
        : new kubernetes.apps.v1.StatefulSet(
            this.child("statefulset"),
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
            this.childOptions(args.controllerOptions),
          );

    new kubernetes.policy.v1.PodDisruptionBudget(
      this.child("budget"),
      // maxUnavailable, not minAvailable: a single replica can still be drained off a node.
      { metadata, spec: { maxUnavailable: 1, selector: { matchLabels } } },
      this.childOptions(),
    );
    this.registerOutputs({ service: this.service.metadata.name });
  }

  /** Gives each pod of a set an address of its own (`<pod>.<instance>-pods`), also before it is ready. */
  private headlessService(
    metadata: { readonly name: string; readonly namespace: pulumi.Input<string>; readonly labels: Labels },
    selector: Labels,
    ports: readonly ServicePort[],
  ): pulumi.Output<string> {
    const service = new kubernetes.core.v1.Service(
      this.child("pods"),
      {
        metadata: { ...metadata, name: headlessServiceName(metadata.name) },
        spec: {
          clusterIP: "None",
          publishNotReadyAddresses: true,
          selector: { ...selector },
          ports: ports.map(({ name, port }) => ({ name, port, targetPort: name })),
        },
      },
      this.childOptions(),
    );
    return service.metadata.name;
  }
}

/** Name of the headless Service of a StatefulSet: pods are `<instance>-<ordinal>.<this>` in their namespace. */
export function headlessServiceName(instance: string): string {
  return `${instance}-pods`;
}

const WAIT_FOR = "pulumi.com/waitFor";
const UPDATED_REPLICAS = "jsonpath={.status.updatedReplicas}=";

/** Whether these annotations of a controller say that what depends on it makes its pods ready (`awaits: "updated"`). */
export function isMadeReadyLater(annotations: Readonly<Record<string, unknown>>): boolean {
  const awaited = annotations[WAIT_FOR];
  return typeof awaited === "string" && awaited.startsWith(UPDATED_REPLICAS);
}

/** What the deployment waits for, and how it treats a conflict over a field; none for the usual. */
function deploymentAnnotations({ controller, scaledAtRunTime = false }: WorkloadArgs, replicas: number) {
  // Without replicas the status never shows the field.
  const waits = controller.kind === "StatefulSet" && controller.awaits === "updated" && replicas > 0;
  const annotations = {
    ...(waits && { [WAIT_FOR]: `${UPDATED_REPLICAS}${replicas}` }),
    ...(scaledAtRunTime && { "pulumi.com/patchForce": "true" }),
  };
  return Object.keys(annotations).length > 0 ? { annotations } : {};
}

function rollingUpdate(surge: boolean): kubernetes.types.input.apps.v1.DeploymentStrategy {
  return surge
    ? { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    : { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };
}
