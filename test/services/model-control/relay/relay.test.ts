/** The relay on stand-ins for Ollama: what passes, who may, and how it is refused. Real ones: test/e2e/model-control/relay.test.ts. */
import { afterEach, describe, expect, it } from "vitest";
import type { Relay } from "../../../../services/model-control/src/relay/start";
import { ANYONE, type Answered, ask, relayBefore, statusOf, type WorkerStub, workerStub } from "./relay-fixture";

/** The relay's, in milliseconds: tests let it pass. */
let clock = 0;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) {
    await each.close();
  }
});

async function stand(
  workers: readonly WorkerStub[],
  settings: Readonly<Record<string, unknown>> = {},
  more: readonly string[] = [],
): Promise<Relay> {
  open.push(...workers.map(({ http }) => http));
  const relay = await relayBefore([...workers.map(({ url }) => url), ...more], settings, () => clock);
  open.push(relay);
  return relay;
}

const CHAT = "/v1/chat/completions";

function openAiError({ body }: Answered): unknown {
  return (body as { readonly error: unknown }).error;
}

describe("a model under its own name", () => {
  it("is asked of the worker that has it, by the name that the worker has for it", async () => {
    const [one, two] = [await workerStub({ "other:latest": true }), await workerStub({ "Tiny:latest": true })];
    const relay = await stand([one, two]);
    for (const model of ["tiny", "TINY:latest", "library/tiny", "registry.ollama.ai/library/tiny:latest"]) {
      expect(await ask(relay, CHAT, { model, messages: [] })).toMatchObject({ status: 200, body: { ok: true } });
    }
    expect(one.asked()).toEqual([]);
    expect(two.asked().map(({ path, body }) => [path, body])).toEqual(
      Array(4).fill([CHAT, { model: "Tiny:latest", messages: [] }]),
    );
  });

  it("is found within a second of its coming, while workers are asked once a second at most", async () => {
    const models: Record<string, boolean> = {};
    const worker = await workerStub(models);
    const relay = await stand([worker]);
    const first = await Promise.all(Array.from({ length: 50 }, () => ask(relay, CHAT, { model: "late" })));
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([404]));
    expect(worker.http.asked.filter((what) => what === "GET /api/tags")).toHaveLength(1);
    models["late:latest"] = true;
    clock += 1_000;
    expect((await ask(relay, CHAT, { model: "late" })).status).toBe(200);
  });

  it("goes to the worker with the fewest requests in work, and an answered one is none of them", async () => {
    const gates: (() => void)[] = [];
    let holds = false;
    const slow = () => (holds ? new Promise<object>((resolve) => gates.push(() => resolve({ body: {} }))) : {});
    const workers = [await workerStub({ "m:latest": true }, slow), await workerStub({ "m:latest": true }, slow)];
    const relay = await stand(workers);
    expect((await ask(relay, CHAT, { model: "m" })).status).toBe(200);
    holds = true;
    const answers = Array.from({ length: 6 }, () => ask(relay, CHAT, { model: "m" }));
    await expect.poll(() => gates.length).toBe(6);
    for (const open of gates) {
      open();
    }
    await Promise.all(answers);
    expect(workers.map((worker) => worker.asked().length)).toEqual([4, 3]);
  });

  it("is asked of another worker when the first one cannot be connected to", async () => {
    const [gone, there] = [await workerStub({ "m:latest": true }), await workerStub({ "m:latest": true })];
    const relay = await stand([there], {}, [gone.url]);
    expect((await ask(relay, CHAT, { model: "m" })).status).toBe(200);
    await gone.http.close();
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(relay, CHAT, { model: "m" })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // And a second later, when it is known to be away.
    clock += 1_000;
    expect((await ask(relay, CHAT, { model: "m" })).status).toBe(200);
  });

  it("is no model of a canary where the plan has it: its share is the gateway's to give", async () => {
    const canary = await workerStub({ "planned:latest": true, "late:latest": true });
    const relay = await stand([canary], { workers: [{ name: "c", url: canary.url, except: ["planned"] }] });
    expect((await ask(relay, CHAT, { model: "planned" })).status).toBe(404);
    expect((await ask(relay, CHAT, { model: "late" })).status).toBe(200);
  });
});

describe("a model that cannot be asked", () => {
  it("is OpenAI's 404 where nobody has it, whatever it is called", async () => {
    const relay = await stand([await workerStub({ "m:latest": true })]);
    for (const model of ["nothing", "a b", "../m", "m:latest/../m", "x".repeat(10_000), "m\u0000", "ｍ"]) {
      const answer = await ask(relay, CHAT, { model });
      expect([model.slice(0, 20), answer.status]).toEqual([model.slice(0, 20), 404]);
      expect(openAiError(answer)).toEqual({
        message: expect.stringMatching(/^the model ".{1,110}" does not exist$/),
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      });
    }
  });

  it("is Ollama's 404 at its own API", async () => {
    const relay = await stand([await workerStub({ "m:latest": true })]);
    const { status, body } = await ask(relay, "/api/chat", { model: "nothing" });
    expect([status, body]).toEqual([404, { error: 'the model "nothing" does not exist' }]);
  });

  it("is not loaded by asking for it", async () => {
    const worker = await workerStub({ "asleep:latest": false, "pinned:latest": true });
    const relay = await stand([worker]);
    for (const path of [CHAT, "/v1/completions", "/v1/embeddings"]) {
      const answer = await ask(relay, path, { model: "asleep" });
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(openAiError(answer)).toMatchObject({ code: "model_not_loaded", type: "server_error" });
    }
    for (const path of ["/api/chat", "/api/generate", "/api/embed", "/api/embeddings"]) {
      expect((await ask(relay, path, { model: "asleep" })).status).toBe(503);
    }
    expect(worker.asked()).toEqual([]);
    expect((await ask(relay, "/api/show", { model: "asleep" })).status).toBe(200);
  });

  it("is 503 while no worker answers, and while those that had it do not", async () => {
    const worker = await workerStub({ "m:latest": true });
    const relay = await stand([], {}, [worker.url]);
    expect((await ask(relay, CHAT, { model: "m" })).status).toBe(200);
    await worker.http.close();
    expect(openAiError(await ask(relay, CHAT, { model: "m" }))).toMatchObject({ code: "model_away" });
    // It is asked again, beside the one who asks, and then known to be away.
    clock += 12_000;
    await ask(relay, CHAT, { model: "m" });
    expect(openAiError(await ask(relay, CHAT, { model: "m" }))).toMatchObject({ code: "model_away" });
    expect((await ask(relay, "/api/tags")).status).toBe(503);
    const never = await stand([], {}, [worker.url]);
    expect(openAiError(await ask(never, CHAT, { model: "m" }))).toMatchObject({ code: "no_worker" });
  });
});

describe("a body", () => {
  it("leaves the worker's models where they are", async () => {
    const worker = await workerStub({ "m:latest": true });
    const relay = await stand([worker]);
    const body = { model: "m", prompt: "x", keep_alive: 0, options: { temperature: 0, stop: ["."] } };
    expect((await ask(relay, "/api/generate", body)).status).toBe(200);
    expect(worker.asked()[0]?.body).toEqual({
      model: "m:latest",
      prompt: "x",
      options: { temperature: 0, stop: ["."] },
    });
    for (const option of ["num_ctx", "num_gpu", "num_batch", "num_thread", "use_mmap", "Num_Ctx", "__proto__"]) {
      const answer = await ask(relay, "/api/chat", `{"model":"m","options":{"${option}":1}}`);
      expect([option, answer.status]).toEqual([option, 400]);
      expect(answer.body).toEqual({
        error: expect.stringContaining(`options.${option} is not allowed, because it reloads the model`),
      });
    }
    expect(worker.asked()).toHaveLength(1);
  });

  // Go's decoder reads fields in whatever case, and the last of them counts.
  it.each(["Model", "MODEL", "Keep_Alive", "\u212aeep_alive", "OPTIONS", "option\u017f", "Name"])(
    "is refused with the field %s, which Ollama reads as another",
    async (field) => {
      const worker = await workerStub({ "m:latest": true });
      const relay = await stand([worker]);
      const answer = await ask(relay, "/api/chat", `{"model":"m",${JSON.stringify(field)}:"other"}`);
      expect(answer.status).toBe(400);
      expect(worker.asked()).toEqual([]);
    },
  );

  it("names one model, as the last field of the name: the worker reads no other", async () => {
    const worker = await workerStub({ "m:latest": true, "other:latest": false });
    const relay = await stand([worker]);
    expect((await ask(relay, CHAT, '{"model":"other","model":"m"}')).status).toBe(200);
    expect((await ask(relay, CHAT, '{"model":"m","model":"other"}')).status).toBe(503);
    expect(worker.asked().map(({ body }) => body)).toEqual([{ model: "m:latest" }]);
  });

  it("is a JSON object with a model", async () => {
    const relay = await stand([await workerStub({ "m:latest": true })]);
    const nested = (levels: number) => `{"model":"m","messages":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    for (const body of ["", "{", "[]", "null", '"m"', "{}", '{"model":1}', '{"model":""}', '{"model":{"a":1}}']) {
      expect([body, (await ask(relay, CHAT, body)).status]).toEqual([body, 400]);
    }
    for (const levels of [1_001, 100_000]) {
      expect([levels, (await ask(relay, CHAT, nested(levels))).status]).toEqual([levels, 400]);
    }
    expect((await ask(relay, CHAT, nested(1_000))).status).toBe(200);
    expect((await ask(relay, "/api/show", { name: "m" })).status).toBe(200);
  });

  it("is shown to the worker without anything that only changes it, where it asks for a description", async () => {
    const worker = await workerStub({ "m:latest": true });
    const relay = await stand([worker]);
    await ask(relay, "/api/show", { name: "m", system: "x", options: { temperature: 1 }, verbose: true });
    expect(worker.asked()[0]?.body).toEqual({ model: "m:latest", verbose: true });
  });
});

describe("a path", () => {
  const worker = workerStub({ "planned:latest": true });

  it.each([
    ["POST", "/api/pull"],
    ["POST", "/api/push"],
    ["POST", "/api/create"],
    ["POST", "/api/copy"],
    ["DELETE", "/api/delete"],
    ["POST", "/api/blobs/sha256:00"],
    ["HEAD", "/api/blobs/sha256:00"],
    ["GET", "/v1/models"],
    ["POST", "/api/./pull"],
    ["POST", "/api/chat/../pull"],
    ["POST", "/api/chat/%2e%2e/pull"],
    ["POST", "/api%2fchat"],
    ["POST", "//api/chat"],
    ["POST", "/api//chat"],
    ["POST", "/API/chat"],
    ["POST", "/api/chat/"],
    ["POST", "/api/chat?x=/../pull"],
    ["POST", "/api/chat#/pull"],
    ["POST", "/api/chat;pull"],
    ["POST", "http://elsewhere/api/chat"],
    ["GET", "/api/chat"],
    ["PUT", "/api/chat"],
    ["POST", "/api/tags"],
    ["GET", "/livez"],
    ["GET", "/metrics"],
    ["GET", "/"],
    ["OPTIONS", "*"],
  ])("is no call: %s %s", async (method, target) => {
    const { url, asked } = await worker;
    const relay = await relayBefore([url]);
    open.push(relay);
    expect(await statusOf(relay, method, target)).toBe(404);
    expect(asked()).toEqual([]);
  });

  it("of Ollama is none unless the platform says so", async () => {
    const stub = await workerStub({ "m:latest": true });
    const relay = await stand([stub], { ollamaApi: false });
    expect(await ask(relay, "/api/chat", { model: "m" })).toMatchObject({
      status: 404,
      body: { error: /no such path/ },
    });
    expect((await ask(relay, "/api/tags")).status).toBe(404);
    expect((await ask(relay, CHAT, { model: "m" })).status).toBe(200);
  });
});

describe("a caller", () => {
  it("is whom the gateway names, and nobody else", async () => {
    const relay = await stand([await workerStub({ "m:latest": true })]);
    for (const headers of [
      {},
      { "x-consumer-id": "stranger" },
      { "x-consumer-id": "anyone, narrow" },
      { "x-consumer-id": "__proto__" },
    ]) {
      expect((await ask(relay, CHAT, { model: "m" }, headers as Record<string, string>)).status).toBe(403);
    }
  });

  it("with models of its own reaches no other, and none that came at run time", async () => {
    const worker = await workerStub({ "planned:latest": true, "late:latest": true });
    const relay = await stand([worker]);
    const narrow = { "x-consumer-id": "narrow" };
    expect((await ask(relay, CHAT, { model: "planned" }, narrow)).status).toBe(200);
    const refused = await ask(relay, CHAT, { model: "late" }, narrow);
    expect([refused.status, openAiError(refused)]).toEqual([
      403,
      expect.objectContaining({ code: "model_not_allowed" }),
    ]);
    expect((await ask(relay, "/api/show", { model: "late" }, narrow)).status).toBe(403);
    expect((await ask(relay, CHAT, { model: "nothing" }, narrow)).status).toBe(404);
    const names = async (path: string, headers: Record<string, string>) =>
      (
        (await ask(relay, path, undefined, headers)).body as { readonly models: { readonly name: string }[] }
      ).models.map(({ name }) => name);
    expect(await names("/api/tags", narrow)).toEqual(["planned:latest"]);
    expect(await names("/api/ps", narrow)).toEqual(["planned:latest"]);
    expect(await names("/api/tags", ANYONE)).toEqual(["planned:latest", "late:latest"]);
  });

  it("whose tokens have a limit uses the API that counts them", async () => {
    const relay = await stand([await workerStub({ "m:latest": true })]);
    const counted = { "x-consumer-id": "counted" };
    expect((await ask(relay, CHAT, { model: "m" }, counted)).status).toBe(200);
    for (const path of ["/api/chat", "/api/show"]) {
      expect(await ask(relay, path, { model: "m" }, counted)).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining("use /v1/chat/completions") },
      });
    }
  });
});

describe("lists", () => {
  it("show what all workers have, in the fields that are known", async () => {
    const relay = await stand([
      await workerStub({ "a:latest": true }),
      await workerStub({ "a:latest": true, "b:1": false }),
    ]);
    expect((await ask(relay, "/api/tags")).body).toEqual({
      models: [
        { name: "a:latest", size: 1, digest: "abc" },
        { name: "b:1", size: 1, digest: "abc" },
      ],
    });
    expect((await ask(relay, "/api/ps")).body).toEqual({ models: [{ name: "a:latest", size: 1, size_vram: 0 }] });
    expect((await ask(relay, "/api/version")).body).toEqual({ version: "0.32.15" });
  });
});

describe("its own port", () => {
  it("tells probes and Prometheus", async () => {
    const relay = await stand([await workerStub({ "m:latest": true })]);
    await ask(relay, CHAT, { model: "m" });
    await ask(relay, CHAT, { model: "nothing" });
    expect((await fetch(`${relay.adminUrl}/livez`)).status).toBe(200);
    expect((await fetch(`${relay.adminUrl}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${relay.adminUrl}/metrics`)).text();
    expect(metrics).toContain('model_relay_requests_total{api="openai",model="m:latest",status="200"} 1');
    expect(metrics).toContain('model_relay_requests_total{api="openai",model="",status="404"} 1');
    expect(metrics).toContain('model_relay_worker_away{worker="w0"} 0');
  });
});
