import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../../../../kubernetes/object";
import type { ApiClient } from "../../../../rehearsal/cluster/api-client";
import { type Machine, nodeOf, ROOT_VOLUME_GIB } from "./aws-machines";
import type { CloudNodes, NodeTemplate } from "./cloud/nodes";
import type { CloudStore } from "./cloud/store";
import {
  findsNoRoom,
  mayGoOn,
  type NodeClass,
  type NodePool,
  type Pod,
  quantityOf,
  requestsOf,
  type SelectorTerm,
} from "./karpenter/objects";

/** Type of Karpenter's machines in the store: no program makes one. */
export const KARPENTER_MACHINE = "machine of Karpenter";
/** By which Karpenter holds an EC2NodeClass until no machine is of it. */
const FINALIZER = "karpenter.k8s.aws/termination";
const SUBNET = "aws:ec2/subnet:Subnet";
const TAG = "aws:ec2/tag:Tag";
const GROUP = "aws:ec2/securityGroup:SecurityGroup";
const ROLE = "aws:iam/role:Role";
const ENTRY = "aws:eks/accessEntry:AccessEntry";
/** How often a pod gets a node that another pod may take. */
const ATTEMPTS = 3;
/** How long a pod may take to its node, in milliseconds. */
const PLACED_WITHIN = 15_000;

/**
 * Plays Karpenter for as long as the cluster's API server answers: nodes for pods that find no room, by NodePools and their
 * EC2NodeClasses; with a NodePool its nodes go, drained; an EC2NodeClass waits for them. Nothing of it happens while Karpenter's
 * release is not there. What Karpenter itself decides is tried with the real one: this is its part in the order of events. It
 * makes one node at a time, moves no pod, and takes no idle node away.
 */
export class PlayedKarpenter {
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly client: ApiClient,
    private readonly nodes: CloudNodes,
    private readonly store: CloudStore,
    /** Whether its release is installed. */
    private readonly isThere: () => Promise<boolean>,
  ) {}

  async play(): Promise<void> {
    for (;;) {
      // The kinds come with the release; the API server may be stopped.
      await this.look().catch(() => undefined);
      await sleep(200);
    }
  }

  private async look(): Promise<void> {
    if (!(await this.isThere())) {
      return;
    }
    const pools = (await this.client.list("karpenter.sh/v1", "NodePool")) as unknown as NodePool[];
    const classes = (await this.client.list("karpenter.k8s.aws/v1", "EC2NodeClass")) as unknown as NodeClass[];
    for (const nodeClass of classes.filter(({ metadata }) => !metadata.deletionTimestamp && !metadata.finalizers)) {
      await this.client.patch(nodeClass, { metadata: { finalizers: [FINALIZER] } });
    }
    await this.takeAway(pools);
    await this.release(classes);
    for (const pod of ((await this.client.list("v1", "Pod")) as unknown as Pod[]).filter(findsNoRoom)) {
      await this.makeRoom(pod, pools, classes);
    }
  }

  /** Drains and ends the machines of NodePools that are no more. */
  private async takeAway(pools: readonly NodePool[]): Promise<void> {
    const kept = new Set(
      pools.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name),
    );
    const machines = this.store.of(KARPENTER_MACHINE).filter(({ inputs }) => !kept.has(String(inputs.nodePool)));
    for (const { id } of machines) {
      await this.nodes.remove(await this.nodes.of(id), { graceMs: 10_000, force: true });
      this.store.remove(id, KARPENTER_MACHINE);
      this.store.record({ event: "deleted", subject: KARPENTER_MACHINE, id });
    }
  }

  /** Lets go of classes that nobody wants and no machine is of. */
  private async release(classes: readonly NodeClass[]): Promise<void> {
    const used = new Set(this.store.of(KARPENTER_MACHINE).map(({ inputs }) => inputs.nodeClass));
    for (const nodeClass of classes) {
      const { name, deletionTimestamp } = nodeClass.metadata;
      if (deletionTimestamp !== undefined && !used.has(name)) {
        await this.client.patch(nodeClass, { metadata: { finalizers: [] } });
        this.store.record({ event: "deleted", subject: "EC2NodeClass", name });
      }
    }
  }

  private async makeRoom(pod: Pod, pools: readonly NodePool[], classes: readonly NodeClass[]): Promise<void> {
    const uid = String(pod.metadata.uid);
    const attempt = (this.attempts.get(uid) ?? 0) + 1;
    const still = (await this.client.get(pod)) as Pod | undefined;
    if (attempt > ATTEMPTS || still === undefined || !findsNoRoom(still)) {
      return;
    }
    for (const pool of pools.toSorted((a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0))) {
      const { name } = pool.spec.template.spec.nodeClassRef;
      const nodeClass = classes.find(({ metadata }) => metadata.name === name && !metadata.deletionTimestamp);
      const machine = nodeClass && this.machineFor(pool, nodeClass);
      const node = machine && nodeOf(machine);
      if (nodeClass && node && fits(pod, pool, node) && (await this.isWithinLimits(pool, node))) {
        this.attempts.set(uid, attempt);
        await this.launch(pool, nodeClass, node);
        await this.placed(pod);
        return;
      }
    }
  }

  /**
   * The scheduler looks again: only then is it known who still finds no room. Where another pod took the node, it is not said; so there is
   * a limit, which a busy machine must not reach, or one pod gets two nodes.
   */
  private async placed(pod: Pod): Promise<void> {
    const until = Date.now() + PLACED_WITHIN;
    for (;;) {
      await sleep(200);
      const still = (await this.client.get(pod)) as Pod | undefined;
      if (still === undefined || !findsNoRoom(still) || Date.now() >= until) {
        return;
      }
    }
  }

  private async launch(pool: NodePool, nodeClass: NodeClass, node: NodeTemplate): Promise<void> {
    const subnetId = this.subnetOf(nodeClass, pool)?.id;
    const nodePool = pool.metadata.name;
    const id = `${nodePool}-${this.store.of(KARPENTER_MACHINE).length}-${Date.now()}`;
    const inputs = { nodePool, nodeClass: nodeClass.metadata.name, subnetId, role: nodeClass.spec.role };
    this.store.put({ id, type: KARPENTER_MACHINE, inputs, outputs: {}, ready: true });
    this.store.record({ event: "created", subject: KARPENTER_MACHINE, id, name: nodePool });
    await this.nodes.add(id, node, 1);
  }

  /** Undefined where AWS would start none: no subnet or group has the tags, or the role's nodes are not let in. */
  private machineFor(pool: NodePool, nodeClass: NodeClass): Machine | undefined {
    const { template } = pool.spec;
    const { role, blockDeviceMappings, instanceStorePolicy, networkInterfaces = [], userData = "" } = nodeClass.spec;
    const subnet = this.subnetOf(nodeClass, pool);
    if (subnet === undefined || !this.hasGroup(nodeClass) || !this.mayJoin(role)) {
      return undefined;
    }
    const values = (key: string) => template.spec.requirements.find((each) => each.key === key)?.values ?? [];
    const capacityTypes = values("karpenter.sh/capacity-type");
    return {
      shape: values("node.kubernetes.io/instance-type")[0] ?? "",
      zone: String(subnet.inputs.availabilityZone),
      labels: {
        ...template.metadata?.labels,
        "karpenter.sh/nodepool": pool.metadata.name,
        "karpenter.sh/capacity-type": capacityTypes.includes("spot") ? "spot" : "on-demand",
      },
      taints: [...(template.spec.taints ?? []), ...(template.spec.startupTaints ?? [])],
      userData,
      bootVolumeGiB: Number.parseInt(blockDeviceMappings?.[0]?.ebs?.volumeSize ?? String(ROOT_VOLUME_GIB), 10),
      localDisks: instanceStorePolicy === "RAID0",
      efa: networkInterfaces.some(({ interfaceType }) => interfaceType?.startsWith("efa")),
      madeWith: nodeClass.spec.amiSelectorTerms.map(({ alias }) => alias).join(" "),
    };
  }

  private subnetOf({ spec }: NodeClass, pool: NodePool) {
    const zones = pool.spec.template.spec.requirements.find(({ key }) => key === "topology.kubernetes.io/zone")?.values;
    return this.store
      .of(SUBNET)
      .filter(({ inputs }) => zones?.includes(String(inputs.availabilityZone)) ?? true)
      .find(({ inputs }) => isMeant(spec.subnetSelectorTerms, (inputs.tags ?? {}) as Readonly<Record<string, string>>));
  }

  private hasGroup({ spec }: NodeClass): boolean {
    const tags = [
      ...this.store.of(GROUP).map(({ inputs }) => (inputs.tags ?? {}) as Readonly<Record<string, string>>),
      ...this.store.of(TAG).map(({ inputs }) => ({ [String(inputs.key)]: String(inputs.value) })),
    ];
    return tags.some((each) => isMeant(spec.securityGroupSelectorTerms, each));
  }

  private mayJoin(role: string): boolean {
    const arn = this.store.get(role, ROLE)?.outputs.arn;
    return this.store.of(ENTRY).some(({ inputs }) => inputs.principalArn === arn && inputs.type === "EC2_LINUX");
  }

  private async isWithinLimits({ metadata, spec: { limits = {} } }: NodePool, node: NodeTemplate): Promise<boolean> {
    const all = await this.client.list("v1", "Node");
    const ours = all.filter(({ metadata: { labels } }) => labels?.["karpenter.sh/nodepool"] === metadata.name);
    return Object.entries(limits).every(([resource, limit]) => {
      const used = [...ours.map(capacityOf), node.capacity].map((capacity) => quantityOf(capacity[resource] ?? 0));
      return used.reduce((sum, each) => sum + each, 0) <= quantityOf(limit);
    });
  }
}

function isMeant(terms: readonly SelectorTerm[], tags: Readonly<Record<string, string>>): boolean {
  return terms.some(({ tags: wanted = {} }) => Object.entries(wanted).every(([key, value]) => tags[key] === value));
}

function capacityOf({ status }: KubernetesObject): Readonly<Record<string, string>> {
  return (status as { readonly capacity?: Readonly<Record<string, string>> } | undefined)?.capacity ?? {};
}

/** Whether a pod goes on a node of the pool that is empty. What nodes have at first alone keeps no pod from them for long. */
function fits(pod: Pod, { spec: { template } }: NodePool, node: NodeTemplate): boolean {
  const labels = { ...node.labels, "kubernetes.io/os": "linux" };
  return (
    mayGoOn(pod, labels, template.spec.taints ?? []) &&
    Object.entries(requestsOf(pod)).every(([key, amount]) => amount <= quantityOf(node.capacity[key] ?? 0))
  );
}
