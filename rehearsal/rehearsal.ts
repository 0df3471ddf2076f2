import type { KubernetesObject } from "../kubernetes/object";
import type { EnvironmentRun } from "../offline/environment";
import { applyPlatform, prepareCluster } from "./bring-up";
import { ControlPlane } from "./cluster/control-plane";
import { recordedObjects } from "./cluster/recorded-objects";
import { readState } from "./cluster-state";
import { drainNode } from "./drain";
import { gateJobsOf, PlayedGates } from "./fabric-gate";
import { loseNode } from "./node-loss";
import { builtInGroups, platformFacts } from "./platform-facts";
import { busiestNodes, machinesOf, type NodeCounts, type PoolNode, startNodes } from "./pool-nodes";
import type { RehearsedCluster } from "./rehearsed-cluster";
import { assess } from "./report/assess";
import type { DrainFact, LossFact, RehearsalFacts, RehearsalReport } from "./report/schema";
import { settle } from "./settle";
import type { Stopwatch } from "./stopwatch";
import { podRefusals } from "./workload-facts";
import { workloadsOf } from "./workloads";

/** Local control plane with an environment's platform on its planned nodes. */
export class Rehearsal {
  private readonly machines: readonly string[];
  private readonly nodes: readonly PoolNode[];
  private readonly objects: readonly KubernetesObject[];

  private constructor(
    private readonly run: EnvironmentRun,
    private readonly plane: ControlPlane,
    private readonly watch: Stopwatch,
    nodes: NodeCounts,
    private readonly failing: Readonly<Record<string, string>> | undefined,
  ) {
    this.machines = machinesOf(run.environment);
    this.nodes = startNodes(run.plan, nodes, this.machines);
    this.objects = recordedObjects(run.recording.resources);
  }

  /**
   * Starts a control plane.
   *
   * @param nodes of some pools.
   * @default the pool's minimum, as the plan's cost assumes
   * @param failing labels of Job pods that fail.
   * @default none fail
   * @throws Error with the log of a program that failed to start.
   */
  static async start(
    run: EnvironmentRun,
    watch: Stopwatch,
    nodes: NodeCounts = {},
    failing?: Readonly<Record<string, string>>,
  ): Promise<Rehearsal> {
    const plane = await watch.time("control plane", () => ControlPlane.start({ controllers: true }));
    return new Rehearsal(run, plane, watch, nodes, failing);
  }

  get kubeconfig(): string {
    return this.plane.kubeconfig;
  }

  /** Deploys the platform, drains and removes nodes; restores the initial state. */
  async perform(): Promise<RehearsalReport> {
    const facts = await this.observe();
    const findings = assess(facts);
    return {
      ...facts,
      ok: findings.every(({ severity }) => severity !== "broken"),
      findings,
      phases: this.watch.phases,
      seconds: this.watch.seconds,
    };
  }

  async stop(): Promise<void> {
    await this.plane.stop();
  }

  private async observe(): Promise<RehearsalFacts> {
    const { client } = this.plane;
    const { plan } = this.run;
    const gates = new PlayedGates(client, gateJobsOf(this.objects, plan), plan);
    try {
      return await this.observeWithGates();
    } finally {
      await gates.stop();
    }
  }

  private async observeWithGates(): Promise<RehearsalFacts> {
    const { client } = this.plane;
    const { plan } = this.run;
    const builtIn = await builtInGroups(client);
    const nodeObjects = this.nodes.map(({ object }) => object);
    await this.watch.time("cluster", () => {
      return prepareCluster(this.plane, nodeObjects, this.objects, this.failing);
    });
    const applied = await this.watch.time("objects", () => applyPlatform(client, this.objects));
    const workloads = workloadsOf(this.objects);
    const cluster: RehearsedCluster = { client, plan, machines: this.machines, nodes: this.nodes, workloads };
    const { state, allReady } = await this.watch.time("pods", () => settle(client, workloads));
    const refusals = allReady ? [] : await podRefusals(client);

    const drains: DrainFact[] = [];
    const losses: LossFact[] = [];
    // Pods already waiting would count as effects of the drain.
    if (allReady) {
      for (const node of busiestNodes(this.nodes, state)) {
        const name = `drain ${node.object.metadata.name}`;
        drains.push(await this.watch.time(name, () => drainNode(cluster, node)));
      }
      for (const node of busiestNodes(this.nodes, await readState(client))) {
        const name = `loss of ${node.object.metadata.name}`;
        losses.push(await this.watch.time(name, () => loseNode(cluster, node)));
      }
    }
    const nodes = this.nodes.map(({ pool, object }) => ({ name: object.metadata.name, pool: pool.name }));
    return {
      ...platformFacts(this.run, { builtIn, objects: this.objects, applied, nodes, workloads, state, refusals }),
      drains,
      losses,
    };
  }
}
