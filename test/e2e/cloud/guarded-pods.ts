import type { KubernetesObject } from "../../../kubernetes/object";
import type { ApiClient } from "../../../rehearsal/cluster/api-client";
import { waitFor } from "../../../rehearsal/cluster/wait";

const REPLICAS = 3;
/** What the disruption budget asks for. */
export const LEAST = 2;

interface Pod {
  readonly metadata: { readonly deletionTimestamp?: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Pods of the real control plane that live on the nodes of a pool, and may leave one at a time. */
export class GuardedPods {
  private fewest = REPLICAS;
  private watching = true;
  private readonly watch: Promise<void>;

  private constructor(private readonly client: ApiClient) {
    this.watch = this.look();
  }

  /** Makes them, and watches from then on how many are ready. */
  static async start(client: ApiClient): Promise<GuardedPods> {
    await Promise.all(objects().map((object) => client.create(object)));
    await waitFor("the guarded pods", async () => ((await readyPods(client)).length === REPLICAS ? true : undefined));
    return new GuardedPods(client);
  }

  /**
   * Waits until all are ready again, and takes them away. The garbage collector deletes the pods after their Deployment, so whoever
   * makes the next ones before they are gone counts these, and sees them end.
   */
  async end(): Promise<{ readonly fewestReady: number; readonly nodes: ReadonlySet<string> }> {
    const pods = await waitFor("the pods that moved", async () => {
      const ready = await readyPods(this.client);
      return ready.length === REPLICAS ? ready : undefined;
    });
    this.watching = false;
    await this.watch;
    await Promise.all(objects().map((object) => this.client.delete(object)));
    await waitFor("the guarded pods to go", async () =>
      (await guardedPods(this.client)).length === 0 ? true : undefined,
    );
    return { fewestReady: this.fewest, nodes: new Set(pods.map(({ spec }) => spec.nodeName ?? "")) };
  }

  private async look(): Promise<void> {
    while (this.watching) {
      this.fewest = Math.min(this.fewest, (await readyPods(this.client)).length);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function guardedPods(client: ApiClient): Promise<Pod[]> {
  const pods = (await client.list("v1", "Pod")) as unknown as Pod[];
  return pods.filter(({ metadata }) => metadata.labels?.app === "guarded");
}

async function readyPods(client: ApiClient): Promise<Pod[]> {
  return (await guardedPods(client)).filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      status.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
  );
}

function objects(): KubernetesObject[] {
  const labels = { app: "guarded" };
  const metadata = { name: "guarded", namespace: "default" };
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        replicas: REPLICAS,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "pause", image: "registry.k8s.io/pause:3.10" }] },
        },
      },
    },
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata,
      spec: { minAvailable: LEAST, selector: { matchLabels: labels } },
    },
  ];
}
