/** `/<model>/v1/…` in the real gateway: counted like `/v1/…`, and for that model alone. */
import { describe, expect, it } from "vitest";
import type { GatewayAnswer, GatewayRequest } from "../../../rehearsal/cluster/gateway/request";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { endpoint } from "../../components/gateway/fixture";
import { sharedBySuite } from "../shared-by-suite";
import { notingEngine, type Seen, USAGE } from "./noting-engine";
import { standOf } from "./stand-of";

/** Each on a server of its own, by the name of its path. */
const engines = {
  legal: notingEngine(),
  "legal-canary": notingEngine(),
  vectors: notingEngine(),
  ranking: notingEngine(),
};
type Server = keyof typeof engines;

const stand = sharedBySuite(async () => {
  const canary = endpoint("legal-canary", { servedName: "law:8b", revisionOf: { model: "legal", weight: 0 } });
  const endpoints = [
    endpoint("legal", { servedName: "law:8b", otherNames: ["contracts", "court/rulings"] }),
    canary,
    endpoint("vectors", { servedName: "bge-m3", engine: "ollama", task: "embedding", ports: { openai: 11434 } }),
    endpoint("ranking", { servedName: "bge-reranker", task: "rerank" }),
  ];
  const started = await standOf({ endpoints });
  for (const [name, { listener }] of Object.entries(engines)) {
    await started.serve(name, listener);
  }
  return started;
});

const chat = (model: string, more: object = {}) => ({ model, messages: [{ role: "user", content: "Hi" }], ...more });

interface Asked {
  readonly answer: GatewayAnswer;
  /** What reached which engine meanwhile. */
  readonly at: Partial<Record<Server, Seen[]>>;
}

/** Sends a request as a consumer; as nobody, where the name is empty. */
async function ask({ consumer = "default", ...request }: GatewayRequest): Promise<Asked> {
  for (const { seen } of Object.values(engines)) {
    seen.splice(0);
  }
  const answer = await stand().request({ ...request, ...(consumer !== "" && { consumer }) });
  const reached = Object.entries(engines).filter(([, { seen }]) => seen.length > 0);
  return { answer, at: Object.fromEntries(reached.map(([name, { seen }]) => [name, [...seen]])) };
}

function accessLog() {
  return stand().proxies.flatMap((proxy) => proxy.accessLog());
}

describe("a path that begins with a model's name", () => {
  it.each<[Server, string, string, object, string, number]>([
    ["legal", "law:8b", "/v1/chat/completions", chat("law:8b"), "/v1/chat/completions", USAGE.total_tokens],
    ["legal", "law:8b", "/v1/chat/completions", chat("law:8b", { stream: true }), "/v1/chat/completions", 12],
    ["legal", "court/rulings", "/v1/completions", { model: "court/rulings", prompt: "a" }, "/v1/completions", 12],
    ["legal-canary", "law:8b", "/v1/chat/completions", chat("law:8b"), "/v1/chat/completions", 12],
    ["vectors", "bge-m3", "/v1/embeddings?a=b", { model: "bge-m3", input: "a" }, "/v1/embeddings?a=b", 7],
    ["ranking", "bge-reranker", "/v1/rerank", { model: "bge-reranker", query: "a", documents: ["b"] }, "/v2/rerank", 0],
  ])("leads to %s as %s at %s, and is counted", async (server, model, path, json, there, tokens) => {
    const before = accessLog().length;
    const { answer, at } = await ask({ path: `/${server}${path}`, json });
    expect([answer.status, Object.keys(at)]).toEqual([200, [server]]);
    expect(at[server]?.map((seen) => seen.path.split("?")[0])).toEqual([there.split("?")[0]]);
    const line = await waitFor("the access log", async () => accessLog().slice(before).at(-1));
    expect(line).toMatchObject({
      consumer: "default",
      model,
      path: `/${server}${path.split("?")[0]}`,
      total_tokens: tokens,
    });
  });

  it("streams", async () => {
    const { answer } = await ask({ path: "/legal/v1/chat/completions", json: chat("law:8b", { stream: true }) });
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(answer.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it.each([
    ["another model", "/legal/v1/chat/completions", "bge-m3"],
    ["a model that is nowhere", "/legal/v1/chat/completions", "law"],
    [
      "a name that the model's pattern would match, were its dots and colons free",
      "/legal/v1/chat/completions",
      "lawx8b",
    ],
    ["its own key in the environment, which is no name of it", "/legal/v1/chat/completions", "legal"],
  ])("takes no request for %s", async (_, path, model) => {
    const { answer, at } = await ask({ path, json: chat(model) });
    expect([answer.status, at]).toEqual([404, {}]);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "model_not_found" } });
  });

  it("takes no name that is more than one line, which no header can hold", async () => {
    const { answer, at } = await ask({ path: "/legal/v1/chat/completions", json: chat("law:8b\ncontracts") });
    expect([answer.status, at]).toEqual([500, {}]);
  });

  it("is taken from the path alone: a client's header says nothing", async () => {
    const headers = { "x-path-model": "vectors", "x-ai-eg-model": "bge-m3" };
    const byName = await ask({ path: "/v1/chat/completions", json: chat("law:8b"), headers });
    expect([byName.answer.status, Object.keys(byName.at)]).toEqual([200, ["legal"]]);
    const byPath = await ask({ path: "/legal/v1/chat/completions", json: chat("law:8b"), headers });
    expect([byPath.answer.status, Object.keys(byPath.at)]).toEqual([200, ["legal"]]);
    expect(byPath.at.legal?.[0]?.headers).toMatchObject({ "x-path-model": "legal", "x-ai-eg-model": "law:8b" });
  });

  it("makes a chat of a message, which no engine gets at a path of its own", async () => {
    const { at } = await ask({ path: "/anthropic/v1/messages", json: chat("law:8b", { max_tokens: 1 }) });
    expect(at.legal?.map((seen) => seen.path)).toEqual(["/v1/chat/completions"]);
  });

  it.each([
    "/legal/v1",
    "/legal/v1/score",
    "/legal/v1/models/law:8b",
    "/legal/v1/chat/completions/",
    "/legal/v1x/chat/completions",
    "/legal/v2/rerank",
    "/legal/tokenize",
    "/v1/messages",
    "/legal/v1/messages",
    "/legal/anthropic/v1/messages",
    "/inference/v1/generate",
    "/legal/metrics",
    "/legal/v1/v1/chat/completions",
    "/legal/legal/v1/chat/completions",
    "/nobody/v1/chat/completions",
    "/tokenize",
  ])("leads nowhere past what the filter counts: %s", async (path) => {
    const { answer, at } = await ask({ path, json: chat("law:8b") });
    expect([answer.status, at]).toEqual([404, {}]);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: "unknown_url" } });
  });

  it("lists the gateway's models, each once", async () => {
    const { answer, at } = await ask({ path: "/legal/v1/models" });
    const { data } = JSON.parse(answer.text) as { readonly data: readonly { readonly id: string }[] };
    const names = ["bge-m3", "bge-reranker", "contracts", "court/rulings", "law:8b"];
    expect(data.map(({ id }) => id).toSorted()).toEqual(names);
    expect(at).toEqual({});
  });

  it.each([
    "/legal/v1/chat/completions",
    "/v1/chat/completions",
    "/legal/v1/models",
    "/legal-canary/v1/chat/completions",
  ])("asks for a key at %s", async (path) => {
    const { answer, at } = await ask({ path, json: chat("law:8b"), consumer: "" });
    expect([answer.status, at]).toEqual([401, {}]);
  });
});
