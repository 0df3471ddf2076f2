/**
 * Demand that outgrows its nodes: the ScaledObject and the NodePools of aws-prod, the real Prometheus, KEDA, HPA controller and Karpenter.
 * Karpenter rents machines of its simulated cloud, which are there at once: what machines and weights take is the plan's alone to say.
 */
import { afterAll, describe, expect, it, vi } from "vitest";
import { seriesOf } from "../../../engines/metrics";
import type * as Scaling from "../../../planner/scaling";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { Hops } from "../../e2e/autoscaling/hops";
import { KarpenterNodes } from "../../e2e/autoscaling/karpenter-nodes";
import { ScaledModelState } from "../../e2e/autoscaling/scaled-model-state";
import { AutoscalingStand } from "../../e2e/autoscaling/stand";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { changedRun } from "../../stacks/run";

vi.mock("../../../planner/scaling", async (original) => {
  const { impatientPlanner } = await import("../../e2e/autoscaling/impatient");
  return impatientPlanner(await original<typeof Scaling>());
});

const MODEL = "llama-70b";
const POOL = "h100";
/** Karpenter looks for empty nodes every ten seconds, waits fifteen more before it believes itself, and then drains them. */
const IDLE_SECONDS = 120;

const [waiting = "", running = "", kvCacheUsage = ""] = (
  ["requestsWaiting", "requestsRunning", "kvCacheUsage"] as const
).map((meaning) => seriesOf(meaning)[0]);

async function start() {
  const engine = { model: MODEL, namespace: `model-${MODEL}`, pod: `${MODEL}-0` };
  const [stand, run] = await Promise.all([
    AutoscalingStand.start({ targets: { engine } }),
    // As it is: but planned by this file's planner.
    changedRun("aws-prod", {}),
  ]);
  const plan = run.plan.models.find(({ name }) => name === MODEL);
  const pool = run.plan.pools.find(({ name }) => name === POOL);
  const target = plan?.scaling?.signals.find(({ on }) => on === "queue")?.target;
  if (plan?.scaling === undefined || pool === undefined || target === undefined) {
    throw new Error(`aws-prod does not scale ${MODEL} of pool ${POOL} by its queue`);
  }
  const queue = (replicas: number) => {
    stand.replay.set("engine", waiting, replicas * target);
    stand.replay.set("engine", running, 0);
    stand.replay.set("engine", kvCacheUsage, 0.1);
  };
  queue(0);
  try {
    const nodes = await KarpenterNodes.bringUp(stand, run, MODEL);
    return {
      stand,
      nodes,
      queue,
      pool,
      scaling: plan.scaling,
      gpusEach: plan.resources.gpus,
      model: new ScaledModelState(stand.plane.client, MODEL, "Deployment"),
      stop: async () => {
        await nodes.stop();
        await stand.stop();
      },
    };
  } catch (error) {
    await stand.stop();
    throw error;
  }
}

const when = (is: boolean) => (is ? true : undefined);

describe("nodes that follow demand", { timeout: 240_000 }, () => {
  const all = sharedBySuite(start);
  const tables: string[] = [];
  afterAll(() => console.log(tables.join("\n")));

  it("are as many as the least replicas take, of the planned machine", async () => {
    const { model, nodes, pool, scaling, gpusEach } = all();
    await model.reach(scaling.min, 120);
    const made = await nodes.made(POOL);
    expect(made.map(({ shape }) => shape)).toEqual([pool.shape.name]);
    expect(scaling.min * gpusEach).toBe(pool.shape.gpu?.count);
  });

  it("come for replicas that found no room, and are of the planned machine", async () => {
    const { stand, model, nodes, pool, queue, scaling } = all();
    await waitFor("the HPA controller to want no more", async () => when((await model.recommended()) === scaling.min));
    const hops = new Hops(`${MODEL}, ${scaling.max} replicas on nodes of Karpenter`);
    queue(scaling.max);
    await hops.follow(
      {
        "Prometheus has read it": async () => {
          const [found] = await stand.replay.query(`sum(${waiting}{namespace="model-${MODEL}"})`);
          return when((found?.value ?? 0) > 0);
        },
        "its controller is told": async () => when((await model.replicas()) === scaling.max),
        "pods wait for a node": async () =>
          when((await model.pods()).length === scaling.max || (await nodes.made(POOL)).length === pool.maxNodes),
        "Karpenter has made one": async () => when((await nodes.made(POOL)).length === pool.maxNodes),
        "pods have nodes": async () =>
          when((await model.pods()).filter(({ node }) => node !== undefined).length === scaling.max),
        "pods are ready": async () => when((await model.pods()).filter(({ ready }) => ready).length === scaling.max),
      },
      120,
    );
    const { scrape, poll, node, load, total } = scaling.spikeToServed;
    tables.push(
      hops.table(),
      `  planned: ${scrape} s until Prometheus has read it, ${poll} s until KEDA and the HPA controller have, ${node} s for a node, ${load} s to load: ${total} s`,
    );
    const made = await nodes.made(POOL);
    expect(new Set(made.map(({ shape }) => shape))).toEqual(new Set([pool.shape.name]));
    const used = new Set((await model.pods()).map(({ node: of }) => of));
    expect(used).toEqual(new Set(made.map(({ name }) => name)));
  });

  it("are never more than the plan pays for, however many wait", async () => {
    const { model, nodes, pool, queue, scaling } = all();
    queue(100 * scaling.max);
    expect(await model.during(8)).toEqual([`${scaling.max} ${scaling.max}`]);
    expect(await model.pods()).toHaveLength(scaling.max);
    expect(nodes.most.get(POOL)).toBe(pool.maxNodes);
  });

  it("go when the spike is over: replicas first, and then the nodes that have none", async () => {
    const { model, nodes, pool, queue, scaling } = all();
    queue(0);
    const hops = new Hops("over");
    await hops.follow(
      {
        "replicas are gone": async () => when((await model.pods()).length === scaling.min),
        "nodes without pods are gone": async () => when((await nodes.made(POOL)).length < pool.maxNodes),
      },
      IDLE_SECONDS,
    );
    const { consolidationPolicy, consolidateAfter } = nodes.disruptionOf(POOL);
    tables.push(
      hops.table(),
      `  planned: minutes until replicas go, of which this file takes all but ${scaling.scaleDownWindowSeconds} s; ${consolidateAfter} until nodes do, in place of 1 s`,
    );
    expect(consolidationPolicy).toBe("WhenEmpty");
    const left = await nodes.made(POOL);
    expect(left).toHaveLength(1);
    const pods = await model.pods();
    expect(pods.map(({ node, ready }) => [node, ready])).toEqual(pods.map(() => [left[0]?.name, true]));
    expect(nodes.most.get(POOL)).toBe(pool.maxNodes);
  });
});
