/** `/<group>/…` in the real gateway: the same rights, counts and refusals as at the model, whatever the path. Nodes are stand-ins here. */
import { request as plainRequest } from "node:https";
import { describe, expect, it } from "vitest";
import { publishedExternal } from "../../../components/gateway/published";
import { tenantsOf } from "../../../planner/tenants";
import { connectionOptions, type GatewayAnswer, type GatewayRequest } from "../../../rehearsal/cluster/gateway/request";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { endpoint } from "../../components/gateway/fixture";
import { sharedBySuite } from "../shared-by-suite";
import { notingEngine, type Seen, USAGE } from "./noting-engine";
import { standOf } from "./stand-of";

const nodes = (group: string) => ({ group, port: 9080, metrics: [] });

/** What answers each Backend. */
const servers = {
  cluster: notingEngine(),
  "cluster.canary": notingEngine(),
  vectors: notingEngine(),
  ranking: notingEngine(),
  drafting: notingEngine(),
  lab: notingEngine(),
};
type Server = keyof typeof servers;

const PARTNER = "llm.partner.example";

const stand = sharedBySuite(async () => {
  const endpoints = [
    endpoint("legal", { servedName: "law:8b", otherNames: ["contracts"], node: nodes("cluster") }),
    endpoint("legal-canary", {
      servedName: "law:8b",
      revisionOf: { model: "legal", weight: 0 },
      node: nodes("cluster"),
    }),
    endpoint("embeddings", { servedName: "bge-m3", task: "embedding", node: nodes("vectors") }),
    endpoint("rerank", { servedName: "bge-reranker", task: "rerank", node: nodes("ranking") }),
    endpoint("drafts", {
      engine: "triton",
      task: "completion",
      ports: { "kserve-http": 8000, "kserve-grpc": 8001 },
      node: nodes("drafting"),
    }),
    endpoint("cold", { node: nodes("nobody") }),
  ];
  const studio = publishedExternal({
    name: "studio",
    servedName: "studio-small",
    task: "chat",
    url: `http://${PARTNER}:8080/openai/v1`,
    modelThere: "qwen",
    healthPath: "/openai/v1/models",
  });
  const started = await standOf(
    {
      endpoints,
      outside: [studio],
      groups: [{ name: "lab", model: "studio" }],
      tenants: tenantsOf({ default: {}, embedder: { models: ["embeddings"] }, guest: { priority: "free" } }),
    },
    { proxies: 0 },
  );
  for (const [name, { listener }] of Object.entries(servers)) {
    await started.serve(name, listener);
  }
  await started.startProxy();
  return started;
});

const chat = (model: string, more: object = {}) => ({ model, messages: [{ role: "user", content: "Hi" }], ...more });

interface Asked {
  readonly answer: GatewayAnswer;
  /** What reached which server meanwhile; the gateway's own checks of their health are left out. */
  readonly at: Partial<Record<Server, Seen[]>>;
}

const isCheck = ({ headers }: Seen) => headers["user-agent"]?.startsWith("Envoy/HC");

/** Sends a request as a consumer; as nobody, where the name is empty. */
async function ask({ consumer = "default", ...request }: GatewayRequest): Promise<Asked> {
  for (const { seen } of Object.values(servers)) {
    seen.splice(0);
  }
  const answer = await stand().request({ ...request, ...(consumer !== "" && { consumer }) });
  const reached = Object.entries(servers)
    .map(([name, { seen }]) => [name, seen.filter((each) => !isCheck(each))] as const)
    .filter(([, seen]) => seen.length > 0);
  return { answer, at: Object.fromEntries(reached) };
}

const codeOf = ({ text }: GatewayAnswer) => (JSON.parse(text) as { error: { code: string } }).error.code;

function accessLog() {
  return stand().proxies.flatMap((proxy) => proxy.accessLog());
}

describe("the path of a server group", () => {
  it.each<[string, Server, string, object, string, number]>([
    ["/cluster/infer", "cluster", "law:8b", chat("law:8b"), "/v1/chat/completions", USAGE.total_tokens],
    ["/cluster/infer", "cluster", "contracts", chat("contracts", { stream: true }), "/v1/chat/completions", 12],
    ["/cluster/infer?a=b", "cluster", "law:8b", chat("law:8b"), "/v1/chat/completions", 12],
    ["/cluster/chat/completions", "cluster", "law:8b", chat("law:8b"), "/v1/chat/completions", 12],
    ["/cluster/v1/chat/completions", "cluster", "law:8b", chat("law:8b"), "/v1/chat/completions", 12],
    ["/cluster.canary/infer", "cluster.canary", "law:8b", chat("law:8b"), "/v1/chat/completions", 12],
    ["/vectors/infer", "vectors", "bge-m3", { model: "bge-m3", input: "a" }, "/v1/embeddings", 7],
    ["/vectors/embeddings", "vectors", "bge-m3", { model: "bge-m3", input: "a" }, "/v1/embeddings", 7],
    [
      "/ranking/infer",
      "ranking",
      "bge-reranker",
      { model: "bge-reranker", query: "a", documents: ["b"] },
      "/v2/rerank",
      0,
    ],
    [
      "/ranking/rerank",
      "ranking",
      "bge-reranker",
      { model: "bge-reranker", query: "a", documents: ["b"] },
      "/v2/rerank",
      0,
    ],
    ["/lab/infer", "lab", "studio-small", chat("studio-small"), "/openai/v1/chat/completions", 12],
  ])("%s leads to %s as %s, and is counted", async (path, server, model, json, there, tokens) => {
    const before = accessLog().length;
    const { answer, at } = await ask({ path, json });
    expect([answer.status, Object.keys(at)]).toEqual([200, [server]]);
    expect(at[server]?.map((seen) => `${seen.method} ${seen.path.split("?")[0]}`)).toEqual([`POST ${there}`]);
    const line = await waitFor("the access log", async () => accessLog().slice(before).at(-1));
    expect(line).toMatchObject({ consumer: "default", model, path: path.split("?")[0], total_tokens: tokens });
    const id = at[server]?.[0]?.headers["x-request-id"];
    expect([line.request_id, answer.headers["x-request-id"]]).toEqual([id, id]);
  });

  it("passes a KServe request to the nodes' own /infer, and the body as it is", async () => {
    const json = { text_input: "Hello,", sampling_param_max_tokens: 4 };
    const { answer, at } = await ask({ path: "/drafting/infer", json });
    expect([answer.status, Object.keys(at)]).toEqual([200, ["drafting"]]);
    expect(at.drafting?.[0]).toMatchObject({ method: "POST", path: "/infer", body: JSON.stringify(json) });
  });

  it("tells a server of others no header of ours, and its own name of the model", async () => {
    const { at } = await ask({ path: "/lab/infer", json: chat("studio-small"), headers: { cookie: "of-the-client" } });
    expect(at.lab?.[0]?.headers).not.toHaveProperty("cookie");
    expect(at.lab?.[0]?.headers).not.toHaveProperty("x-tenant-id");
    expect(JSON.parse(at.lab?.[0]?.body ?? "")).toMatchObject({ model: "qwen" });
  });

  it("streams", async () => {
    const { answer } = await ask({ path: "/cluster/infer", json: chat("law:8b", { stream: true }) });
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(answer.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("leads free consumers to the same nodes, by a way with fewer places", async () => {
    const { answer, at } = await ask({ path: "/cluster/infer", json: chat("law:8b"), consumer: "guest" });
    expect([answer.status, Object.keys(at)]).toEqual([200, ["cluster"]]);
    // Not the last line: Envoy writes those of earlier requests when it likes.
    const line = await waitFor("the access log", async () => accessLog().find(({ consumer }) => consumer === "guest"));
    expect(line.route).toContain("free-cluster");
  });

  it.each(["bge-m3", "law", "legal", "cluster"])("takes no body for another model: %s", async (model) => {
    const { answer, at } = await ask({ path: "/cluster/infer", json: chat(model) });
    expect([answer.status, codeOf(answer), at]).toEqual([404, "model_not_found", {}]);
  });

  it("takes no body that names no model", async () => {
    const { answer, at } = await ask({ path: "/cluster/infer", json: { messages: [] } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(at).toEqual({});
  });

  it.each([
    ["/cluster/infer", { json: chat("law:8b") }],
    ["/cluster/v1/chat/completions", { json: chat("law:8b") }],
    ["/cluster.canary/infer", { json: chat("law:8b") }],
    ["/cluster/health", {}],
    ["/drafting/infer", { json: { text_input: "a" } }],
    ["/drafting/health", {}],
    ["/lab/infer", { json: chat("studio-small") }],
    ["/lab/health", {}],
  ])("is closed to who may not use its model, and to who has no key: %s", async (path, request) => {
    const refused = await ask({ path, ...request, consumer: "embedder" });
    expect([refused.answer.status, codeOf(refused.answer), refused.at]).toEqual([403, "model_not_allowed", {}]);
    const unknown = await ask({ path, ...request, consumer: "" });
    expect([unknown.answer.status, codeOf(unknown.answer), unknown.at]).toEqual([401, "invalid_api_key", {}]);
  });

  it("is open to who may use that model alone", async () => {
    const { answer, at } = await ask({
      path: "/vectors/infer",
      json: { model: "bge-m3", input: "a" },
      consumer: "embedder",
    });
    expect([answer.status, Object.keys(at)]).toEqual([200, ["vectors"]]);
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(["GET", "PUT", "DELETE", "HEAD", "OPTIONS"])(
    "answers %s at /infer with 404, nothing of the nodes'",
    async (method) => {
      for (const path of ["/cluster/infer", "/drafting/infer"]) {
        const { status, at } = await askRaw(path, method);
        expect([path, status, at]).toEqual([path, 404, []]);
      }
    },
  );

  it.each([
    "/cluster",
    "/cluster/",
    "/cluster/infer/",
    "/cluster/infer/x",
    "/cluster/inferx",
    "/cluster/INFER",
    "/cluster/infer;a=b",
    "/cluster/infer/../..",
    "/cluster/infer/../../metrics",
    "/cluster/infer/%2e%2e/%2e%2e/metrics",
    "/cluster/..%2finfer",
    "/cluster/v1/../infer/../metrics",
    "/cluster/completions",
    "/cluster/embeddings",
    "/cluster/metrics",
    "/cluster/stats/prometheus",
    "/cluster/v1/score",
    "/cluster/v1/infer",
    "/cluster/cluster/infer",
    "/legal/infer",
    "/legal/chat/completions",
    "/legal/health",
    "/drafting/v2/repository/index",
    "/drafting/v1/chat/completions",
    "/nobody-knows/infer",
    "/infer",
    "/health",
    "/.canary/infer",
  ])("ends at the gateway where it is not one of the group's: %s", async (path) => {
    for (const method of ["POST", "GET"]) {
      const { status, text, at } = await askRaw(path, method);
      // A path in another spelling is sent back in its own first, which is none of these either.
      expect([method, path, [404, 307].includes(status), at]).toEqual([method, path, true, []]);
      if (status === 404) {
        expect(JSON.parse(text)).toMatchObject({ error: { type: "invalid_request_error" } });
      }
    }
  });

  it.each(["//cluster//infer", "/legal/../cluster/infer", "/cluster/./infer", "/%63luster/infer"])(
    "is the path that the engine would read, however it is written: %s",
    async (path) => {
      const { status, at } = await askRaw(path, "POST", chat("law:8b"));
      // The engine sees the group's own path of inference, or nothing.
      expect(
        [
          [200, at.join()],
          [404, ""],
        ].map(String),
      ).toContain(String([status, at.join()]));
      expect(at.every((each) => each === "cluster POST /v1/chat/completions")).toBe(true);
    },
  );

  it("is taken from the path alone: a client's headers say nothing", async () => {
    const headers = { "x-path-model": "vectors", "x-ai-eg-model": "bge-m3", "x-consumer-id": "embedder" };
    const { answer, at } = await ask({ path: "/cluster/infer", json: chat("law:8b"), headers });
    expect([answer.status, Object.keys(at)]).toEqual([200, ["cluster"]]);
    expect(at.cluster?.[0]?.headers).toMatchObject({ "x-consumer-id": "default", "x-path-model": "cluster" });
  });

  it("lists the gateway's models, each once, and no group among them", async () => {
    const { answer } = await ask({ path: "/cluster/v1/models" });
    const { data } = JSON.parse(answer.text) as { readonly data: readonly { readonly id: string }[] };
    expect(data.map(({ id }) => id).toSorted()).toEqual([
      "bge-m3",
      "bge-reranker",
      "cold",
      "contracts",
      "law:8b",
      "studio-small",
    ]);
  });
});

describe("the health of a server group", () => {
  it("of a server outside is whether that answers on its health path, which gets no key and is not passed on", async () => {
    const { answer, at } = await ask({ path: "/lab/health", headers: { cookie: "of-the-client" } });
    expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([
      200,
      "application/json",
      '{"status":"ok"}',
    ]);
    expect(at.lab).toMatchObject([{ method: "GET", path: "/openai/v1/models", headers: { host: PARTNER } }]);
    for (const header of ["authorization", "x-api-key", "cookie", "x-tenant-id"]) {
      expect(at.lab?.[0]?.headers).not.toHaveProperty(header);
    }
  });

  it("is what a node says", async () => {
    const { answer, at } = await ask({ path: "/cluster/health" });
    expect([answer.status, Object.keys(at)]).toEqual([200, ["cluster"]]);
    expect(at.cluster?.[0]).toMatchObject({ method: "GET", path: "/health" });
  });

  it("is said by the gateway in the nodes' words where none is there, and requests are refused in OpenAI's", async () => {
    const { answer } = await ask({ path: "/nobody/health" });
    expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([
      503,
      "application/json",
      '{"status":"unhealthy"}',
    ]);
    const refused = await ask({ path: "/nobody/infer", json: chat("cold") });
    expect([refused.answer.status, codeOf(refused.answer)]).toEqual([503, "overloaded"]);
  });

  it("keeps the listener's other refusals", async () => {
    const { answer } = await ask({ path: "/cluster/health", consumer: "embedder" });
    expect([answer.status, codeOf(answer)]).toEqual([403, "model_not_allowed"]);
  });
});

/** A request to the letter: no client here tidies the path up. */
async function askRaw(path: string, method: string, json?: object) {
  for (const { seen } of Object.values(servers)) {
    seen.splice(0);
  }
  const [proxy] = stand().proxies;
  if (proxy === undefined) {
    throw new Error("the stand has no proxy");
  }
  const body = json && JSON.stringify(json);
  const headers = {
    host: stand().hostname,
    authorization: `Bearer ${await stand().key("default")}`,
    ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
  };
  const answer = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const options = { ...connectionOptions(proxy, stand()), agent: false, method, headers, path };
    plainRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
    })
      .once("error", reject)
      .end(body);
  });
  const at = Object.entries(servers).flatMap(([name, { seen }]) =>
    seen.filter((each) => !isCheck(each)).map((each) => `${name} ${each.method} ${each.path}`),
  );
  return { ...answer, at };
}
