/** Replicas that hang, or are not there yet, behind the real gateway: with the active check, and without it. */
import type { ServerResponse } from "node:http";
import { request } from "node:https";
import { beforeAll, describe, expect, it } from "vitest";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { endpoint } from "../../components/gateway/fixture";
import { completion, untilHealthy } from "../../e2e/gateway/replicas";
import { standOf } from "../../e2e/gateway/stand-of";
import { sharedBySuite } from "../../e2e/shared-by-suite";

/** Without a path that it could be asked on. */
const { readyPath: _, ...unasked } = endpoint("unasked");
const PAIRS = ["asked", "unasked"] as const;

/** How long replicas hang, and by when the active check has found them: planned, 18 s at most; seen, 17.7 s. */
const HANG_MS = 40_000;
const FOUND_MS = 30_000;
/** Of a replica before they are frequent: two each from the clusters of the model's two routes, by its name and by its path. */
const SLOW_CHECKS = 4;
/** Between two requests to a model, and how long their client waits. */
const EVERY_MS = 250;
const PATIENCE_MS = 2_000;

const stand = sharedBySuite(() =>
  standOf({ endpoints: [endpoint("asked"), unasked, endpoint("alone"), endpoint("cold")] }, { proxies: 0 }),
);

/** An engine that can be told to hang: it takes connections and requests, and answers none. */
class Replica {
  hangs = false;
  isReady = true;
  chats = 0;
  checks = 0;

  static async of(model: string): Promise<Replica> {
    const replica = new Replica();
    await stand().serve(model, (asked, response) => {
      replica.checks += asked.method === "GET" ? 1 : 0;
      asked.resume().on("end", () => (replica.hangs ? undefined : replica.answer(model, asked.method, response)));
    });
    return replica;
  }

  private answer(model: string, method: string | undefined, response: ServerResponse): void {
    if (method === "GET") {
      response.writeHead(this.isReady ? 200 : 503).end("{}");
    } else {
      this.chats += 1;
      response.setHeader("content-type", "application/json").end(completion(model, model));
    }
  }
}

/** Status of a chat; undefined where none came in time. */
async function chat(model: string): Promise<number | undefined> {
  const [proxy] = stand().proxies;
  if (proxy === undefined) {
    throw new Error("the stand has no proxy");
  }
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "?" }] });
  const headers = {
    host: stand().hostname,
    authorization: `Bearer ${await stand().key("default")}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const options = { ...connectionOptions(proxy, stand()), agent: false, method: "POST", headers, signal };
  return new Promise((resolve) => {
    request({ ...options, path: "/v1/chat/completions" }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode)).once("error", () => resolve(undefined));
    })
      .once("error", () => resolve(undefined))
      .end(body);
  });
}

async function untilServed(model: string): Promise<void> {
  await waitFor(`an answer of ${model}`, async () => (await chat(model)) === 200 || undefined);
}

const replicas = new Map<string, Replica[]>();

beforeAll(async () => {
  for (const model of PAIRS) {
    replicas.set(model, [await Replica.of(model), await Replica.of(model)]);
  }
  replicas.set("alone", [await Replica.of("alone")]);
  await stand().startProxy();
  await untilHealthy(stand(), ["asked", "unasked"], 2);
  for (const model of [...PAIRS, "alone"]) {
    await untilServed(model);
  }
  // Before its first request a cluster is checked every 60 s; that interval still ends.
  const checks = () => Math.min(...(replicas.get("asked") ?? []).map((replica) => replica.checks));
  await waitFor("checks every 3 s", async () => checks() > SLOW_CHECKS || undefined, 90);
}, 180_000);

describe("a replica of two that hangs", () => {
  it("costs requests until the active check finds it, and for as long as it hangs without that", async () => {
    for (const model of PAIRS) {
      Object.assign(replicas.get(model)?.[1] ?? {}, { hangs: true });
    }
    const began = Date.now();
    const asked: Promise<{ readonly model: string; readonly at: number; readonly status: number | undefined }>[] = [];
    while (Date.now() - began < HANG_MS) {
      const at = Date.now() - began;
      asked.push(...PAIRS.map(async (model) => ({ model, at, status: await chat(model) })));
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
    const unanswered = (await Promise.all(asked)).filter(({ status }) => status !== 200);
    const of = (model: string) => unanswered.filter((each) => each.model === model);
    expect(of("asked").length).toBeGreaterThan(0);
    expect(of("asked").filter(({ at }) => at > FOUND_MS)).toEqual([]);
    expect(of("unasked").filter(({ at }) => at > FOUND_MS).length).toBeGreaterThan(0);
  }, 90_000);

  it("is asked again when it is well", async () => {
    const [, back] = replicas.get("asked") ?? [];
    if (back === undefined) {
      throw new Error("there are two replicas");
    }
    const before = back.chats;
    back.hangs = false;
    await waitFor("a chat at the replica that is back", async () => {
      await chat("asked");
      return back.chats > before || undefined;
    });
  });
});

describe("a model's only replica", () => {
  it("is asked though its check fails: nobody else could answer", async () => {
    const [only] = replicas.get("alone") ?? [];
    Object.assign(only ?? {}, { isReady: false });
    await waitFor("the failed check", async () => {
      const [proxy] = stand().proxies;
      const healthy = await proxy?.stats("model-alone/rule/.*membership_healthy");
      return [...(healthy?.values() ?? [])].every((count) => count === 0) || undefined;
    });
    expect(await chat("alone")).toBe(200);
  });

  it("is asked as soon as it is there, after checks and requests that found nobody", async () => {
    expect(await chat("cold")).toBe(503);
    const began = Date.now();
    await Replica.of("cold");
    await untilServed("cold");
    // Envoy looks again at replicas that nobody uses after 60 s only; outlier detection ejects for 30 s.
    expect(Date.now() - began).toBeLessThan(20_000);
  });
});
