import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../../../rehearsal/cluster/api-client";
import type { CloudStore } from "./cloud/store";
import { findsNoRoom, mayGoOn, type Pod } from "./karpenter/objects";
import { joinedNodeOf, type OkeNodes } from "./oci-node-pool";

const ADDON = "oci:ContainerEngine/addon:Addon";
/** How often it looks for unschedulable pods. */
const LOOK_EVERY_MS = 200;

/** The add-on's arguments that matter here. */
interface AddonInputs {
  readonly addonName: string;
  readonly configurations: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Simulates Oracle's add-on ClusterAutoscaler while it is installed: it adds a node to a pool whose nodes an unschedulable pod may go on,
 * up to the maximum of the add-on's `nodes`, and removes none. It runs for as long as the cluster's API server answers.
 */
export async function playAutoscaler(client: ApiClient, store: CloudStore, nodes: OkeNodes): Promise<void> {
  /** UIDs of pods for which there is a node already: the scheduler may not have seen it yet. */
  const served = new Set<string>();
  for (; ; await sleep(LOOK_EVERY_MS)) {
    // The API server may be away, or a node gone: the next look is soon.
    await look(client, store, nodes, served).catch(() => undefined);
  }
}

async function look(client: ApiClient, store: CloudStore, nodes: OkeNodes, served: Set<string>): Promise<void> {
  const maxima = maximaOf(store);
  const pods = maxima.size === 0 ? [] : ((await client.list("v1", "Pod")) as unknown as readonly Pod[]);
  const pools = store.all().filter(({ id }) => maxima.has(id));
  for (const pod of pods.filter((each) => findsNoRoom(each) && !served.has(each.metadata.uid ?? ""))) {
    const pool = pools.find(({ inputs }) => {
      const { labels, taints } = joinedNodeOf(inputs);
      return mayGoOn(pod, labels, taints);
    });
    if (pool !== undefined && (await nodes.grow(pool, maxima.get(pool.id) ?? 0))) {
      served.add(pod.metadata.uid ?? "");
    }
  }
}

/** The most nodes of each pool that the autoscaler may change, by the pool's OCID. */
function maximaOf(store: CloudStore): ReadonlyMap<string, number> {
  const addons = store.of(ADDON).map(({ inputs }) => inputs as unknown as AddonInputs);
  const settings = addons.find(({ addonName }) => addonName === "ClusterAutoscaler")?.configurations ?? [];
  const nodes = settings.find(({ key }) => key === "nodes")?.value ?? "";
  // `min:max:ocid`, and an OCID has no colon.
  const groups = nodes.split(",").flatMap((group) => (group === "" ? [] : [group.trim().split(":")]));
  return new Map(groups.map(([, most = "0", id = ""]) => [id, Number(most)]));
}
