/**
 * Jobs that wait for nodes and operators of cloud add-ons, which report active before their pods
 * run.
 */

import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { standardLabels } from "../../names/labels";
import { RDMA_DEVICES_NAMESPACE } from "../../names/namespaces";
import type { Cluster } from "../core/cluster";
import type { HardenedContainer } from "../core/hardened-pod";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { runToCompletion } from "../core/job";
import { named } from "../core/known";
import { PlatformComponent } from "../core/platform-component";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";

const NAME = "operators-ready";
const SETTLED = "toolkit-settled";
/** Nodes pull driver images meanwhile. */
const WAIT_SECONDS = 1800;
const READ = ["get", "list", "watch"];

/** A DaemonSet that must finish its rollout. */
export interface Rollout {
  readonly namespace: string;
  readonly daemonSet: string;
}

export interface OperatorsReadyArgs {
  readonly namespaces: readonly string[];
  readonly crds: readonly string[];
  /** Rollouts required before the operators are installed. */
  readonly rollouts: readonly Rollout[];
  /** Installs the operators. @default already installed */
  readonly install?: Cluster["rdmaOperator"];
}

type Waited = Omit<OperatorsReadyArgs, "install">;

interface Wait {
  readonly name: string;
  readonly arguments: readonly string[];
}

const TIMEOUT = `--timeout=${WAIT_SECONDS}s`;

/**
 * Containers of the first Job in sequence: the image has kubectl but no shell. Empty if no rollout
 * is required.
 */
export function settling({ rollouts }: Pick<Waited, "rollouts">): Wait[] {
  return [
    ...rollouts.map(({ namespace, daemonSet }, i) => ({
      name: `created-${i}`,
      arguments: ["wait", "--for=create", TIMEOUT, `--namespace=${namespace}`, `daemonsets/${daemonSet}`],
    })),
    ...rollouts.map(({ namespace, daemonSet }, i) => ({
      name: `settled-${i}`,
      arguments: ["rollout", "status", TIMEOUT, `--namespace=${namespace}`, `daemonset/${daemonSet}`],
    })),
  ];
}

/**
 * Containers of the second Job. Each waits for one object: with several, kubectl fails at once if
 * one is missing (tried with 1.32).
 */
export function waits({ namespaces, crds }: Pick<Waited, "namespaces" | "crds">): Wait[] {
  const definitions = crds.map((name) => `customresourcedefinitions/${name}`);
  return [
    ...[...namespaces.map((name) => `namespaces/${name}`), ...definitions].map((thing, i) => ({
      name: `created-${i}`,
      arguments: ["wait", "--for=create", TIMEOUT, thing],
    })),
    { name: "established", arguments: ["wait", "--for=condition=Established", TIMEOUT, ...definitions] },
  ];
}

/** RBAC of the Jobs: only the awaited objects, by name. */
export function rights({ namespaces, crds, rollouts }: Waited) {
  return [
    { apiGroups: [""], resources: ["namespaces"], resourceNames: [...namespaces], verbs: READ },
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      resourceNames: [...crds],
      verbs: READ,
    },
    ...(rollouts.length > 0
      ? [
          {
            apiGroups: ["apps"],
            resources: ["daemonsets"],
            resourceNames: rollouts.map(({ daemonSet }) => daemonSet),
            verbs: READ,
          },
        ]
      : []),
  ];
}

/** An isolated namespace; the cloud owns those of the operators. */
export class OperatorsReady extends PlatformComponent {
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: OperatorsReadyArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gpu:OperatorsReady", name, opts);
    const labels = standardLabels(NAME, NAME);
    // The operators' namespaces may not exist yet; a ClusterRole can name their objects beforehand.
    const role = new kubernetes.rbac.v1.ClusterRole(
      this.child("role"),
      { metadata: { name: NAME, labels }, rules: rights(args) },
      this.childOptions(),
    );
    const { namespace, bindings } = new IsolatedNamespace(
      this.child("home"),
      {
        namespace: RDMA_DEVICES_NAMESPACE,
        quota: { pods: "2", "requests.cpu": "1", "requests.memory": "1Gi" },
        accounts: [
          {
            account: NAME,
            role: named(role, NAME),
            logicalName: this.child("binding"),
            metadata: { name: NAME, labels },
          },
        ],
      },
      this.childOptions(),
    );
    const account = new kubernetes.core.v1.ServiceAccount(
      this.child("account"),
      { metadata: { name: NAME, namespace, labels }, automountServiceAccountToken: false },
      this.childOptions(),
    );
    const job = (instance: string, things: readonly Wait[], after: readonly pulumi.Resource[]) => {
      const containers = things.map(
        (wait): HardenedContainer => ({
          name: wait.name,
          image: image("kubectl"),
          command: ["/bin/kubectl"],
          args: [...wait.arguments],
          resources: burstable({ cpu: 0.05, memoryGiB: 0.0625 }, { cpu: 0.5, memoryGiB: 0.25 }),
        }),
      );
      return runToCompletion(
        this.child(instance === NAME ? "wait" : instance),
        {
          namespace,
          app: NAME,
          instance,
          pod: {
            // Models wait for it.
            priorityClassName: PRIORITY.platform.name,
            initContainers: containers.slice(0, -1),
            containers: containers.slice(-1),
            serviceAccountName: named(account, NAME),
            usesKubernetesApi: true,
          },
          deadlineSeconds: WAIT_SECONDS,
          dependsOn: [...bindings, ...after],
        },
        this.childOptions(),
      );
    };
    const settled = args.rollouts.length > 0 ? [job(SETTLED, settling(args), [])] : [];
    const installed = args.install?.(settled) ?? settled;
    this.ready = [job(NAME, waits(args), installed)];
    this.registerOutputs({});
  }
}
