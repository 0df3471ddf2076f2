import { describe, expect, it } from "vitest";
import type { GatewayAnswer } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { EngineStandIn } from "./engine-stand-in";

/** What the model works on at once, by its plan; half of that is free consumers' (`planner/shedding.ts`). */
const PLACES = 8;
const FREE_PLACES = PLACES / 2;

const stand = sharedBySuite(async () => {
  const { resources } = await changedRun("dev", {
    models: {
      assistant: { model: "qwen2.5-0.5b-instruct", engine: "ollama", contextTokens: 4096, concurrency: PLACES },
      finder: { model: "bge-m3", engine: "ollama", contextTokens: 1024, concurrency: 2 },
    },
    gateway: {
      hostname: "inference.example.internal",
      exposure: "ClusterIP",
      tls: { kind: "self-signed" },
      consumers: {
        app: {},
        trial: { priority: "free" },
        hobby: { priority: "free" },
        guest: { priority: "free", models: ["finder"] },
      },
    },
  });
  return GatewayStand.start(resources);
});

/** Sends so many chats at once, over connections of their own. */
function chats(consumer: string, count: number, path = "/v1/chat/completions"): Promise<GatewayAnswer>[] {
  return Array.from({ length: count }, () =>
    stand().request({
      path,
      consumer,
      json: { model: "assistant", messages: [{ role: "user", content: "Hello?" }], user: consumer },
    }),
  );
}

async function statusesOf(answers: readonly Promise<GatewayAnswer>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(answers)) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** The engine of one test; the one before it is gone. */
async function withEngine(engine: EngineStandIn, work: () => Promise<void>): Promise<void> {
  const served = await stand().serve("assistant", engine.listener);
  // Node closes idle connections after 5 s, in the moment in which the next request may be on its way.
  served.server.keepAliveTimeout = 600_000;
  try {
    // Each kind of consumer has a cluster of its own in Envoy, which looks the engine up for itself.
    await waitFor("the engine to be reached", async () => {
      const { 200: reached } = await statusesOf([...chats("app", 1), ...chats("trial", 1)]);
      return reached === 2 ? true : undefined;
    });
    engine.arrived.clear();
    await work();
  } finally {
    engine.release();
    await served.close();
  }
}

describe("free consumers in the real gateway", () => {
  it("take half of a model's places, and leave the others to paying ones", async () => {
    const engine = new EngineStandIn(PLACES, 512);
    await withEngine(engine, async () => {
      engine.hold();
      const free = [
        ...chats("trial", 20),
        ...chats("hobby", 20),
        ...chats("trial", 10, "/assistant/v1/chat/completions"),
      ];
      const refused = await firstOf(free, 50 - FREE_PLACES);
      expect(engine.held).toBe(FREE_PLACES);
      for (const { status, headers, text } of refused) {
        expect({ status, type: headers["content-type"], again: headers["retry-after"] }).toEqual({
          status: 503,
          type: "application/json",
          again: "10",
        });
        expect(JSON.parse(text)).toMatchObject({ error: { type: "server_error", code: "overloaded" } });
      }
      const paid = chats("app", 2 * PLACES);
      await waitFor("all paid requests at the engine", async () =>
        (engine.arrived.get("app") ?? 0) >= 2 * PLACES ? true : undefined,
      );
      engine.release();
      expect(await statusesOf(paid)).toEqual({ 200: 2 * PLACES });
      expect(await statusesOf(free)).toEqual({ 200: FREE_PLACES, 503: 50 - FREE_PLACES });
    });
  });

  it("are refused in a flood, while no paying one is", async () => {
    const engine = new EngineStandIn(PLACES, 16, 20);
    await withEngine(engine, async () => {
      const rounds = async (consumer: string, clients: number, each: number) => {
        const answers = await Promise.all(
          Array.from({ length: clients }, async () => {
            const mine: GatewayAnswer[] = [];
            for (let i = 0; i < each; i += 1) {
              mine.push(...(await Promise.all(chats(consumer, 1))));
            }
            return mine;
          }),
        );
        return statusesOf(answers.flat().map((answer) => Promise.resolve(answer)));
      };
      const [free, paid] = await Promise.all([rounds("trial", 24, 25), rounds("app", PLACES, 25)]);
      expect(paid).toEqual({ 200: PLACES * 25 });
      expect(free[503]).toBeGreaterThan(100);
      expect(free[200]).toBeGreaterThan(0);
      expect(engine.refused.size).toBe(0);
    });
  });

  it("are kept from models that are not theirs", async () => {
    const engine = new EngineStandIn(PLACES, 512);
    await withEngine(engine, async () => {
      expect(await statusesOf(chats("guest", 1))).toEqual({ 403: 1 });
      expect(await statusesOf(chats("guest", 1, "/assistant/v1/chat/completions"))).toEqual({ 403: 1 });
      expect(engine.arrived.size).toBe(0);
    });
  });

  it("reach no other model on a model's path, and no model stands in the list twice", async () => {
    const engine = new EngineStandIn(PLACES, 512);
    await withEngine(engine, async () => {
      const other = { model: "another", messages: [], user: "trial" };
      const path = "/assistant/v1/chat/completions";
      expect((await stand().request({ path, consumer: "trial", json: other })).status).toBe(404);
      expect((await stand().request({ path, consumer: "app", json: other })).status).toBe(404);
      expect(await statusesOf(chats("trial", 1, path))).toEqual({ 200: 1 });
      const { text } = await stand().request({ path: "/v1/models", consumer: "trial" });
      const names = (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(names).toEqual([...new Set(names)]);
      expect(names).toContain("assistant");
    });
  });

  // Last of those with requests: Envoy remembers for ten seconds what the engine refused.
  it("are kept from an engine that refuses, until it has room again", async () => {
    // Full, and without a queue: it refuses whatever else comes.
    const engine = new EngineStandIn(1, 0);
    await withEngine(engine, async () => {
      engine.hold();
      const [paid] = chats("app", 1);
      await waitFor("the paid request at the engine", async () => (engine.held === 1 ? true : undefined));
      // Refused by the gateway, which asks the engine once in a while: about one time in twenty.
      await waitFor("few free requests at the engine", async () => {
        const before = engine.arrived.get("trial") ?? 0;
        expect(await statusesOf(chats("trial", 20))).toEqual({ 503: 20 });
        return (engine.arrived.get("trial") ?? 0) - before <= 5 ? true : undefined;
      });
      engine.release();
      expect((await paid)?.status).toBe(200);
      await waitFor("a free request to be let through", async () => {
        const statuses = await statusesOf(chats("trial", 1));
        return statuses[200] === 1 ? true : undefined;
      });
    });
  });

  it("are programmed without a complaint", async () => {
    const conditions = await stand().conditions();
    const bad = conditions.filter(({ status, type }) => status !== "True" && type !== "Overridden");
    expect(bad).toEqual([]);
  });
});

/** The first answers of some that come, in their order. */
async function firstOf(answers: readonly Promise<GatewayAnswer>[], count: number): Promise<GatewayAnswer[]> {
  const come: GatewayAnswer[] = [];
  for (const answer of answers) {
    void answer.then((each) => come.push(each));
  }
  await waitFor(`${count} answers`, async () => (come.length >= count ? true : undefined));
  return come;
}
