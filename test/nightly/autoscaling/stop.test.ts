/**
 * Who wins where the model control API stops a model that KEDA scales: the real API server, KEDA and HPA controller, and a process of the
 * model control API with the settings and rights that the environment renders.
 */
import { describe, expect, it, vi } from "vitest";
import { seriesOf } from "../../../engines/metrics";
import type { KubernetesObject } from "../../../kubernetes/object";
import { GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { gatewayTargetName, jobOf } from "../../../names/scrape-jobs";
import type * as Scaling from "../../../planner/scaling";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { StandingControl } from "../../e2e/autoscaling/control";
import { scaledAndControlled } from "../../e2e/autoscaling/environment";
import { bringUpModels, modelObjects, reading } from "../../e2e/autoscaling/platform";
import { ScaledModelState } from "../../e2e/autoscaling/scaled-model-state";
import { AutoscalingStand } from "../../e2e/autoscaling/stand";
import { sharedBySuite } from "../../e2e/shared-by-suite";

// As planned, but for what costs tests minutes.
vi.mock("../../../planner/scaling", async (original) => {
  const planner = await original<typeof Scaling>();
  const planScaling: typeof Scaling.planScaling = (...args) => {
    const planned = planner.planScaling(...args);
    return (
      planned && {
        ...planned,
        pollSeconds: 2,
        scaleDownWindowSeconds: 5,
        ...(planned.min === 0 && { coldStartSeconds: 0, idleSeconds: 20 }),
      }
    );
  };
  return { ...planner, planScaling };
});

const MODELS = ["chat", "nap"] as const;
type ModelName = (typeof MODELS)[number];

/** A gateway that is read, and that nobody has asked for anything. */
const GATEWAY = { job: jobOf(gatewayTargetName("envoy")), namespace: GATEWAY_NAMESPACE, pod: "proxy-0" };
const PAUSED = "autoscaling.keda.sh/paused";

async function start() {
  const target = (model: ModelName) => ({ model, namespace: `model-${model}`, pod: `${model}-0` });
  const [stand, run] = await Promise.all([
    AutoscalingStand.start({ targets: { chat: target("chat"), nap: target("nap"), gateway: GATEWAY } }),
    scaledAndControlled(),
  ]);
  const { plane, replay } = stand;
  const models = {
    chat: new ScaledModelState(plane.client, "chat", "Deployment"),
    nap: new ScaledModelState(plane.client, "nap", "Deployment"),
  };
  const wanted = (model: ModelName) => run.plan.models.find(({ name }) => name === model)?.scaling?.signals[0]?.target;
  const demand = (model: ModelName, replicas: number) => {
    const labels = { model_name: model, engine: "0" };
    for (const meaning of ["requestsRunning", "kvCacheUsage"] as const) {
      replay.set(model, seriesOf(meaning)[0] ?? "", 0, labels);
    }
    replay.set(model, seriesOf("requestsWaiting")[0] ?? "", replicas * (wanted(model) ?? Number.NaN), labels);
  };
  try {
    demand("chat", 2);
    demand("nap", 0);
    await bringUpModels(stand, run);
    const control = await StandingControl.start(plane, run, models);
    const scaledObject = modelObjects(run).find(
      ({ kind, metadata }) => kind === "ScaledObject" && metadata.namespace === "model-chat",
    );
    if (scaledObject === undefined) {
      throw new Error("nothing scales chat");
    }
    return {
      stand,
      ...models,
      demand,
      control,
      /** As a deployment applies it. */
      scaledObject: reading(scaledObject, replay.url),
      stop: async () => {
        await control.stop();
        await stand.stop();
      },
    };
  } catch (error) {
    await stand.stop();
    throw error;
  }
}

/** All counts that were seen in so many seconds, four times a second. */
async function countsIn(seconds: number, model: ScaledModelState): Promise<number[]> {
  const seen = new Set<number>();
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) {
    seen.add((await model.replicas()) ?? Number.NaN);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return [...seen];
}

function has(model: ScaledModelState, replicas: number, seconds = 60): Promise<true> {
  return waitFor(
    `${replicas} replicas of ${model.model}`,
    async () => ((await model.replicas()) === replicas ? true : undefined),
    seconds,
  );
}

describe("a model that KEDA scales and the model control API stops", { timeout: 240_000 }, () => {
  const shared = sharedBySuite(start);
  const annotations = async (object: KubernetesObject) => {
    const found = await shared().stand.plane.client.get(object);
    return (
      (found?.metadata as { readonly annotations?: Readonly<Record<string, string>> } | undefined)?.annotations ?? {}
    );
  };

  it("stays stopped while KEDA wants two, until it is started: then KEDA scales it on", async () => {
    const { chat, control, demand, scaledObject, stand } = shared();
    await has(chat, 2);
    expect(await control.stateOf("chat")).toBe("running");

    await control.order("stop", "chat");
    demand("chat", 3);
    expect(await countsIn(10, chat)).toEqual([0]);
    expect(await annotations(scaledObject)).toMatchObject({ [PAUSED]: "true" });
    // What a deployment, and a KEDA that starts anew, do to it.
    await stand.plane.client.apply(scaledObject);
    await stand.keda.operator.stop();
    stand.keda.operator.restart();
    expect(await countsIn(15, chat)).toEqual([0]);
    expect(await control.stateOf("chat")).toBe("stopped");

    await control.order("start", "chat");
    expect(await control.stateOf("chat")).toBe("running");
    expect(await annotations(scaledObject)).not.toHaveProperty([PAUSED]);
    await has(chat, 3);
    demand("chat", 1);
    await has(chat, 1);
  });

  it("is asleep and no fault when KEDA has taken it away; a start wakes it, and nothing wakes it once it was stopped", async () => {
    const { nap, control, demand } = shared();
    await has(nap, 0, 120);
    await waitFor("its worker to be asleep", async () =>
      (await control.stateOf("nap")) === "asleep" ? true : undefined,
    );

    await control.order("start", "nap");
    // Without another word KEDA would take it away with its next look, two seconds later.
    expect(await countsIn(12, nap)).toEqual([1]);
    expect(await control.stateOf("nap")).toBe("running");
    await has(nap, 0);

    await control.order("stop", "nap");
    demand("nap", 1);
    expect(await countsIn(10, nap)).toEqual([0]);
    expect(await control.stateOf("nap")).toBe("stopped");
    await control.order("start", "nap");
    expect(await control.stateOf("nap")).toBe("running");
    expect(await nap.replicas()).toBe(1);
  });
});
