import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FleetOptions } from "../../../../services/model-control/src/fleet/create";
import { HttpStub } from "../http-stub";
import { ollamaWorker, signal, type TestFleet, testFleet } from "./fixture";

const QWEN = "Qwen/Qwen3-8B";

describe("requests that wait inside a vLLM that sleeps", () => {
  let stub: HttpStub;
  let sleeping: boolean;
  let waiting: number;
  let wakes: number;

  beforeEach(async () => {
    [sleeping, waiting, wakes] = [true, 1, 200];
    stub = await HttpStub.listen(({ method, path }) => {
      if (`${method} ${path}` === "POST /wake_up") {
        sleeping = wakes !== 200;
        return { status: wakes, body: {} };
      }
      const answers: Record<string, unknown> = {
        "GET /v1/models": { data: [{ id: QWEN }] },
        "GET /is_sleeping": { is_sleeping: sleeping },
        "GET /load": { server_load: waiting },
      };
      const body = answers[`${method} ${path}`];
      return body === undefined ? { status: 404 } : { body };
    });
  });
  afterEach(() => stub.close());

  function fleetOf(more: Partial<FleetOptions> = {}): TestFleet {
    const worker = { ...ollamaWorker("v", stub.url), backend: "vllm" as const, models: [QWEN] };
    return testFleet([ollamaWorker("sick", "http://127.0.0.1:1"), worker], {
      idle: { seconds: 600, models: {} },
      ...more,
    });
  }

  const orders = () => stub.asked.filter((asked) => asked.startsWith("POST"));

  test("wake it, past a worker that is sick, once over two replicas", async () => {
    const first = fleetOf();
    const second = fleetOf({ state: first.state });
    await Promise.all([first.fleet.wake(signal), second.fleet.wake(signal)]);
    expect(sleeping).toBe(false);
    expect(orders()).toEqual(["POST /wake_up"]);
    expect([...first.events, ...second.events].filter(({ type }) => type === "loaded")).toEqual([
      { type: "loaded", worker: "v", model: QWEN, memoryBytes: undefined },
    ]);
  });

  test("leave it asleep where there are none", async () => {
    waiting = 0;
    await fleetOf().fleet.wake(signal);
    expect(orders()).toEqual([]);
  });

  test("leave it asleep where it never goes to sleep by itself: somebody wants it so", async () => {
    await fleetOf({ idle: { seconds: 600, models: { [QWEN]: "never" } } }).fleet.wake(signal);
    await fleetOf({ idle: undefined }).fleet.wake(signal);
    expect(orders()).toEqual([]);
  });

  test("leave it asleep while its worker is stopped", async () => {
    const { fleet, state } = fleetOf();
    await state.withLease("v", 0, signal, (lease) => state.setWorker(lease, { phase: "stopped", rewarm: [] }));
    await fleet.wake(signal);
    expect(orders()).toEqual([]);
  });

  test("say that it does not wake, and are tried for again", async () => {
    wakes = 500;
    const made = fleetOf();
    await made.fleet.wake(signal);
    expect(made.events).toEqual([
      { type: "unreachable", worker: "v", problem: expect.stringMatching(/^Qwen\/Qwen3-8B does not wake: .*500/) },
    ]);
    wakes = 200;
    await made.fleet.wake(signal);
    expect(sleeping).toBe(false);
  });
});
