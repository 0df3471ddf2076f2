/** What the real group controller does when a container of a group restarts, as its probes have it, and where a machine is lost. */
import { beforeEach, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../kubernetes/object";
import { applyPlatform, prepareCluster } from "../../rehearsal/bring-up";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { nodesOf } from "../../rehearsal/cluster/existing-parts";
import { recordedObjects } from "../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../rehearsal/cluster/wait";
import { changedRun } from "../stacks/run";
import { sharedBySuite } from "./shared-by-suite";

const NAMESPACE = "model-wide";
const HOLD = "inference-stacks.io/lost-machine";

interface Pod extends KubernetesObject {
  readonly spec: {
    readonly hostname: string;
    readonly subdomain: string;
    readonly containers: readonly { readonly env: readonly { readonly name: string; readonly value?: string }[] }[];
  };
  readonly status: { readonly phase: string; readonly containerStatuses?: readonly object[] };
}

/** Groups of two, and no more of the platform. */
async function start(groups: number, nodes: number) {
  const shape = "BM.GPU.H100.8";
  const [plane, run] = await Promise.all([
    ControlPlane.start({ controllers: true }),
    changedRun("oci-h100", {
      pools: {
        system: { shape: "VM.Standard.E5.Flex", ocpus: 8, memoryGiB: 64, minNodes: 3 },
        wide: { shape, availabilityDomains: [1], minNodes: nodes, maxNodes: nodes, dedicatedTo: ["wide"] },
      },
      models: {
        wide: {
          model: "llama-3.1-405b-instruct",
          contextTokens: 16_384,
          concurrency: 16,
          replicas: { min: groups, max: groups },
        },
      },
      budget: { monthlyUsd: 1_000_000 },
    }),
  ]);
  const objects = recordedObjects(run.resources).filter(
    ({ kind, metadata }) =>
      kind === "PriorityClass" ||
      metadata.namespace === NAMESPACE ||
      (kind === "Namespace" && metadata.name === NAMESPACE),
  );
  const pools = run.plan.pools.map((pool) => ({ ...pool, startupTaints: [] }));
  await prepareCluster(plane, nodesOf({ ...run.plan, pools }), objects);
  const { refused } = await applyPlatform(plane.client, objects);
  expect(refused).toEqual([]);
  return { plane, stop: () => plane.stop() };
}

const uid = ({ metadata }: KubernetesObject) => (metadata as { readonly uid?: string }).uid;
const leaves = ({ metadata }: KubernetesObject) =>
  (metadata as { readonly deletionTimestamp?: string }).deletionTimestamp !== undefined;
const label = ({ metadata }: KubernetesObject, name: string) =>
  metadata.labels?.[`leaderworkerset.sigs.k8s.io/${name}`];

async function podsOf({ client }: ControlPlane): Promise<readonly Pod[]> {
  const all = (await client.list("v1", "Pod")) as Pod[];
  return all.filter(({ metadata }) => metadata.namespace === NAMESPACE);
}

async function patchStatus({ client }: ControlPlane, pod: Pod, status: object): Promise<void> {
  const path = `${await client.path(pod)}/status`;
  const answer = await client.request("PATCH", path, JSON.stringify({ status }), "application/merge-patch+json");
  expect(answer.status).toBe(200);
}

/** What the kubelet reports of a pod whose container a probe has ended. */
function restart(plane: ControlPlane, pod: Pod): Promise<void> {
  const containerStatuses = pod.status.containerStatuses?.map((each) => ({ ...each, restartCount: 1 }));
  return patchStatus(plane, pod, { containerStatuses });
}

describe("a group of two", { timeout: 120_000 }, () => {
  const cluster = sharedBySuite(() => start(1, 3));
  let group: { readonly leader: Pod; readonly worker: Pod };
  beforeEach(async () => {
    group = await formed();
  });

  const pods = () => podsOf(cluster().plane);

  /** Both pods run, and neither is one of those that were. */
  function formed(...former: readonly Pod[]): Promise<{ leader: Pod; worker: Pod }> {
    return waitFor(
      "a group of pods that run",
      async () => {
        const all = await pods();
        const [leader, worker] = ["0", "1"].map((index) => all.find((pod) => label(pod, "worker-index") === index));
        const isAnew = (pod: Pod) =>
          !leaves(pod) && pod.status.phase === "Running" && !former.some((other) => uid(other) === uid(pod));
        return leader && worker && all.length === 2 && all.every(isAnew) ? { leader, worker } : undefined;
      },
      60,
    );
  }

  it("has the names by which its members ask for each other", () => {
    const { leader, worker } = group;
    const named = ({ spec }: Pod) => `${spec.hostname}.${spec.subdomain}.${NAMESPACE}`;
    const told = ({ spec }: Pod) =>
      Object.fromEntries((spec.containers[0]?.env ?? []).map(({ name, value }) => [name, value]));
    for (const [pod, index] of [
      [leader, "0"],
      [worker, "1"],
    ] as const) {
      expect(told(pod)).toMatchObject({
        LWS_LEADER_ADDRESS: named(leader),
        LWS_GROUP_SIZE: "2",
        LWS_WORKER_INDEX: index,
      });
    }
    expect(named(worker)).toBe(named(leader).replace(".", "-1."));
  });

  it.each(["leader", "worker"] as const)("is made anew when the %s's container restarts", async (role) => {
    const began = Date.now();
    await restart(cluster().plane, group[role]);
    await formed(group.leader, group.worker);
    expect(Date.now() - began).toBeLessThan(30_000);
  });

  it("is not made anew before a lost machine's pod is gone, and then at once", async () => {
    const { client } = cluster().plane;
    const { leader, worker } = group;
    // No kubelet says that the pod has ended.
    await client.patch(worker, { metadata: { finalizers: [HOLD] } });
    await restart(cluster().plane, leader);
    await waitFor("both pods to leave", async () => {
      const all = await pods();
      return all.length > 0 && all.every(leaves) ? true : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect((await pods()).map(uid)).toContain(uid(leader));
    await client.patch(worker, { metadata: { finalizers: null } });
    await formed(leader, worker);
  });
});

describe("three groups whose nodes change", { timeout: 180_000 }, () => {
  const cluster = sharedBySuite(() => start(3, 9));

  const groupOf = async (index: number) =>
    (await podsOf(cluster().plane)).filter((pod) => label(pod, "group-index") === `${index}` && !leaves(pod));
  const sizes = () => Promise.all([0, 1, 2].map(async (index) => (await groupOf(index)).length));
  const rolling = async (rollingUpdateConfiguration: object, leaderWorkerTemplate: object = {}) => {
    const { client } = cluster().plane;
    const [set] = await client.list("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet");
    await client.patch(set as KubernetesObject, {
      spec: { rolloutStrategy: { rollingUpdateConfiguration }, leaderWorkerTemplate },
    });
  };
  const become = (wanted: readonly number[]) =>
    waitFor(
      `groups of ${wanted.join(", ")}`,
      async () => (JSON.stringify(await sizes()) === JSON.stringify(wanted) ? true : undefined),
      60,
    );

  it("are not made anew before their turn, and one whose leader is evicted gets too many pods: the others wait for it", async () => {
    const { plane } = cluster();
    await become([2, 2, 2]);
    // The first group has had its turn.
    await rolling({ partition: 2 }, { size: 3 });
    await become([2, 2, 3]);
    const before = await groupOf(0);
    const [leader] = before.filter((pod) => label(pod, "worker-index") === "0");
    await restart(plane, leader as Pod);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect((await groupOf(0)).map(uid).sort()).toEqual(before.map(uid).sort());
    await plane.client.delete(leader as Pod);
    await become([3, 2, 3]);
    // Its leader waits for one worker, and has two: no such group forms.
    const [mixed] = (await groupOf(0)).filter((pod) => label(pod, "worker-index") === "0");
    expect(mixed?.spec.containers[0]?.env).toContainEqual({ name: "LWS_GROUP_SIZE", value: "2" });
    await patchStatus(plane, mixed as Pod, { conditions: [{ type: "Ready", status: "False" }] });
    await rolling({ partition: 0 });
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    expect(await sizes()).toEqual([3, 2, 3]);
  });
});
