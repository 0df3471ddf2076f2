/**
 * Demand comes and goes: series as vLLM has them in a real Prometheus, what the environment renders for the real KEDA, the real HPA
 * controller, the real controllers of Deployments and of LeaderWorkerSets, and the real scheduler on the plan's nodes.
 */
import { afterAll, describe, expect, it, vi } from "vitest";
import { seriesOf } from "../../../engines/metrics";
import type * as Scaling from "../../../planner/scaling";
import { waitFor } from "../../../rehearsal/cluster/wait";
import type { ProgramRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { scaledByKeda } from "./environment";
import { Hops } from "./hops";
import { bringUpModels } from "./platform";
import { ScaledModelState } from "./scaled-model-state";
import { AutoscalingStand } from "./stand";

vi.mock("../../../planner/scaling", async (original) => {
  const { impatientPlanner } = await import("./impatient");
  return impatientPlanner(await original<typeof Scaling>());
});

const [waiting = "", running = "", kvCacheUsage = ""] = (
  ["requestsWaiting", "requestsRunning", "kvCacheUsage"] as const
).map((meaning) => seriesOf(meaning)[0]);

type ModelName = "chat" | "large";

class Demand {
  constructor(
    private readonly stand: AutoscalingStand,
    private readonly run: ProgramRun,
  ) {}

  /** Has as many requests wait as so many replicas may have waiting. */
  set(model: ModelName, replicas: number): void {
    const labels = { model_name: model, engine: "0" };
    const { replay } = this.stand;
    replay.set(model, waiting, replicas * this.queueTarget(model), labels);
    replay.set(model, running, 0, labels);
    replay.set(model, kvCacheUsage, 0.1, labels);
  }

  /** Whether Prometheus knows of requests that wait. */
  async isRead(model: ModelName): Promise<boolean> {
    const [found] = await this.stand.replay.query(`sum(${waiting}{namespace="model-${model}"})`);
    return (found?.value ?? 0) > 0;
  }

  private queueTarget(name: ModelName): number {
    const plan = this.run.plan.models.find((model) => model.name === name);
    const target = plan?.scaling?.signals.find(({ on }) => on === "queue")?.target;
    if (target === undefined) {
      throw new Error(`nothing scales ${name} by its queue`);
    }
    return target;
  }
}

async function start() {
  const target = (model: ModelName) => ({ model, namespace: `model-${model}`, pod: `${model}-0` });
  const [stand, run] = await Promise.all([
    AutoscalingStand.start({ targets: { chat: target("chat"), large: target("large") } }),
    scaledByKeda(),
  ]);
  try {
    const demand = new Demand(stand, run);
    demand.set("chat", 0);
    demand.set("large", 0);
    await bringUpModels(stand, run);
    const { client } = stand.plane;
    return {
      stand,
      demand,
      chat: new ScaledModelState(client, "chat", "Deployment"),
      large: new ScaledModelState(client, "large", "LeaderWorkerSet", 2),
      stop: () => stand.stop(),
    };
  } catch (error) {
    await stand.stop();
    throw error;
  }
}

/** Waits until the HPA controller has found so many to be right. */
function isWanted(model: ScaledModelState, replicas: number): Promise<true> {
  return waitFor(`the HPA controller to want ${replicas} of ${model.model}`, async () => {
    return (await model.recommended()) === replicas ? true : undefined;
  });
}

describe("replicas that follow demand", { timeout: 180_000 }, () => {
  const all = sharedBySuite(start);
  const tables: string[] = [];
  afterAll(() => console.log(tables.join("\n")));

  it("stay as few as the plan has at least while nobody waits", async () => {
    const { chat, large } = all();
    await Promise.all([chat.reach(1), large.reach(1), isWanted(chat, 1)]);
    expect(await chat.during(2)).toEqual(["1 1"]);
    expect(await large.replicas()).toBe(1);
  });

  it("come for requests that wait: four of a Deployment, on their node", async () => {
    const { demand, chat } = all();
    demand.set("chat", 4);
    const hops = await chat.spike(4, () => demand.isRead("chat"));
    tables.push(hops.table());
    expect((await chat.pods()).map(({ node }) => node)).toEqual(Array(4).fill("a10-0"));
  });

  it("come for requests that wait: two groups of two pods, each on a node of its own", async () => {
    const { demand, large } = all();
    // kube-controller-manager looks every 30 s for kinds that came after it, such as LeaderWorkerSets.
    await isWanted(large, 1);
    demand.set("large", 2);
    const hops = await large.spike(2, () => demand.isRead("large"));
    tables.push(hops.table());
    expect((await large.pods()).map(({ node }) => node).sort()).toEqual(["h100-0", "h100-1", "h100-2", "h100-3"]);
  });

  it("are never more than the plan pays for, however many wait", async () => {
    const { demand, chat, large } = all();
    demand.set("chat", 400);
    demand.set("large", 200);
    expect(await Promise.all([chat.during(6), large.during(6)])).toEqual([["4 4"], ["2 2"]]);
    expect(await Promise.all([chat.pods(), large.pods()])).toMatchObject([{ length: 4 }, { length: 4 }]);
  });

  it("go when the spike is over, and the plan's window after it", async () => {
    const { demand, chat, large } = all();
    demand.set("chat", 0);
    demand.set("large", 0);
    const hops = new Hops("over");
    await hops.follow({
      "chat has one replica": async () => ((await chat.replicas()) === 1 ? true : undefined),
      "large has one group": async () => ((await large.replicas()) === 1 ? true : undefined),
    });
    tables.push(hops.table());
    await Promise.all([chat.reach(1), large.reach(1)]);
  });

  it("stay as many while Prometheus is away, before KEDA falls back and after", async () => {
    const { stand, demand, chat, large } = all();
    demand.set("chat", 3);
    await chat.reach(3);
    await stand.replay.stopPrometheus();
    expect(await chat.isFallingBack()).toBe(false);
    const before = chat.during(4);
    await waitFor("KEDA to fall back", async () => ((await chat.isFallingBack()) ? true : undefined));
    expect([...new Set([...(await before), ...(await chat.during(6))])]).toEqual(["3 3"]);
    expect(await large.replicas()).toBe(1);
  });
});
