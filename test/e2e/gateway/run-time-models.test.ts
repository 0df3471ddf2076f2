/**
 * Models that come at run time, in the real gateway: real Ollama servers behind the real relay, a model that the real API has one of
 * them fetch from a registry, and Ollama's own API with a key.
 */
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { serviceFqdn } from "../../../names/service-host";
import type { GatewayAnswer, GatewayRequest } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { relaySchema } from "../../../services/model-control/src/relay/config";
import { Directory } from "../../../services/model-control/src/relay/directory";
import { RelayServer } from "../../../services/model-control/src/relay/relay-server";
import { WorkerView } from "../../../services/model-control/src/relay/worker-view";
import { changedRun } from "../../stacks/run";
import { REFUSED_CALLS } from "../model-control/refused-calls";
import { startOllama, startRedis, startRegistry } from "../model-control/registry";
import { tinyLlama } from "../model-control/registry/tiny-llama";
import { Api, ApiBundle } from "../model-control/start-api";
import { sharedBySuite } from "../shared-by-suite";

const CHAT = "/v1/chat/completions";
const RELAY = serviceFqdn("model-relay", "model-control");

/** `dev`, with Ollama's API, and a consumer that is kept to the planned model. */
const CHANGES = {
  gateway: {
    hostname: "inference.example.internal",
    exposure: "ClusterIP",
    tls: { kind: "self-signed" },
    consumers: { web: {}, lab: { models: ["assistant"] } },
  },
  modelControl: { enabled: true, image: "registry.example/model-control:1.0.0", ollamaApi: true },
};

class RunTimeStand {
  private readonly ending: (() => unknown)[] = [];
  readonly published: string[] = [];

  private constructor(
    readonly gateway: GatewayStand,
    readonly api: Api,
    readonly registry: Awaited<ReturnType<typeof startRegistry>>,
    readonly ollamas: readonly { readonly url: string }[],
  ) {}

  static async start(): Promise<RunTimeStand> {
    const { resources, deployment } = await changedRun("dev", CHANGES);
    const bundle = ApiBundle.build();
    const env = { OLLAMA_KEEP_ALIVE: "-1" };
    const [gateway, redis, registry, ...ollamas] = await Promise.all([
      GatewayStand.start(resources),
      startRedis(),
      startRegistry(),
      startOllama(env),
      startOllama(env),
    ]);
    const workers = ollamas.map(({ url }, index) => ({ name: `w${index}`, url }));
    const api = await Api.start(bundle, {
      redis: { url: redis.url },
      registries: { insecure: [registry.host] },
      workers: workers.map((worker) => ({ ...worker, backend: "ollama", memoryBytes: 8e9 })),
    });
    await api.process.waitForOutput(/the task queue is connected/, 20);

    // What the environment tells the relay, but for where the engines are.
    const { data } = deployment.resource("kubernetes:core/v1:ConfigMap", "platform-control-relay-config").inputs;
    const rendered = relaySchema.parse(JSON.parse((data as Record<string, string>)["config.json"] ?? ""));
    const config = { ...rendered, workers: workers.map((worker) => ({ ...worker, except: [] })) };
    const end = new AbortController();
    const views = config.workers.map(
      (worker) =>
        new WorkerView(
          worker,
          end.signal,
          () => undefined,
          () => performance.now(),
        ),
    );
    const parts = { config, directory: new Directory(views), log: pino({ level: "silent" }) };
    for (const relay of [new RelayServer(parts), new RelayServer(parts)]) {
      await gateway.listen(RELAY, config.listen.port, relay.http);
    }
    await gateway.serve("assistant", (request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "planned", object: "chat.completion", choices: [], usage: {} }));
    });

    const stand = new RunTimeStand(gateway, api, registry, ollamas);
    stand.ending.push(
      () => gateway.stop(),
      () => end.abort(),
      () => api.process.stop(),
      () => Promise.all([redis, registry, ...ollamas].map((server) => server.stop())),
      () => bundle.remove(),
    );
    return stand;
  }

  async stop(): Promise<void> {
    for (const step of this.ending) {
      await step();
    }
  }

  async pull(name: string, worker: string): Promise<string> {
    const seed = this.published.push(name) + 60;
    const model = this.registry.publish(`${name}:latest`, tinyLlama({ seed }));
    const { state, error } = await this.api.ended(await this.api.pull(model, { worker }));
    expect([state, error]).toEqual(["completed", undefined]);
    return model;
  }

  async namesAt(index: number, path: "/api/tags" | "/api/ps"): Promise<readonly string[]> {
    const { models } = (await (await fetch(`${this.ollamas[index]?.url}${path}`)).json()) as {
      readonly models: readonly { readonly name: string }[];
    };
    return models.map(({ name }) => name);
  }
}

const stand = sharedBySuite(() => RunTimeStand.start());

function ask(request: GatewayRequest): Promise<GatewayAnswer> {
  return stand().gateway.request({ consumer: "web", ...request });
}

const chat = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: "user", content: "hi" }],
  max_tokens: 4,
  ...more,
});

describe("a model that is pulled while the gateway runs", () => {
  let tiny = "";

  it("is unknown before, in OpenAI's words, and not looked for at a planned one", async () => {
    const { status, text } = await ask({ path: CHAT, json: chat("tiny") });
    expect([status, JSON.parse(text)]).toEqual([
      404,
      { error: expect.objectContaining({ type: "invalid_request_error", param: "model", code: "model_not_found" }) },
    ]);
    expect(JSON.parse((await ask({ path: CHAT, json: chat("assistant") })).text)).toMatchObject({ id: "planned" });
  });

  it("answers within 10 s of the pull's end, from the worker that has it", async () => {
    tiny = await stand().pull("tiny", "w1");
    const ended = performance.now();
    const answer = await waitFor(
      "the model at the gateway",
      async () => {
        const got = await ask({ path: CHAT, json: chat(tiny) });
        return got.status === 200 ? got : undefined;
      },
      10,
    );
    console.log(`answered at the gateway ${Math.round(performance.now() - ended)} ms after the pull's end`);
    expect(JSON.parse(answer.text)).toMatchObject({ object: "chat.completion", usage: { completion_tokens: 4 } });
    expect([await stand().namesAt(0, "/api/ps"), await stand().namesAt(1, "/api/ps")]).toEqual([[], [tiny]]);
  });

  it("is counted as any other, also in a stream", async () => {
    const log = () => stand().gateway.proxies.flatMap((proxy) => proxy.accessLog());
    const before = log().length;
    const stream = await ask({ path: CHAT, json: chat(tiny, { stream: true }) });
    expect([stream.status, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    expect(stream.text).toMatch(/data: \[DONE\]\n\n$/);
    const line = await waitFor("the access log", async () => log().slice(before).at(-1));
    expect(line).toMatchObject({ consumer: "web", model: tiny, output_tokens: 4 });
    const { status, text } = await ask({ path: "/v1/completions", json: { model: tiny, prompt: "a", max_tokens: 2 } });
    expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ object: "text_completion" })]);
  });

  it("is not for who is kept to planned ones, whatever headers it sends", async () => {
    const headers = { "x-consumer-id": "web", "x-tenant-id": "web" };
    for (const path of [CHAT, "/api/chat"]) {
      expect([path, (await ask({ path, json: chat(tiny), consumer: "lab", headers })).status]).toEqual([path, 403]);
    }
    expect((await ask({ path: CHAT, json: chat("assistant"), consumer: "lab" })).status).toBe(200);
    const response = await stand().gateway.request({ path: CHAT, json: chat(tiny), headers });
    expect(response.status).toBe(401);
  });

  it("stays out of GET /v1/models, which names what the gateway has routes for", async () => {
    const { data } = JSON.parse((await ask({ path: "/v1/models" })).text) as {
      readonly data: { readonly id: string }[];
    };
    expect(data.map(({ id }) => id)).toEqual(["assistant"]);
  });

  describe("at Ollama's own API", () => {
    it("streams a chat line by line, for whoever has a key", async () => {
      const json = { model: tiny, messages: [{ role: "user", content: "hi" }], options: { num_predict: 5 } };
      const { status, headers, text } = await ask({ path: "/api/chat", json });
      expect([status, headers["content-type"]]).toEqual([200, "application/x-ndjson"]);
      const lines = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly done: boolean });
      expect(lines.length).toBeGreaterThan(2);
      expect(lines.at(-1)).toMatchObject({ done: true, eval_count: expect.any(Number) });
      expect((await stand().gateway.request({ path: "/api/chat", json })).status).toBe(401);
      const unknown = await ask({ path: "/api/chat", json: { ...json, model: "nothing" } });
      expect([unknown.status, JSON.parse(unknown.text)]).toEqual([404, { error: expect.stringContaining("nothing") }]);
    });

    it("is described, and keeps its place", async () => {
      expect((await ask({ path: "/api/tags" })).text).toContain(tiny);
      expect((await ask({ path: "/api/ps" })).text).toContain(tiny);
      expect((await ask({ path: "/api/version" })).status).toBe(200);
      expect((await ask({ path: "/api/show", json: { model: tiny } })).status).toBe(200);
      expect((await ask({ path: "/api/generate", json: { model: tiny, keep_alive: 0 } })).status).toBe(200);
      expect(await stand().namesAt(1, "/api/ps")).toEqual([tiny]);
    });

    it.each<readonly [method: string, path: string]>([
      ...REFUSED_CALLS,
      ["POST", "/api/./pull"],
      ["POST", "/api%2fpull"],
      ["POST", "//api//pull"],
      ["POST", "/API/pull"],
      ["POST", "/api/chat/%2e%2e/delete"],
    ])("never passes %s %s", async (method, path) => {
      const before = await stand().namesAt(1, "/api/tags");
      const body = { model: tiny, source: tiny, destination: "copy", from: tiny };
      const { status } = await ask({ method, path, json: body });
      expect(status).toBeGreaterThanOrEqual(300);
      expect(status).toBeLessThan(500);
      expect(await stand().namesAt(1, "/api/tags")).toEqual(before);
    });
  });

  it("is asked for in vain as often as one likes: nobody else is shut out by it", async () => {
    const asleep = stand().registry.publish("asleep:latest", tinyLlama({ seed: 99 }));
    await stand().api.ended(await stand().api.pull(asleep, { worker: "w0", load: false }));
    await waitFor("the model on disk", async () =>
      (await ask({ path: "/api/tags" })).text.includes(asleep) ? true : undefined,
    );
    const refused = await Promise.all(Array.from({ length: 30 }, () => ask({ path: CHAT, json: chat(asleep) })));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
    const [proxy] = stand().gateway.proxies;
    const ejected = await proxy?.stats("run-time-models.*outlier_detection.ejections_enforced_total");
    expect([...(ejected?.values() ?? [])]).toEqual([0]);
    expect((await ask({ path: CHAT, json: chat(tiny) })).status).toBe(200);
    expect(await stand().namesAt(0, "/api/ps")).toEqual([]);
  });
});
