/**
 * Without KEDA: the HorizontalPodAutoscaler that the environment renders, on a series that its rules record in a real Prometheus, which an
 * adapter of the cluster, played by this test, hands to the real HPA controller.
 */
import { describe, expect, it, vi } from "vitest";
import { seriesOf } from "../../../engines/metrics";
import type * as Scaling from "../../../planner/scaling";
import { recordedObjects } from "../../../rehearsal/cluster/recorded-objects";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { scaledByLatency } from "../../e2e/autoscaling/environment";
import { startMetricsAdapter } from "../../e2e/autoscaling/metrics-adapter";
import { bringUpModels } from "../../e2e/autoscaling/platform";
import { ScaledModelState } from "../../e2e/autoscaling/scaled-model-state";
import { AutoscalingStand } from "../../e2e/autoscaling/stand";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import type { ProgramRun } from "../../stacks/run";

vi.mock("../../../planner/scaling", async (original) => {
  const { impatientPlanner } = await import("../../e2e/autoscaling/impatient");
  return impatientPlanner(await original<typeof Scaling>());
});

const RECORDED = "inference_p99_latency_ms";
const [latency = ""] = seriesOf("latencySeconds");

interface RuleGroup {
  readonly interval?: string;
  readonly rules: readonly { readonly record?: string }[];
}

/** The groups of the environment's rules that record a series, computed as often as the stand reads, and not every half minute. */
function groupsOf({ resources }: ProgramRun, series: string): RuleGroup[] {
  return recordedObjects(resources)
    .filter(({ kind }) => kind === "PrometheusRule")
    .flatMap(({ spec }) => (spec as { readonly groups: readonly RuleGroup[] }).groups)
    .filter(({ rules }) => rules.some(({ record }) => record === series))
    .map(({ interval: _, ...group }) => group);
}

async function start() {
  const run = await scaledByLatency();
  const targets = { chat: { model: "chat", namespace: "model-chat", pod: "chat-0" } };
  const groups = groupsOf(run, RECORDED);
  const stand = await AutoscalingStand.start({ keda: false, targets, groups });
  try {
    const stopAdapter = await startMetricsAdapter(stand);
    const answers = new Answers(stand, run);
    answers.add(1, 1);
    await bringUpModels(stand, run);
    const stop = async () => {
      stopAdapter();
      await stand.stop();
    };
    return { stand, run, answers, chat: new ScaledModelState(stand.plane.client, "chat", "Deployment"), stop };
  } catch (error) {
    await stand.stop();
    throw error;
  }
}

/** A histogram of answers, as vLLM has it, with buckets that end at parts and multiples of the plan's target. */
class Answers {
  private readonly counts = new Map([0.05, 1, 4].map((targets) => [targets, 0]));
  private readonly targetSeconds: number;

  constructor(
    private readonly stand: AutoscalingStand,
    { plan }: ProgramRun,
  ) {
    const scaling = plan.models.find(({ name }) => name === "chat")?.scaling;
    const target = scaling?.signals.find(({ on }) => on === "latency")?.target;
    if (target === undefined) {
      throw new Error("nothing scales chat by its latency");
    }
    this.targetSeconds = target / 1000;
    this.publish();
  }

  /** More answers that took at most so many times the target. */
  add(answers: number, targets: number): void {
    for (const [end, count] of this.counts) {
      this.counts.set(end, count + (end >= targets ? answers : 0));
    }
    this.publish();
  }

  private publish(): void {
    const labels = { model_name: "chat", engine: "0" };
    for (const [end, count] of this.counts) {
      this.stand.replay.set("chat", `${latency}_bucket`, count, { ...labels, le: String(end * this.targetSeconds) });
    }
    const total = Math.max(...this.counts.values());
    this.stand.replay.set("chat", `${latency}_bucket`, total, { ...labels, le: "+Inf" });
  }

  /** Whether Prometheus has any of them; undefined, if not. */
  async areRead(): Promise<true | undefined> {
    return (await this.stand.replay.query(`${latency}_bucket{namespace="model-chat"}`)).length > 0 || undefined;
  }

  /** Of the recorded series, milliseconds over the target. */
  async ratio(): Promise<number> {
    const [found] = await this.stand.replay.query(`${RECORDED}{namespace="model-chat",model="chat"}`);
    return (found?.value ?? 0) / (1000 * this.targetSeconds);
  }
}

describe("a HorizontalPodAutoscaler on recorded latency", { timeout: 180_000 }, () => {
  const all = sharedBySuite(start);

  it("is all that scales the model: nothing of KEDA is there", () => {
    const kinds = recordedObjects(all().run.resources).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "HorizontalPodAutoscaler")).toHaveLength(1);
    expect(kinds).not.toContain("ScaledObject");
  });

  it("adds replicas while answers take too long, up to what the plan pays for", async () => {
    const { answers, chat } = all();
    await chat.reach(1);
    // What Prometheus first reads of a counter is no increase.
    await waitFor("Prometheus to know of no answers", () => answers.areRead());
    answers.add(1000, 4);
    const hops = await chat.spike(4, async () => (await answers.ratio()) > 3);
    console.log(hops.table());
    expect(await chat.during(4)).toEqual(["4 4"]);
  });

  it("takes them away once answers are quick again", async () => {
    const { answers, chat } = all();
    answers.add(10_000_000, 0.05);
    await waitFor("the recorded latency to fall", async () => ((await answers.ratio()) < 0.1 ? true : undefined));
    await chat.reach(1);
  });
});
