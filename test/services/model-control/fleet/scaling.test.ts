import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WorkerStopped } from "../../../../services/model-control/src/errors";
import type { ScaleTarget } from "../../../../services/model-control/src/fleet/workers";
import { HttpStub } from "../http-stub";
import { OllamaStub } from "../ollama-stub";
import { MemoryScaler, model, ollamaWorker, signal, testFleet } from "./fixture";

const BY_KEDA: ScaleTarget = {
  namespace: "model-chat",
  kind: "StatefulSet",
  name: "chat",
  replicas: 2,
  autoscaler: { kind: "ScaledObject", name: "replicas" },
};
const BY_HPA: ScaleTarget = { ...BY_KEDA, autoscaler: { kind: "HorizontalPodAutoscaler", name: "replicas" } };
const AWAY = "http://127.0.0.1:1";

describe("a worker that something scales by demand", () => {
  let ollama: OllamaStub;
  let scaler: MemoryScaler;

  beforeEach(async () => {
    ollama = await OllamaStub.listen({ "seven:7b": model(8) });
    scaler = new MemoryScaler();
    scaler.counts.set("chat", 2);
  });
  afterEach(() => ollama.close());

  test("is stopped after KEDA was told to leave it, and started before KEDA goes on", async () => {
    const { fleet } = testFleet([ollamaWorker("a", ollama.url, { scale: BY_KEDA })], { scaler });
    await fleet.stop("a", signal);
    expect(scaler.scaled).toEqual(["chat is stopped", "chat to 0"]);
    expect((await fleet.workers(signal))[0]?.state).toBe("stopped");
    scaler.scaled.length = 0;
    await fleet.start("a", signal);
    expect(scaler.scaled.slice(0, 2)).toEqual(["chat to 2", "chat is free"]);
    expect(scaler.scaled).not.toContain("chat is wanted");
    expect(scaler.autoscalerIs.paused).toBe(false);
  });

  test("waits until KEDA has heard it before it scales to zero", async () => {
    const heard: boolean[] = [];
    scaler.tell = async (_target, word) => {
      if (word === "stopped") {
        setTimeout(() => {
          scaler.autoscalerIs = { ...scaler.autoscalerIs, paused: true };
        }, 50);
      }
    };
    scaler.afterScale = () => heard.push(scaler.autoscalerIs.paused);
    const { fleet } = testFleet([ollamaWorker("a", ollama.url, { scale: BY_KEDA })], {
      scaler,
      times: { autoscalerSeconds: 30 },
    });
    await fleet.stop("a", signal);
    expect(heard).toEqual([true]);
  });

  test("is stopped though nobody is there to hear it", async () => {
    scaler.tell = async () => undefined;
    const { fleet } = testFleet([ollamaWorker("a", ollama.url, { scale: BY_KEDA })], { scaler });
    await fleet.stop("a", signal);
    expect(scaler.counts.get("chat")).toBe(0);
  });

  test.each([BY_KEDA, BY_HPA])(
    "is put back to zero where a decision that had begun writes its number over it ($autoscaler.kind)",
    async (target) => {
      // Written after the first look that finds it at zero, however slow this machine is.
      let late = 1;
      const { replicas } = scaler;
      scaler.replicas = async (scaled) => {
        const count = await replicas.call(scaler, scaled);
        if (count === 0 && late-- > 0) {
          scaler.counts.set(scaled.name, 3);
        }
        return count;
      };
      const { fleet, state } = testFleet([ollamaWorker("a", ollama.url, { scale: target })], {
        scaler,
        // Longer than the test: there is nothing to wait for where nothing has to be told.
        times: { autoscalerSeconds: 60, settleSeconds: 0.2 },
      });
      await fleet.stop("a", signal);
      expect(scaler.counts.get("chat")).toBe(0);
      expect(scaler.scaled.filter((step) => step === "chat to 0")).toHaveLength(2);
      // What it was before the stop, and not what the late one wrote.
      expect((await state.worker("a")).replicas).toBe(2);
    },
  );

  test("has not stopped where something scales it for ever, and is let go", async () => {
    scaler.afterScale = (name) => scaler.counts.set(name, 3);
    const { fleet, state } = testFleet([ollamaWorker("a", ollama.url, { scale: BY_KEDA })], { scaler });
    await expect(fleet.stop("a", signal)).rejects.toThrow(
      "StatefulSet model-chat/chat does not stay at zero: another controller scales it up",
    );
    expect((await state.worker("a")).phase).toBe("running");
    expect(scaler.scaled.at(-1)).toBe("chat is free");
  });

  test("a stop that was interrupted goes on, and remembers what ran before it", async () => {
    const { fleet, state } = testFleet([ollamaWorker("a", ollama.url, { scale: BY_KEDA })], { scaler });
    const cancel = new AbortController();
    scaler.afterScale = () => cancel.abort(new Error("the process ends"));
    await expect(fleet.stop("a", cancel.signal)).rejects.toThrow("the process ends");
    expect(scaler.autoscalerIs.paused).toBe(true);
    scaler.afterScale = () => undefined;
    await fleet.stop("a", signal);
    expect(await state.worker("a")).toMatchObject({ phase: "stopped", replicas: 2 });
    await fleet.start("a", signal);
    expect(scaler.counts.get("chat")).toBe(2);
  });

  test("asleep is no fault: nothing is asked of it, and nobody is told", async () => {
    scaler.counts.set("chat", 0);
    const { fleet, events, pull, state } = testFleet([ollamaWorker("a", AWAY, { scale: BY_KEDA })], { scaler });
    await state.setModels("a", new Map([["seven:7b", { lastUsed: new Date(0), diskBytes: 9 }]]), []);
    expect((await fleet.workers(signal))[0]).toMatchObject({ state: "asleep", problem: undefined });
    expect(await fleet.models(signal)).toMatchObject([{ model: "seven:7b", state: "on_disk" }]);
    await fleet.unload("seven:7b", signal);
    await expect(fleet.purge("seven:7b", { force: true }, signal)).rejects.toThrow(
      new WorkerStopped("a is asleep: start it first"),
    );
    await expect(pull("seven:7b")).rejects.toThrow(new WorkerStopped("no worker takes new work: a is asleep"));
    expect(events).toEqual([]);
  });

  test("stopped, and not asleep, is one that KEDA was told to leave at zero, though nobody remembers who did", async () => {
    scaler.counts.set("chat", 0);
    scaler.autoscalerIs = { paused: true, sleeps: true };
    const { fleet, pull } = testFleet([ollamaWorker("a", AWAY, { scale: BY_KEDA })], { scaler });
    expect((await fleet.workers(signal))[0]).toMatchObject({ state: "stopped", problem: undefined });
    await expect(pull("seven:7b")).rejects.toThrow(new WorkerStopped("no worker takes new work: a is stopped"));
  });

  test("one that is sick is told of, asleep or not", async () => {
    const { fleet, events } = testFleet([ollamaWorker("a", AWAY, { scale: BY_KEDA })], { scaler });
    expect((await fleet.workers(signal))[0]?.state).toBe("unreachable");
    expect(events.map(({ type }) => type)).toEqual(["unreachable"]);
    scaler.replicas = async () => {
      throw new Error("the cluster is away");
    };
    expect((await fleet.workers(signal))[0]?.state).toBe("unreachable");
  });

  test("one that woke is starting, for as long as a start may take", async () => {
    scaler.counts.set("chat", 0);
    const { fleet, events } = testFleet([ollamaWorker("a", AWAY, { scale: BY_KEDA })], {
      scaler,
      times: { startSeconds: 3 },
    });
    const state = async () => (await fleet.workers(signal))[0]?.state;
    expect(await state()).toBe("asleep");
    scaler.counts.set("chat", 1);
    expect(await state()).toBe("starting");
    expect(events).toEqual([]);
    // The clock moves a second with every look at it.
    expect([await state(), await state(), await state()].at(-1)).toBe("unreachable");
  });

  test("starting one that sleeps wakes it, and its time until it sleeps begins with its answer", async () => {
    scaler.counts.set("chat", 0);
    scaler.autoscalerIs = { paused: false, sleeps: true, lastActive: "long ago" };
    const { fleet } = testFleet([ollamaWorker("a", ollama.url, { scale: { ...BY_KEDA, replicas: 1 } })], { scaler });
    await fleet.start("a", signal);
    // KEDA saw no demand in the time that the test allows.
    expect(scaler.scaled).toEqual(["chat is wanted", "chat to 1", "chat is wanted", "chat is free"]);
  });

  test("KEDA has seen the demand before it is left to itself", async () => {
    scaler.counts.set("chat", 0);
    scaler.autoscalerIs = { paused: false, sleeps: true, lastActive: "1" };
    const { fleet } = testFleet([ollamaWorker("a", ollama.url, { scale: { ...BY_KEDA, replicas: 1 } })], {
      scaler,
      times: { autoscalerSeconds: 30 },
    });
    const { tell } = scaler;
    const seen: (string | undefined)[] = [];
    scaler.tell = (target, word) => {
      seen.push(`${word} ${scaler.autoscalerIs.lastActive}`);
      return tell.call(scaler, target, word);
    };
    // It sees it between two questions after the engine answered, however long that took.
    let asked = 0;
    const { autoscaler } = scaler;
    scaler.autoscaler = async (target) => {
      const state = await autoscaler.call(scaler, target);
      if (seen.length === 2 && ++asked === 2) {
        scaler.autoscalerIs = { ...scaler.autoscalerIs, lastActive: "2" };
      }
      return state;
    };
    await fleet.start("a", signal);
    expect(seen).toEqual(["wanted 1", "wanted 1", "free 2"]);
  });

  test("a start that fails leaves no model that is wanted for ever", async () => {
    scaler.counts.set("chat", 0);
    scaler.autoscalerIs = { paused: false, sleeps: true };
    const { fleet } = testFleet([ollamaWorker("a", AWAY, { scale: BY_KEDA })], {
      scaler,
      times: { startSeconds: 0.1 },
    });
    await expect(fleet.start("a", signal)).rejects.toThrow("does not answer");
    expect(scaler.scaled.at(-1)).toBe("chat is free");
  });

  test("of several replicas, those that run are asked and the others are asleep", async () => {
    scaler.counts.set("chat", 1);
    const workers = [
      ollamaWorker("a-0", ollama.url, { scale: BY_KEDA }),
      ollamaWorker("a-1", AWAY, { scale: { ...BY_KEDA, ordinal: 1 } }),
    ];
    const { fleet, pull } = testFleet(workers, { scaler });
    expect((await fleet.workers(signal)).map(({ state }) => state)).toEqual(["running", "asleep"]);
    expect(await pull("seven:7b")).toBe("a-0");
    // It comes when more are wanted: a start lifts a stop, and scales nothing.
    await fleet.start("a-1", signal);
    expect(scaler.counts.get("chat")).toBe(1);
    await fleet.stop("a-0", signal);
    expect(scaler.counts.get("chat")).toBe(1);
    await fleet.stop("a-1", signal);
    expect(scaler.counts.get("chat")).toBe(0);
    await fleet.start("a-1", signal);
    expect(scaler.counts.get("chat")).toBe(1);
    expect((await fleet.workers(signal)).map(({ state }) => state)).toEqual(["stopped", "asleep"]);
  });

  test("sick engines of several replicas do not keep it running", async () => {
    const sick = await HttpStub.listen(() => ({ status: 500, body: { error: "sick" } }));
    const { fleet } = testFleet([ollamaWorker("a", sick.url, { scale: BY_KEDA })], { scaler });
    await fleet.stop("a", signal);
    expect(scaler.counts.get("chat")).toBe(0);
    await sick.close();
  });
});
