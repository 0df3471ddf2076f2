/**
 * Whether the real scheduler agrees with the plan about every machine with GPUs of the catalogue: one node for each way to fill it, with
 * what plans leave to agents taken by DaemonSets. What the plan calls full must be placed whole, and nothing more.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DEVICE_ACCESS, fabricOf } from "../../../catalog/fabrics";
import type { MachineShape } from "../../../catalog/shapes";
import type { KubernetesObject } from "../../../kubernetes/object";
import { groupDevices } from "../../../planner/fabric";
import { meshAgents } from "../../../planner/mesh-reserve";
import { nodeAgents } from "../../../planner/node-agents";
import type { Capacity } from "../../../planner/packing";
import { nodeAllocatable } from "../../../planner/pod-resources";
import type { ModelRequest, PoolRequest } from "../../../planner/request";
import { parted } from "../../../planner/slices";
import type { ModelPlan, PodResources } from "../../../planner/types";
import { ControlPlane } from "../../../rehearsal/cluster/control-plane";
import { runNodes } from "../../../rehearsal/cluster/existing-parts";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import {
  fillingEngines,
  gpuMachines,
  gpuPool,
  MODES,
  type Mode,
  planOn,
  podsOf,
  sharingsOf,
  smallModel,
  startsOn,
  wholeModel,
} from "../../planner/every-shape";
import { gpuOf } from "../../planner/fixtures";

const NAMESPACE = "models";
const LIMIT_SECONDS = 120;
/** Of kube-controller-manager: what makes pods here, and takes the taint of new nodes away once they are ready. */
const CONTROLLERS = [
  "serviceaccount-controller",
  "replicaset-controller",
  "daemonset-controller",
  "node-lifecycle-controller",
];
/** Names the one node of a filling. */
const NODE_LABEL = "test/node";
/** Nodes with the same label have the same agents. */
const AGENTS_LABEL = "test/agents";

/** A full node. */
interface Filling {
  readonly name: string;
  readonly shape: MachineShape;
  readonly mode: Mode;
  readonly model: ModelPlan;
}

/**
 * A model on every GPU, machine by machine in another way, so that equal machines of several sizes see them all; and where there are several
 * GPUs one pod on all of them, of a group over nodes with all RDMA devices where its network has some. With MIG also one of its layouts.
 */
function fillings(): Filling[] {
  return gpuMachines.flatMap((shape, index): Filling[] => {
    const { count } = gpuOf(shape);
    const name = shape.name.toLowerCase().replaceAll(".", "-");
    const filled = (
      way: string,
      mode: Mode,
      model: ModelRequest,
      machine = shape,
      pool: Partial<PoolRequest> = {},
    ): Filling[] =>
      planOn(gpuPool(machine, pool), [model], mode).models.map((planned) => ({
        name: `${way}-${name}`,
        shape: machine,
        mode,
        model: planned,
      }));
    const engines = fillingEngines.filter((engine) => startsOn(shape, engine, MODES.plain));
    const turns = engines.flatMap((engine) => [
      { way: engine, mode: MODES.plain, engine },
      { way: `meshed-${engine}`, mode: MODES.most, engine },
    ]);
    // A small host may have no room for sidecars, or for the head of a Ray cluster, beside as many pods: the plan refuses that.
    const each = [...turns.slice(index % Math.max(1, turns.length)), ...turns]
      .map(({ way, mode, engine }) => filled(way, mode, smallModel(engine, count)))
      .find((found) => found.length > 0);
    const kind = fabricOf(shape.name)?.kind;
    const whole = count === 1 || !engines.includes("vllm") ? [] : filled("whole", MODES.ambient, wholeModel(shape));
    const devices = kind && groupDevices({ shape, rdmaAccess: DEVICE_ACCESS[kind] });
    const [mig] = sharingsOf(shape).filter((sharing) => "mig" in sharing);
    const slices = mig && parted(shape, mig);
    const sliced =
      slices && filled("slices", MODES.plain, smallModel("ollama", gpuOf(slices).count), slices, { sharing: mig });
    return [...(each ?? []), ...(sliced ?? []), ...whole.map((one) => withDevices(one, devices))];
  });
}

function withDevices(filling: Filling, devices: Pick<PodResources, "extended"> = {}): Filling {
  const { model } = filling;
  return { ...filling, model: { ...model, resources: { ...model.resources, ...devices } } };
}

function quantities({ cpu, memoryGiB }: Pick<Capacity, "cpu" | "memoryGiB">, round: (value: number) => number) {
  const exact = (value: number) => round(Number(value.toFixed(6)));
  return { cpu: `${exact(cpu * 1000)}m`, memory: `${exact(memoryGiB * 1024)}Mi` };
}

function agentsOf({ shape, mode }: Pick<Filling, "shape" | "mode">): Pick<Capacity, "cpu" | "memoryGiB"> {
  const [node, mesh] = [nodeAgents(shape), meshAgents(mode.mesh)];
  return { cpu: node.cpu + mesh.cpu, memoryGiB: node.memoryGiB + mesh.memoryGiB };
}

/** Of equal agents: "435m-1024Mi". */
function agentsKey(filling: Filling): string {
  const { cpu, memory } = quantities(agentsOf(filling), Math.ceil);
  return `${cpu}-${memory}`;
}

function nodeOf(filling: Filling): KubernetesObject {
  const { name, shape, model } = filling;
  const { resource, count } = gpuOf(shape);
  const fabric = fabricOf(shape.name)?.device;
  const resources = {
    ...quantities(nodeAllocatable(shape), Math.floor),
    "ephemeral-storage": "4Ti",
    pods: String(shape.maxPods ?? 110),
    [resource]: String(count),
    ...(fabric && { [fabric.resource]: String(fabric.perNode) }),
  };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { [NODE_LABEL]: name, [AGENTS_LABEL]: agentsKey(filling), "kubernetes.io/os": "linux" } },
    spec: { taints: model.tolerations.map(({ value, ...taint }) => ({ ...taint, value: value ?? "true" })) },
    status: { capacity: resources, allocatable: resources },
  };
}

function podTemplate(
  labels: Readonly<Record<string, string>>,
  spec: object,
  requests: Readonly<Record<string, string>>,
) {
  return {
    metadata: { labels },
    spec: {
      automountServiceAccountToken: false,
      ...spec,
      containers: [{ name: "main", image: "registry.example/pause:1", resources: { requests, limits: requests } }],
    },
  };
}

function agents(key: string): KubernetesObject {
  const [cpu = "", memory = ""] = key.split("-");
  const labels = { app: `agents-${key.toLowerCase()}` };
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: labels.app, namespace: NAMESPACE },
    spec: {
      selector: { matchLabels: labels },
      template: podTemplate(
        labels,
        { nodeSelector: { [AGENTS_LABEL]: key }, tolerations: [{ operator: "Exists" }] },
        { cpu, memory },
      ),
    },
  };
}

/** What the controllers of a filling's model make. */
function workloads({ name, model }: Filling): {
  readonly replicas: KubernetesObject;
  readonly companion?: KubernetesObject;
} {
  const { replica, companion } = podsOf(model);
  const spec = {
    nodeSelector: { [NODE_LABEL]: name },
    tolerations: model.tolerations.map((taint) => ({
      ...taint,
      operator: taint.value === undefined ? "Exists" : "Equal",
    })),
  };
  const set = (app: string, replicas: number, requests: Readonly<Record<string, string>>): KubernetesObject => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: app, namespace: NAMESPACE },
    spec: { replicas, selector: { matchLabels: { app } }, template: podTemplate({ app }, spec, requests) },
  });
  const { gpus, gpuResource = "", extended = {} } = model.resources;
  const devices = Object.fromEntries(Object.entries(extended).map(([key, count]) => [key, String(count)]));
  return {
    replicas: set(name, model.minReplicas, {
      ...quantities(replica, Math.ceil),
      [gpuResource]: String(gpus),
      ...devices,
    }),
    ...(companion && { companion: set(`${name}-companion`, 1, quantities(companion, Math.ceil)) }),
  };
}

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly nodeName?: string };
  readonly status: { readonly conditions?: readonly { readonly reason?: string; readonly message?: string }[] };
}

/** Looks once a second, for the answer is long, until every pod that there should be has a node, or the scheduler has said why not. */
async function settled({ client }: ControlPlane, pods: number): Promise<{ placed: Pod[]; refused: Pod[] }> {
  for (let look = 0; ; look++) {
    await sleep(1000);
    const all = (await client.list("v1", "Pod")) as unknown as readonly Pod[];
    const placed = all.filter(({ spec }) => spec.nodeName !== undefined);
    const refused = all.filter((pod) => pod.spec.nodeName === undefined && reasonOf(pod) !== undefined);
    if (all.length === pods && placed.length + refused.length === pods) {
      return { placed, refused };
    }
    if (look >= LIMIT_SECONDS) {
      throw new Error(
        `${all.length} of ${pods} pods, ${placed.length} placed and ${refused.length} refused after ${look} s`,
      );
    }
  }
}

function reasonOf({ status: { conditions = [] } }: Pod): string | undefined {
  return conditions.find(({ reason }) => reason === "Unschedulable")?.message;
}

describe("a node of every GPU machine on the real scheduler", { timeout: 240_000 }, () => {
  const all = fillings();
  const daemons = all.length;
  const wanted = all.reduce((sum, { model }) => sum + model.minReplicas + (podsOf(model).companion ? 1 : 0), 0);
  const plane = sharedBySuite(async () => {
    const started = await ControlPlane.start({ controllers: CONTROLLERS });
    await started.client.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
    await runNodes(started, all.map(nodeOf));
    return started;
  });
  const create = (objects: readonly KubernetesObject[]) =>
    Promise.all(objects.map((object) => plane().client.create(object)));

  it("is there for each machine and way to fill it", () => {
    expect(new Set(all.map(({ shape }) => shape.name)).size).toBeGreaterThan(70);
    expect(all.filter(({ model }) => model.resources.extended !== undefined).length).toBeGreaterThan(20);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });

  it("takes every pod that the plan puts on it, beside agents that come after them", async () => {
    const sets = all.map(workloads);
    await create(sets.flatMap(({ replicas, companion }) => [replicas, ...(companion ? [companion] : [])]));
    await settled(plane(), wanted);
    await create([...new Set(all.map(agentsKey))].map(agents));
    const { placed, refused } = await settled(plane(), wanted + daemons);
    expect(refused.map((pod) => `${pod.metadata.labels.app}: ${reasonOf(pod)}`)).toEqual([]);
    expect(placed).toHaveLength(wanted + daemons);
  });

  it("takes no pod more: its GPUs are all taken", async () => {
    await Promise.all(
      all.map((filling) =>
        plane().client.patch(workloads(filling).replicas, { spec: { replicas: filling.model.minReplicas + 1 } }),
      ),
    );
    const { placed, refused } = await settled(plane(), wanted + daemons + all.length);
    expect(placed).toHaveLength(wanted + daemons);
    expect(refused.map(({ metadata }) => metadata.labels.app).toSorted()).toEqual(
      all.map(({ name }) => name).toSorted(),
    );
    for (const pod of refused) {
      const filling = all.find(({ name }) => name === pod.metadata.labels.app);
      expect(reasonOf(pod)).toContain(`Insufficient ${filling?.model.resources.gpuResource}`);
    }
  });
});
