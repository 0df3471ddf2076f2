/**
 * What is left of prompts and answers where others may look: the files that Redis writes, logs, metrics and traces. Every
 * search is also made for a word that was put there in the clear: one that finds nothing at all proves nothing.
 */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { ended, infer, look } from "./inference-calls";
import { tinyLlama } from "./registry";
import { dripping, SickEngine, status } from "./sick-engine";
import { type Api, INFER } from "./start-api";
import { startTraceReceiver, type TraceReceiver } from "./trace-receiver";

/** Put into Redis as it is: every search must find it. */
const PLANTED = "Planted-in-the-clear-99";
const PROMPT = "Canary-of-the-prompt-31";
const ANSWER = "Canary-of-the-answer-32";
const STOP = "Canary-of-the-options-33";
const REFUSAL = "Canary-of-a-refusal-34";
const KEY = "Canary-of-the-key-35";
const SECRETS = [PROMPT, ANSWER, STOP, REFUSAL, KEY];

let stand: ControlStand;
let engine: SickEngine;
let traces: TraceReceiver;
let model = "";

beforeAll(async () => {
  [stand, engine, traces] = await Promise.all([
    ControlStand.start(),
    SickEngine.start("fake:1", { isLoaded: true }),
    startTraceReceiver(),
  ]);
  const slowly = dripping(`${JSON.stringify({ response: ANSWER, done: false })}\n`, 200);
  const refusal = status(400, JSON.stringify({ error: `${REFUSAL}: ${PROMPT}` }));
  engine.answers.set("/api/generate", (response, body) => {
    const { prompt } = JSON.parse(body) as { readonly prompt: string };
    if (prompt.startsWith("slowly")) {
      return slowly(response, body);
    }
    if (prompt.startsWith("refuse")) {
      return refusal(response, body);
    }
    response.end(`${JSON.stringify({ response: ANSWER, done: true, done_reason: "stop" })}\n`);
  });
});
afterEach(() => stand.stopReplicas());
afterAll(async () => {
  engine?.stop();
  await Promise.all([stand?.stop(), traces?.stop()]);
});

async function replica(): Promise<Api> {
  const api = await stand.replica({
    others: [{ name: "w0", backend: "ollama", url: engine.url, memoryBytes: 8e9 }],
    inference: { wait: { polls: 60, seconds: 0.5 } },
    tracing: { otlpEndpoint: traces.url },
  });
  model = stand.registry.publish("well:latest", tinyLlama({ seed: stand.nextSeed() }));
  await api.ended(await api.pull(model));
  return api;
}

/** The files of Redis, as they are on its disk: a new snapshot, and all that was ever appended. */
async function redisFiles(): Promise<Buffer> {
  await stand.withRedis(async (client) => {
    // A short text may be written in another form: this leaves every one as it is.
    await client.config("SET", "rdbcompression", "no");
    await client.set("planted", PLANTED);
    await client.call("SAVE");
  });
  const { folder } = stand.redis.process;
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const kept = files.filter((file) => /\.(rdb|aof)$/.test(file) && statSync(file).isFile());
  expect(kept.filter((file) => readFileSync(file).includes(PLANTED)).map((file) => file.split(".").at(-1))).toEqual(
    expect.arrayContaining(["rdb", "aof"]),
  );
  return Buffer.concat(kept.map((file) => readFileSync(file)));
}

function inTheClear(content: Buffer | string): readonly string[] {
  return SECRETS.filter((secret) =>
    [secret, Buffer.from(secret).toString("base64").slice(0, -4), Buffer.from(secret).toString("hex")].some((form) =>
      content.includes(form),
    ),
  );
}

describe("prompts and answers", () => {
  it("are in no file of Redis, no log, no metric and no trace, while they wait, are written, and are kept", async () => {
    const api = await replica();
    const options = { stop: [STOP], max_tokens: 50, seconds: 60 };
    const ask = (prompt: string, headers = {}) =>
      infer(api, { model: "fake:1", prompt: `${prompt} ${PROMPT}`, options }, INFER, headers);
    const done = await ask("say", { "idempotency-key": KEY });
    const refused = await ask("refuse");
    const real = await infer(api, { model, messages: [{ role: "user", content: PROMPT }], options }, INFER);
    expect(await ended(api, done, INFER)).toMatchObject({ items: [{ text: ANSWER }] });
    expect(await ended(api, refused, INFER)).toMatchObject({ items: [{ error: { code: "engine_refused" } }] });
    expect(await ended(api, real, INFER)).toMatchObject({ state: "completed" });
    const slow = await Promise.all([1, 2, 3, 4].map(() => ask("slowly")));
    await ask("waits");
    await waitFor("an answer to grow", async () =>
      (await look(api, slow[0] ?? "", INFER)).items[0]?.text?.includes(ANSWER.repeat(3)) ? true : undefined,
    );
    await api.ask("POST", "/inference", { model: "fake:1", prompt: [PROMPT, 7] }, INFER);
    await api.ask("POST", "/inference", { model: PROMPT.repeat(20), prompt: PROMPT }, INFER);
    await api.ask("POST", "/inference", { model: "fake:1", prompt: PROMPT, [`unknown ${PROMPT}`]: 1 }, INFER);

    expect(inTheClear(await redisFiles())).toEqual([]);
    // What appends to the file also rewrites it.
    await stand.withRedis((client) => client.call("BGREWRITEAOF"));
    await waitFor("the file to be rewritten", async () =>
      /aof_rewrite_in_progress:0/.test(await stand.withRedis((client) => client.info("persistence")))
        ? true
        : undefined,
    );
    expect(inTheClear(await redisFiles())).toEqual([]);
    const log = api.process.output();
    expect(log).toContain(done);
    expect(inTheClear(log)).toEqual([]);
    const metrics = await (await fetch(api.metricsUrl)).text();
    expect(metrics).toContain("fake:1");
    expect(inTheClear(metrics)).toEqual([]);
    const told = await waitFor("the traces", async () => {
      const text = JSON.stringify(traces.spans());
      return text.includes("task inference") && text.includes("/api/generate") ? text : undefined;
    });
    expect(inTheClear(told)).toEqual([]);
  });

  it("are gone from Redis when they are deleted", async () => {
    const api = await replica();
    const before = await stand.redisKeys("model-control:answers:key:*");
    const prompt = `slowly ${PROMPT}`;
    const running = await infer(api, { model: "fake:1", prompt }, INFER, { "idempotency-key": `${KEY}-gone` });
    await waitFor("the answer", async () => (await look(api, running, INFER)).items[0]?.text);
    const done = await infer(api, { model: "fake:1", prompt: PROMPT }, INFER);
    await ended(api, done, INFER);
    for (const id of [running, done]) {
      expect((await stand.redisKeys(`model-control:answers:*${id}*`)).length).toBeGreaterThan(0);
      expect(await api.ask("DELETE", `/inference/${id}`, undefined, INFER)).toMatchObject({ status: 204 });
      expect(await stand.redisKeys(`model-control:answers:*${id}*`)).toEqual([]);
    }
    expect(await stand.redisKeys("model-control:answers:key:*")).toEqual(before);
    // Whoever was writing the answer finds that it is gone, and does not put it back.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await stand.redisKeys(`model-control:answers:*${running}*`)).toEqual([]);
    const lists = await stand.withRedis((client) => client.zrange("model-control:answers:open", 0, -1));
    expect(lists).not.toContain(running);
  });
});

describe("a key", () => {
  const key = (id: string) => ({ id, key: randomBytes(32).toString("base64") });
  /** A change goes unnoticed for a second at most. */
  const readAgain = () => new Promise((resolve) => setTimeout(resolve, 1_500));
  /** Which keys sealed what is kept: their ids stand before it. */
  const sealedWith = (id: string, what: "prompts" | "answers") =>
    stand.withRedis(async (client) => {
      const fields = await client.hgetallBuffer(`model-control:answers:{${id}}:${what}`);
      return new Set(Object.values(fields).map((sealed) => sealed.subarray(2, 2 + (sealed[1] ?? 0)).toString()));
    });

  it("is replaced with data that is in use, and what a key sealed that is gone is told of clearly", async () => {
    const api = await replica();
    const [first, second, third] = [key("one"), key("two"), key("three")];
    api.replaceKeys([first]);
    await readAgain();
    const old = await infer(api, { model: "fake:1", prompt: "say" }, INFER, { "idempotency-key": "mine" });
    expect(await ended(api, old, INFER)).toMatchObject({ items: [{ text: ANSWER }] });
    expect(await sealedWith(old, "answers")).toEqual(new Set(["one"]));
    const slow = await infer(api, { model: "fake:1", prompt: "slowly", options: { seconds: 8 } }, INFER);
    await waitFor("the answer to begin", async () => (await look(api, slow, INFER)).items[0]?.text);

    api.replaceKeys([second, first]);
    await readAgain();
    expect(await look(api, old, INFER)).toMatchObject({ state: "completed", items: [{ text: ANSWER }] });
    expect(await infer(api, { model: "fake:1", prompt: "say" }, INFER, { "idempotency-key": "mine" })).toBe(old);
    const young = await infer(api, { model: "fake:1", prompt: "say" }, INFER);
    expect(await ended(api, young, INFER)).toMatchObject({ items: [{ text: ANSWER }] });
    expect(await sealedWith(young, "answers")).toEqual(new Set(["two"]));
    // One that grows is sealed anew with each write.
    expect(await ended(api, slow, INFER)).toMatchObject({ items: [{ finish_reason: "time_limit" }] });
    expect(await sealedWith(slow, "answers")).toEqual(new Set(["two"]));

    const blockers = await Promise.all(
      [1, 2, 3, 4].map(() => infer(api, { model: "fake:1", prompt: "slowly", options: { seconds: 4 } }, INFER)),
    );
    const blocked = await infer(api, { model: "fake:1", prompt: "say" }, INFER);
    expect(await sealedWith(blocked, "prompts")).toEqual(new Set(["two"]));
    api.replaceKeys([third]);
    await Promise.all(blockers.map((id) => ended(api, id, INFER)));
    expect(await ended(api, blocked, INFER)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("its key was removed from the key file"),
      items: [{ error: { code: "unreadable" } }],
    });
    for (const id of [old, young]) {
      const [item] = (await look(api, id, INFER)).items;
      expect(item).toMatchObject({ state: "completed", error: { code: "answer_unreadable" } });
      expect(item).not.toHaveProperty("text");
    }
    expect(await api.ask("DELETE", `/inference/${old}`, undefined, INFER)).toMatchObject({ status: 204 });
    const last = await infer(api, { model: "fake:1", prompt: "say" }, INFER);
    expect(await ended(api, last, INFER)).toMatchObject({ items: [{ text: ANSWER }] });
    expect(api.process.output()).not.toContain("unexpectedly");
  });
});
