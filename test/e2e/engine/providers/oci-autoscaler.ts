import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../../../rehearsal/cluster/api-client";
import { podState } from "../../../../rehearsal/cluster-state";
import type { NodeTemplate } from "./cloud/nodes";
import type { CloudStore } from "./cloud/store";
import { labelsOf, type OkeNodes } from "./oci-node-pool";

const ADDON = "oci:ContainerEngine/addon:Addon";
/** How soon it sees that pods find no room. */
const LOOK_EVERY_MS = 200;

/** The add-on's arguments that matter here. */
interface AddonInputs {
  readonly addonName: string;
  readonly configurations: readonly { readonly key: string; readonly value: string }[];
}

type Pod = Parameters<typeof podState>[0] & {
  readonly spec: { readonly nodeSelector?: Readonly<Record<string, string>> };
};

/**
 * Plays Oracle's add-on ClusterAutoscaler while there is one: for a pod that finds no room it adds a node to the pool that the pod
 * selects, up to the most that the add-on's `nodes` allow. It takes none away. It runs for as long as the cluster's API server answers.
 */
export async function playAutoscaler(client: ApiClient, store: CloudStore, nodes: OkeNodes): Promise<void> {
  /** Pods for which there is a node already: the scheduler may not have seen it yet. */
  const served = new Set<string>();
  for (; ; await sleep(LOOK_EVERY_MS)) {
    // The API server may be away, or a node gone: the next look is soon.
    await look(client, store, nodes, served).catch(() => undefined);
  }
}

async function look(client: ApiClient, store: CloudStore, nodes: OkeNodes, served: Set<string>): Promise<void> {
  const groups = groupsOf(store);
  const pods = groups.size === 0 ? [] : ((await client.list("v1", "Pod")) as unknown as readonly Pod[]);
  for (const pod of pods.filter((each) => podState(each).unschedulable && !served.has(podState(each).uid))) {
    const pool = store.all().find(({ id, inputs }) => groups.has(id) && isSelected(pod, labelsOf(inputs)));
    if (pool !== undefined && (await nodes.count(pool)) < (groups.get(pool.id) ?? 0)) {
      await nodes.grow(pool);
      served.add(podState(pod).uid);
    }
  }
}

/** The most nodes of each pool that the autoscaler may change, by the pool's OCID. */
function groupsOf(store: CloudStore): ReadonlyMap<string, number> {
  const addons = store.of(ADDON).map(({ inputs }) => inputs as unknown as AddonInputs);
  const settings = addons.find(({ addonName }) => addonName === "ClusterAutoscaler")?.configurations ?? [];
  const nodes = settings.find(({ key }) => key === "nodes")?.value ?? "";
  // `min:max:ocid`, and an OCID has no colon.
  const groups = nodes.split(",").flatMap((group) => (group === "" ? [] : [group.trim().split(":")]));
  return new Map(groups.map(([, most = "0", id = ""]) => [id, Number(most)]));
}

function isSelected({ spec: { nodeSelector = {} } }: Pod, labels: NodeTemplate["labels"]): boolean {
  const wanted = Object.entries(nodeSelector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
