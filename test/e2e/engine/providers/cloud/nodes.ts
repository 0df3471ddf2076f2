import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../../../../kubernetes/object";
import type { ApiClient } from "../../../../../rehearsal/cluster/api-client";
import { waitFor } from "../../../../../rehearsal/cluster/wait";
import type { Taint } from "../karpenter/objects";

/** Annotation that names the node pool of a node. */
const POOL = "e2e.cloud/pool";
/** Annotation with what its machine was made with, so that a test sees which nodes are new. */
export const MADE_WITH = "e2e.cloud/made-with";

export interface NodeTemplate {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: Readonly<Record<string, string>>;
  /** Of its machine: image, shape. */
  readonly madeWith: string;
}

export interface DrainRules {
  /** How long evictions are tried. */
  readonly graceMs: number;
  /** What happens then: pods are deleted, or the drain fails. */
  readonly force: boolean;
}

interface Pod extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & {
    readonly ownerReferences?: readonly { readonly kind: string }[];
  };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly phase?: string };
}

/** Nodes of a real API server that come and go with the node pools of a cloud. KWOK plays their kubelets. */
export class CloudNodes {
  private readonly names = new Set<string>();

  constructor(
    private readonly client: ApiClient,
    private readonly onEvent: (event: "node added" | "node cordoned" | "node gone", node: string) => void,
  ) {}

  async of(pool: string): Promise<KubernetesObject[]> {
    const nodes = await this.client.list("v1", "Node");
    return nodes.filter(({ metadata }) => metadata.annotations?.[POOL] === pool);
  }

  /** Makes nodes and waits until they are ready. */
  async add(pool: string, template: NodeTemplate, count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.addOne(pool, template)));
  }

  private async addOne(pool: string, { labels, taints, capacity, madeWith }: NodeTemplate): Promise<void> {
    const name = await this.freeName();
    const node: KubernetesObject = {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        labels: { ...labels, "kubernetes.io/os": "linux", "kubernetes.io/hostname": name },
        annotations: { [POOL]: pool, [MADE_WITH]: madeWith },
      },
      spec: { taints },
      status: { capacity, allocatable: capacity },
    };
    await this.client.create(node);
    await waitFor(`node ${name} to be ready`, async () => (isReady(await this.client.get(node)) ? true : undefined));
    this.onEvent("node added", name);
  }

  /** Drains nodes as a cloud does that takes them away, all at a time: cordon, evict, and delete them once they are empty. */
  async remove(nodes: readonly KubernetesObject[], rules: DrainRules): Promise<void> {
    for (const node of nodes) {
      await this.client.patch(node, { spec: { unschedulable: true } });
      this.onEvent("node cordoned", node.metadata.name);
    }
    await Promise.all(nodes.map((node) => this.removeOne(node, rules)));
  }

  /** Takes machines away without a word to Kubernetes: their pods end with them. */
  async lose(nodes: readonly KubernetesObject[]): Promise<void> {
    await Promise.all(nodes.map((node) => this.removeOne(node, { graceMs: -1, force: true })));
  }

  private async removeOne(node: KubernetesObject, { graceMs, force }: DrainRules): Promise<void> {
    const until = Date.now() + graceMs;
    for (;;) {
      const pods = await this.podsOn(node.metadata.name);
      if (pods.length === 0) {
        break;
      }
      const isLate = Date.now() > until;
      if (isLate && !force) {
        throw new Error(`node ${node.metadata.name} has pods that nobody lets go: ${pods.map(nameOf).join(", ")}`);
      }
      await Promise.all(pods.map((pod) => (isLate ? this.client.delete(pod, 0) : this.client.evict(pod))));
      await sleep(200);
    }
    await this.client.delete(node);
    this.onEvent("node gone", node.metadata.name);
  }

  /** Pods that a drain waits for. */
  private async podsOn(node: string): Promise<Pod[]> {
    const pods = (await this.client.list("v1", "Pod")) as unknown as Pod[];
    return pods.filter(
      ({ spec, status, metadata: { ownerReferences = [] } }) =>
        spec.nodeName === node &&
        status.phase !== "Succeeded" &&
        status.phase !== "Failed" &&
        !ownerReferences.some(({ kind }) => kind === "DaemonSet"),
    );
  }

  /** Nodes have their private addresses for names. */
  private async freeName(): Promise<string> {
    const taken = new Set((await this.client.list("v1", "Node")).map(({ metadata }) => metadata.name));
    for (let last = 2; ; last++) {
      const name = `10.0.16.${last}`;
      if (!taken.has(name) && !this.names.has(name)) {
        this.names.add(name);
        return name;
      }
    }
  }
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function isReady(node: KubernetesObject | undefined): boolean {
  const { conditions = [] } = (node?.status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status }) => type === "Ready" && status === "True");
}
