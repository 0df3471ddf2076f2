import type { KubernetesObject } from "../../../kubernetes/object";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { Hops } from "./hops";

/** What runs the replicas of a model, as it is found in the model's namespace. */
export type Controller = "Deployment" | "LeaderWorkerSet";

const API_VERSIONS: Readonly<Record<Controller, string>> = {
  Deployment: "apps/v1",
  LeaderWorkerSet: "leaderworkerset.x-k8s.io/v1",
};

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface Pod extends KubernetesObject {
  readonly metadata: KubernetesObject["metadata"] & { readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface PodState {
  readonly node: string | undefined;
  readonly ready: boolean;
}

/** A model on a control plane: what its autoscaler wants, what it has. */
export class ScaledModelState {
  constructor(
    private readonly client: ApiClient,
    readonly model: string,
    private readonly controller: Controller,
    /** Pods of one replica. */
    private readonly podsEach = 1,
  ) {}

  private async objects(apiVersion: string, kind: string): Promise<KubernetesObject[]> {
    const all = await this.client.list(apiVersion, kind);
    return all.filter(({ metadata }) => metadata.namespace === `model-${this.model}`);
  }

  /** Replicas that the controller of HorizontalPodAutoscalers wants; undefined before it knows any of its metrics. */
  async recommended(): Promise<number | undefined> {
    const [autoscaler] = await this.objects("autoscaling/v2", "HorizontalPodAutoscaler");
    return (autoscaler?.status as { readonly desiredReplicas?: number } | undefined)?.desiredReplicas;
  }

  /** Replicas that its controller was told to have. */
  async replicas(): Promise<number | undefined> {
    const [controller] = await this.objects(API_VERSIONS[this.controller], this.controller);
    return (controller?.spec as { readonly replicas: number } | undefined)?.replicas;
  }

  /** Whether KEDA has no value for a signal, and says so. */
  async isFallingBack(): Promise<boolean> {
    const [object] = await this.objects("keda.sh/v1alpha1", "ScaledObject");
    const { conditions = [] } = (object?.status ?? {}) as { readonly conditions?: readonly Condition[] };
    return conditions.some(({ type, status }) => type === "Fallback" && status === "True");
  }

  /** Pods that nobody asked to leave. */
  async pods(): Promise<readonly PodState[]> {
    const pods = (await this.objects("v1", "Pod")) as unknown as readonly Pod[];
    return pods
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ spec, status }) => ({
        node: spec.nodeName,
        ready: status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false,
      }));
  }

  /** Waits for replicas and all of their pods, ready. */
  async reach(replicas: number, seconds = 60): Promise<void> {
    await waitFor(
      `${replicas} replicas of ${this.model}`,
      async () => {
        const pods = await this.pods();
        const isThere = pods.length === replicas * this.podsEach && pods.every(({ ready }) => ready);
        return isThere && (await this.replicas()) === replicas ? true : undefined;
      },
      seconds,
    );
  }

  /**
   * When each step between a spike and the replicas for it was seen: begins now.
   *
   * @param isRead whether Prometheus knows of the spike.
   */
  async spike(replicas: number, isRead: () => Promise<boolean>): Promise<Hops> {
    const pods = replicas * this.podsEach;
    const when = (is: boolean) => (is ? true : undefined);
    const hops = new Hops(`${this.model}, ${replicas} replicas`);
    await hops.follow({
      "Prometheus has read it": async () => when(await isRead()),
      "the HPA controller wants them": async () => when((await this.recommended()) === replicas),
      "their controller is told": async () => when((await this.replicas()) === replicas),
      "their pods have nodes": async () =>
        when((await this.pods()).filter(({ node }) => node !== undefined).length === pods),
      "their pods are ready": async () => when((await this.pods()).filter(({ ready }) => ready).length === pods),
    });
    return hops;
  }

  /** All that was wanted and told while so many seconds pass, twice a second: "wanted told". */
  async during(seconds: number): Promise<string[]> {
    const seen = new Set<string>();
    const until = Date.now() + seconds * 1000;
    while (Date.now() < until) {
      seen.add(`${await this.recommended()} ${await this.replicas()}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return [...seen];
  }
}
