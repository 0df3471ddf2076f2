/** What every call says while the queue is away, and how soon: the API gives Redis all but 0.2 s of what it promises. */
import { setTimeout as sleep } from "node:timers/promises";
import { Redis as Client } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import type { Api } from "./start-api";

/** What callers are promised, in milliseconds. */
const PROMISED = 2_000;

let stand: ControlStand;
let api: Api;

beforeAll(async () => {
  stand = await ControlStand.start();
  api = await stand.replica();
});
afterAll(() => stand?.stop());

describe("without Redis, every call", () => {
  const model = "llama3.2";
  const CALLS: readonly (readonly [method: string, path: string, body?: object])[] = [
    ["POST", "/models/pull", { model }],
    ["POST", "/models/load", { model }],
    ["GET", "/models"],
    ["GET", `/models/${model}/status`],
    ["DELETE", `/models/${model}`],
    ["DELETE", `/models/${model}?purge=true`],
    ["GET", "/tasks"],
    ["GET", "/tasks/pull-00000000-0000-4000-8000-000000000000/status"],
    ["DELETE", "/tasks/pull-00000000-0000-4000-8000-000000000000"],
    ["GET", "/workers"],
    ["POST", "/workers/stop"],
    ["POST", "/workers/start"],
  ];

  /** Milliseconds, status, and the reason that is given. */
  async function answers() {
    return Promise.all(
      CALLS.map(async ([method, path, body]) => {
        const asked = performance.now();
        const answer = await api.ask(method, path, body);
        return { call: `${method} ${path}`, status: answer.status, ...answer.body, took: performance.now() - asked };
      }),
    );
  }

  function expectReasons(all: Awaited<ReturnType<typeof answers>>, reason: RegExp): void {
    for (const { call, status, code, detail, took } of all) {
      expect({ call, status, code }).toEqual({ call, status: 503, code: "queue_unavailable" });
      expect(detail).toMatch(reason);
      expect({ call, inTime: took < PROMISED }).toEqual({ call, inTime: true });
    }
  }

  async function health() {
    const asked = performance.now();
    const { status, body } = await api.ask("GET", "/health");
    return { status, queue: body.checks.queue, inTime: performance.now() - asked < PROMISED };
  }

  async function recovered(): Promise<void> {
    await waitFor("the API to be healthy", async () => ((await health()).status === 200 ? true : undefined), 15);
    for (const { call, status } of await answers()) {
      expect({ call, status }).not.toEqual({ call, status: 503 });
    }
  }

  it("answers 503 with the reason within 2 s while it is down, and recovers by itself", async () => {
    await stand.redis.process.kill();
    const [atOnce, unhealthy, alive] = [await answers(), await health(), (await api.ask("GET", "/livez")).status];
    await sleep(3_000);
    const later = await answers();
    await stand.redis.process.start();
    expectReasons(atOnce, /the connection was lost|ECONNREFUSED|Connection is closed|Stream isn't writeable/);
    expectReasons(later, /ECONNREFUSED|Connection is closed|Stream isn't writeable/);
    expect(unhealthy).toMatchObject({ status: 503, queue: { ok: false }, inTime: true });
    expect(alive).toBe(200);
    await recovered();
  });

  it("answers 503 with the reason within 2 s while it hangs, and recovers by itself", async () => {
    const client = new Client(stand.redis.url);
    await client.call("CLIENT", "PAUSE", "6000", "ALL");
    client.disconnect();
    const asked = answers();
    // What was seen last is told for two seconds.
    const unhealthy = async () => {
      const told = await health();
      return told.status === 503 ? told : undefined;
    };
    const told = await waitFor("a health that was looked at since", unhealthy, 5);
    expectReasons(await asked, /timed out|no answer/);
    expect(told).toMatchObject({ queue: { ok: false }, inTime: true });
    await recovered();
  });
});
