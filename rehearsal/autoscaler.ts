import { setTimeout as sleep } from "node:timers/promises";
import { groupOf, type KubernetesObject } from "../kubernetes/object";
import type { EnvironmentRun } from "../offline/environment";
import { eksPools } from "../stacks/eks-pools";
import { autoscalerFact, isInitialized } from "./autoscaler-facts";
import {
  KARPENTER_GROUP,
  karpenterSettings,
  madeNodes,
  type NodePool,
  nodePoolsOf,
  onSimulatedCloud,
  planPoolOf,
  refusedPods,
  SIMULATED_GROUP,
  shortRefusal,
} from "./autoscaler-nodes";
import { applyPlatform, prepareCluster } from "./bring-up";
import { ControlPlane } from "./cluster/control-plane";
import type { InstanceType, Offer } from "./cluster/instance-types";
import { Karpenter, nodeCapacityStage } from "./cluster/karpenter";
import { recordedObjects } from "./cluster/recorded-objects";
import type { ClusterState } from "./cluster-state";
import { gateJobsOf, PlayedGates } from "./fabric-gate";
import { builtInGroups, platformFacts } from "./platform-facts";
import { type NodeCounts, type PoolNode, startNodes } from "./pool-nodes";
import { isAllReady } from "./readiness";
import { assess } from "./report/assess";
import { shortReason } from "./report/reasons";
import type { RehearsalFacts, RehearsalReport } from "./report/schema";
import { LOOK_EVERY_MS, settle } from "./settle";
import { simulatedMachines } from "./simulated-machines";
import type { Stopwatch } from "./stopwatch";
import { podRefusals } from "./workload-facts";
import { type Workload, workloadsOf } from "./workloads";

/** Time limit for all nodes, in seconds. */
const LIMIT_SECONDS = 180;
const INITIALIZED_SECONDS = 30;

/**
 * Local control plane with an environment's platform, where the real Karpenter creates its nodes.
 */
export class AutoscaledRehearsal {
  /** Nodes of managed node groups, present from the start. */
  private readonly nodes: readonly PoolNode[];
  private readonly objects: readonly KubernetesObject[];
  private readonly workloads: readonly Workload[];
  private autoscaler: Karpenter | undefined;
  private applied: RehearsalFacts["objects"] = { applied: 0, refused: [] };
  private appliedAt = 0;

  private constructor(
    readonly run: EnvironmentRun,
    readonly plane: ControlPlane,
    private readonly watch: Stopwatch,
    counts: NodeCounts,
  ) {
    this.nodes = startNodes(run.plan, { ...groupNodes(run), ...counts }, []);
    this.objects = onSimulatedCloud(recordedObjects(run.recording.resources));
    this.workloads = workloadsOf(this.objects);
  }

  /**
   * Starts a control plane.
   *
   * @param counts of some node groups.
   * @default their usual number
   * @throws Error with the log of a program that failed to start.
   */
  static async start(run: EnvironmentRun, watch: Stopwatch, counts: NodeCounts = {}): Promise<AutoscaledRehearsal> {
    const plane = await watch.time("control plane", () => ControlPlane.start({ controllers: true }));
    return new AutoscaledRehearsal(run, plane, watch, counts);
  }

  get kubeconfig(): string {
    return this.plane.kubeconfig;
  }

  /** Applied NodePools. */
  get nodePools(): readonly NodePool[] {
    return nodePoolsOf(this.objects);
  }

  /** Karpenter's output so far; empty before its start. */
  get autoscalerOutput(): string {
    return this.autoscaler?.output ?? "";
  }

  async stop(): Promise<void> {
    await this.plane.stop();
  }

  /** Deploys the platform on nodes created by Karpenter. */
  async perform(): Promise<RehearsalReport> {
    const builtIn = await builtInGroups(this.plane.client);
    const gates = new PlayedGates(this.plane.client, gateJobsOf(this.objects, this.run.plan), this.run.plan);
    try {
      await this.bringUp();
      const state = await this.watch.time("nodes and pods", () => this.settled());
      const facts = await this.facts(state, builtIn);
      const findings = assess(facts);
      return {
        ...facts,
        ok: findings.every(({ severity }) => severity !== "broken"),
        findings,
        phases: this.watch.phases,
        seconds: this.watch.seconds,
      };
    } finally {
      await gates.stop();
    }
  }

  /** Restarts Karpenter with only the given offers. */
  async changeOffers(offered: (offer: Offer) => boolean): Promise<void> {
    await this.autoscaler?.restart(this.types(offered));
  }

  private async bringUp(): Promise<void> {
    const { plane, watch, objects } = this;
    const nodes = this.nodes.map(({ object }) => object);
    await watch.time("cluster", () => prepareCluster(plane, nodes, objects, undefined, [nodeCapacityStage(plane)]));
    const settings = karpenterSettings(this.run.recording.resources);
    this.autoscaler = await watch.time("Karpenter", () => Karpenter.start(plane, this.types(), settings));
    this.appliedAt = Date.now();
    this.applied = await watch.time("objects", () => applyPlatform(plane.client, objects));
  }

  private types(offered?: (offer: Offer) => boolean): InstanceType[] {
    return simulatedMachines(this.run.plan, this.nodePools, offered);
  }

  /** Waits until everything is ready, or Karpenter has given a reason for each waiting pod. */
  private async settled(): Promise<ClusterState> {
    const { client } = this.plane;
    const until = Date.now() + LIMIT_SECONDS * 1000;
    for (;;) {
      const { state, allReady } = await settle(client, this.workloads);
      if (allReady || Date.now() >= until) {
        return state;
      }
      const refused = refusedPods(await client.list("v1", "Event"));
      const waiting = state.pods.filter(({ unschedulable }) => unschedulable);
      if (waiting.length > 0 && waiting.every(({ uid }) => refused.has(uid))) {
        return this.inKarpentersWords(await this.rested(), refused);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async rested(): Promise<ClusterState> {
    return (await settle(this.plane.client, this.workloads)).state;
  }

  private inKarpentersWords(state: ClusterState, refused: ReadonlyMap<string, string>): ClusterState {
    return isAllReady(this.workloads, state)
      ? state
      : {
          ...state,
          pods: state.pods.map((pod) => {
            const said = refused.get(pod.uid);
            return pod.unschedulable && said !== undefined
              ? { ...pod, waitsFor: `${shortReason(pod.waitsFor)}; Karpenter: ${shortRefusal(said)}` }
              : pod;
          }),
        };
  }

  /**
   * Karpenter initializes a node shortly after its first pods. Pending ones remain after the
   * timeout.
   */
  private async initializedClaims(): Promise<readonly KubernetesObject[]> {
    const { client } = this.plane;
    const until = Date.now() + INITIALIZED_SECONDS * 1000;
    for (;;) {
      const claims = await client.list("karpenter.sh/v1", "NodeClaim");
      if (claims.every(isInitialized) || Date.now() >= until) {
        return claims;
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  private async facts(state: ClusterState, builtIn: ReadonlySet<string>): Promise<RehearsalFacts> {
    const { client } = this.plane;
    const { run, objects, applied, workloads } = this;
    const claims = await this.initializedClaims();
    const [nodeObjects, refusals] = await Promise.all([client.list("v1", "Node"), podRefusals(client)]);
    const autoscaler = autoscalerFact(run.plan, {
      nodePools: nodePoolsOf(objects),
      groupNodes: this.nodes,
      made: madeNodes(nodeObjects),
      claims,
      since: this.appliedAt,
    });
    const nodes = [
      ...this.nodes.map(({ pool, object }) => ({ name: object.metadata.name, pool: pool.name })),
      ...autoscaler.pools.flatMap(({ name: pool, made }) => made.map(({ name }) => ({ name, pool }))),
    ];
    return {
      ...platformFacts(run, {
        builtIn,
        objects: objects.filter(isNobodys),
        applied,
        nodes,
        workloads,
        state,
        refusals,
      }),
      drains: [],
      losses: [],
      autoscaler,
    };
  }
}

/** Whether no controller of this rehearsal handles a chart's kind. */
function isNobodys(object: KubernetesObject): boolean {
  return ![KARPENTER_GROUP, SIMULATED_GROUP].includes(groupOf(object.apiVersion));
}

/** Permanent nodes of managed node groups, by pool. */
function groupNodes({ environment, plan }: EnvironmentRun): NodeCounts {
  return Object.fromEntries(eksPools(environment.pools, plan, []).map((pool) => [pool.plan.name, pool.groupNodes]));
}

/**
 * Why an environment cannot be rehearsed with Karpenter, with the fix; undefined if it can.
 * @param counts from the user.
 */
export function autoscalerProblem(run: EnvironmentRun, counts: NodeCounts): string | undefined {
  const { environment, recording } = run;
  const own = nodePoolsOf(recordedObjects(recording.resources)).map(planPoolOf);
  if (own.length === 0) {
    const name = run.plan.environment;
    return [
      `--autoscaler karpenter: Karpenter makes no nodes for ${name}, whose cluster is ${environment.cluster.kind} with provision: ${environment.cluster.provision}.`,
      "It does in clusters created on AWS (cluster.kind: aws, provision: create), for on-demand or spot pools without a fabric gate.",
      `To create the plan's nodes, omit the option: npm run rehearse -- ${name}`,
    ].join("\n");
  }
  const groups = groupNodes(run);
  const wrong = Object.keys(counts).filter((pool) => own.includes(pool) && groups[pool] === 0);
  return wrong.length === 0
    ? undefined
    : `--nodes: with --autoscaler karpenter, Karpenter creates the nodes of ${wrong.join(", ")}: remove them`;
}
