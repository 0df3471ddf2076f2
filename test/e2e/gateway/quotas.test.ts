import type { IncomingMessage, RequestListener } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { quotaRule } from "../../../components/gateway/quotas";
import { quotasOf } from "../../../planner/quotas";
import { tenantsOf } from "../../../planner/tenants";
import { isComplaint } from "../../../rehearsal/cluster/gateway/conditions";
import type { GatewayAnswer, GatewayRequest } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";
import { QuotaCounting } from "./quota-counting";

const CONSUMERS = {
  requests: { requestsPerMinute: 3 },
  everywhere: { requestsPerMinute: 4 },
  tokens: { tokensPerMinute: 100, models: ["llama-70b"] },
  vectors: { tokensPerMinute: 100, models: ["embeddings"] },
  refused: { requestsPerMinute: 1000, tokensPerMinute: 1000, models: ["llama-70b"] },
  outage: { requestsPerMinute: 2 },
  open: {},
};
const CHAT = "llama-70b";
const CHAT_PATH = "/llama-70b/v1/chat/completions";
const GROUP = "inference-cluster";
const GROUP_PATH = `/${GROUP}/infer`;
const VECTORS = "embeddings";
const QUOTAS = quotasOf(tenantsOf(CONSUMERS));
/** Tokens are taken when an answer has ended, and the client does not wait for it. */
const TAKEN_MS = 500;

interface Asked {
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly max_tokens?: number;
}

async function bodyOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return (chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString("utf8")) : {}) as Asked;
}

/** An engine that says how many tokens it used only where it is asked, as vLLM does in streams; `max_tokens` of them. */
const engine: RequestListener = (request, response) => {
  void bodyOf(request).then(({ stream, stream_options, max_tokens: total = 1 }) => {
    if (total >= 400 && total < 600) {
      response.writeHead(total, { "content-type": "application/json", "retry-after": "7" });
      response.end(JSON.stringify({ error: { message: "the engine's own", code: "engine" } }));
      return;
    }
    const usage = { prompt_tokens: 1, completion_tokens: total - 1, total_tokens: total };
    const head = { id: "1", created: 1, model: CHAT };
    if (stream !== true) {
      const message = { role: "assistant", content: "yes" };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }));
      return;
    }
    const chunk = (rest: object) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...rest })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "yes" }, finish_reason: null }] }),
    );
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }));
    if (stream_options?.include_usage === true) {
      response.write(chunk({ choices: [], usage }));
    }
    response.end("data: [DONE]\n\n");
  });
};

const embeddings: RequestListener = (request, response) => {
  void bodyOf(request).then(() => {
    response.writeHead(200, { "content-type": "application/json" });
    const data = [{ object: "embedding", index: 0, embedding: [0.1] }];
    response.end(
      JSON.stringify({ object: "list", data, model: VECTORS, usage: { prompt_tokens: 60, total_tokens: 60 } }),
    );
  });
};

/** Two proxies of a production environment, the rate limit service and its store. */
class QuotaStand {
  private constructor(
    readonly gateway: GatewayStand,
    readonly counting: QuotaCounting,
  ) {}

  static async start(): Promise<QuotaStand> {
    const { resources } = await changedRun("aws-prod", {
      gateway: {
        hostname: "inference.example.com",
        tls: { kind: "acme", email: "platform@example.com" },
        consumers: CONSUMERS,
      },
      nodes: { [GROUP]: { model: CHAT } },
    });
    const gateway = await GatewayStand.start(resources, { proxies: 2 });
    await gateway.serve("llama-70b", engine);
    await gateway.serve(GROUP, engine);
    await gateway.serve("embeddings", embeddings);
    await gateway.serve("drafts", (_, response) => response.end("{}"));
    const counting = await QuotaCounting.start(gateway);
    const stand = new QuotaStand(gateway, counting);
    await waitFor(
      "the proxies to be told of the quotas and to reach whoever counts",
      async () => {
        const statuses = await stand.statuses([0, 1].map((proxy) => ({ consumer: "refused", proxy })));
        const stats = await Promise.all(gateway.proxies.map((proxy) => proxy.stats("ratelimit.ok")));
        const counted = stats.every((each) => [...each.values()].some((value) => value > 0));
        return (counted && statuses.every((status) => status === 200)) || undefined;
      },
      60,
    );
    return stand;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
  }

  /** Sends requests one after another. */
  async answers(asked: readonly Asking[]): Promise<GatewayAnswer[]> {
    const found: GatewayAnswer[] = [];
    for (const each of asked) {
      found.push(await this.gateway.request(this.request(each)));
      if (each.stream === true) {
        await pause(TAKEN_MS);
      }
    }
    return found;
  }

  async statuses(asked: readonly Asking[]): Promise<number[]> {
    return (await this.answers(asked)).map(({ status }) => status);
  }

  private request({ consumer, proxy, path = "/v1/chat/completions", model = CHAT, ...body }: Asking): GatewayRequest {
    const messages = [{ role: "user", content: "is it?" }];
    return { consumer, path, json: { model, messages, ...body }, proxy: this.gateway.proxies[proxy] };
  }
}

interface Asking extends Asked {
  readonly consumer: keyof typeof CONSUMERS;
  /** Which of the two. */
  readonly proxy: number;
  readonly path?: string;
  readonly model?: string;
}

/** Waits until at least so many seconds are left of the minute that the rate limit service counts in. */
async function secondsLeft(count: number): Promise<number> {
  const left = 60 - ((Date.now() / 1000) % 60);
  if (left >= count) {
    return left;
  }
  await pause(left * 1000 + 200);
  return 60;
}

describe("quotas at two proxies", () => {
  const stand = sharedBySuite(QuotaStand.start);

  it("refuse the request after the last of a minute, whichever proxy it comes to, and nobody else's", async () => {
    await secondsLeft(15);
    const consumer = "requests";
    expect(await stand().statuses([0, 1, 0].map((proxy) => ({ consumer, proxy })))).toEqual([200, 200, 200]);
    const refused = await stand().answers([
      { consumer, proxy: 0 },
      { consumer, proxy: 1 },
    ]);
    const left = 60 - ((Date.now() / 1000) % 60);
    for (const { status, headers, text } of refused) {
      expect(status).toBe(429);
      expect(Math.abs(Number(headers["retry-after"]) - left)).toBeLessThan(3);
      expect(headers["content-type"]).toBe("application/json");
      expect(JSON.parse(text)).toMatchObject({ error: { type: "requests", code: "rate_limit_exceeded" } });
    }
    expect(await stand().statuses([{ consumer: "open", proxy: 0 }])).toEqual([200]);
    await waitFor("the access log to say who was refused, and why", async () =>
      stand()
        .gateway.proxies[0]?.accessLog()
        .find(
          ({ tenant, quota, status, response_flags }) =>
            tenant === consumer && quota === "requests" && status === 429 && response_flags === "RL",
        ),
    );
  });

  it("are a policy that the controllers accept without a word", async () => {
    const conditions = await stand().gateway.conditions();
    const policies = conditions.filter(({ object }) => object.startsWith("BackendTrafficPolicy"));
    expect(policies.length).toBeGreaterThan(0);
    expect(policies.filter(isComplaint)).toEqual([]);
  });

  it("are one bucket for all models and all ways to them", async () => {
    await secondsLeft(15);
    const consumer = "everywhere";
    expect(
      await stand().statuses([
        { consumer, proxy: 0 },
        { consumer, proxy: 1, path: CHAT_PATH },
        { consumer, proxy: 0, path: "/drafts/v2/models/drafts/infer" },
        { consumer, proxy: 1, path: GROUP_PATH },
        { consumer, proxy: 1, path: "/drafts/v2/models/drafts/infer" },
        { consumer, proxy: 0, path: CHAT_PATH },
        { consumer, proxy: 0, path: GROUP_PATH },
        { consumer, proxy: 1 },
      ]),
    ).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
  });

  it("count the tokens of streams of clients that do not ask for them, and end what they began", async () => {
    await secondsLeft(15);
    const consumer = "tokens";
    // 60 and 60 of 100: the second begins within the quota, and is not cut.
    const answers = await stand().answers([
      { consumer, proxy: 0, stream: true, max_tokens: 60 },
      { consumer, proxy: 1, stream: true, max_tokens: 60, path: GROUP_PATH },
      { consumer, proxy: 0, stream: true, max_tokens: 60 },
      { consumer, proxy: 1, stream: true, max_tokens: 60, path: CHAT_PATH },
      { consumer, proxy: 1, stream: true, max_tokens: 60, path: GROUP_PATH },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429, 429]);
    for (const { text } of answers.slice(0, 2)) {
      expect(text).toMatch(/data: \[DONE\]\n\n$/);
    }
    for (const { text } of answers.slice(2)) {
      expect(JSON.parse(text)).toMatchObject({ error: { type: "tokens", code: "rate_limit_exceeded" } });
    }
    await waitFor("the access log to have the tokens of a stream", async () =>
      stand()
        .gateway.proxies[0]?.accessLog()
        .find(({ tenant, total_tokens }) => tenant === consumer && total_tokens === 60),
    );
  });

  it("count the tokens of embeddings", async () => {
    await secondsLeft(15);
    const json = { model: "embeddings", input: "text" };
    const asked = { consumer: "vectors", path: "/v1/embeddings", json };
    const statuses = [];
    for (let count = 0; count < 3; count += 1) {
      const { status } = await stand().gateway.request(asked);
      statuses.push(status);
      await pause(TAKEN_MS);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });

  it.each([429, 503])("leave an engine's own %i as it is", async (status) => {
    const [own] = await stand().answers([{ consumer: "refused", proxy: 0, max_tokens: status }]);
    expect(own).toMatchObject({ status, headers: { "retry-after": "7" } });
    expect(own?.headers).not.toHaveProperty("x-quota");
    expect(JSON.parse(own?.text ?? "")).toMatchObject({ error: { code: "engine" } });
  });

  it("are in the metrics that alerts read, under the rules that the monitor names tenants by", async () => {
    const rules = QUOTAS.map(quotaRule);
    const refused = await waitFor("the service to publish what it counted", async () => {
      const over = [...(await stand().counting.metrics())].filter(
        ([series, value]) => series.startsWith("ratelimit_service_rate_limit_over_limit{") && value > 0,
      );
      const found = rules.filter(({ rule }) => over.some(([series]) => new RegExp(`key1="${rule}"`).test(series)));
      return found.length === 4 ? found.map(({ tenant, kind }) => `${tenant} ${kind}`) : undefined;
    });
    expect(refused).toEqual(["requests requests", "everywhere requests", "tokens tokens", "vectors tokens"]);
  });

  it("let requests pass in production while nobody counts, and hold again by themselves", async () => {
    const { counting, gateway } = stand();
    const outage = [0, 1, 0, 1].map((proxy) => ({ consumer: "outage", proxy }) as const);
    const held = () =>
      waitFor("quotas to hold again", async () => (await stand().statuses(outage)).includes(429) || undefined);
    await held();

    await counting.stopLimiter();
    expect(await stand().statuses(outage)).toEqual([200, 200, 200, 200]);
    const errors = await gateway.proxies[0]?.stats("\\.ratelimit\\.(error|failure_mode_allowed)$");
    expect([...(errors?.values() ?? [])].reduce((sum, value) => sum + value, 0)).toBeGreaterThan(0);
    // The name by which an alert asks.
    expect(await gateway.proxies[0]?.admin("/stats/prometheus")).toMatch(/^envoy_cluster_ratelimit_error\{.*\} [1-9]/m);
    await counting.startLimiter();
    await held();

    await counting.stopStore();
    expect(await stand().statuses(outage)).toEqual([200, 200, 200, 200]);
    await counting.startStore();
    await held();
  });
});
