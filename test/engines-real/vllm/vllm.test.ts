/** vLLM as a plan on CPUs renders it, on a real CPU build, with weights out of the real model store. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import type { ModelPlan } from "../../../planner/types";
import { freePorts } from "../../../rehearsal/cluster/ports";
import type { Stand } from "../../e2e/model-store/stand";
import { hubAdapter } from "../../harness/adapters";
import { makeTinyModel } from "./tiny-model";
import { adapterFolder, CONTEXT, SERVED, startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { type Replaced, VllmProcess } from "./vllm-process";

const ADAPTER = "contracts";

let model: ModelPlan;
let stand: Stand;
let volumes: Replaced["volumes"];
let folders: Replaced["arguments"];
let vllm: VllmProcess;
let statuses: readonly number[];

beforeAll(async () => {
  const tiny = makeTinyModel();
  model = tinyPlan(tiny, { adapters: [hubAdapter(ADAPTER, { rank: 8 })] });
  stand = await startStand(model, tiny);
  const adapters = await adapterFolder(stand, model);
  const [port = 0] = await freePorts(1);
  volumes = { "/models/current": await weightsFolder(stand, model) };
  folders = { [`${ADAPTER}=/adapters/${ADAPTER}`]: `${ADAPTER}=${adapters}/${ADAPTER}` };
  vllm = new VllmProcess(stand.platform.engine(model.name, "vllm"), { port, arguments: folders, volumes });
  statuses = await vllm.until(engineOf("vllm").health.ready);
});
afterAll(async () => {
  await vllm?.stop();
  await stand?.stop();
});

const chat = (changes: object = {}) =>
  vllm.post("/v1/chat/completions", {
    model: SERVED,
    messages: [{ role: "user", content: "hello" }],
    max_tokens: 8,
    ignore_eos: true,
    ...changes,
  });

describe("a server that starts", () => {
  it("answers nothing where its probes look before it has its model, and requests at once after", async () => {
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set([0]));
    expect((await chat()).status).toBe(200);
    expect(await vllm.status(engineOf("vllm").health.alive)).toBe(200);
  });

  it("has the cache that was planned: four requests of the whole context, and a page of 128 tokens more", () => {
    const [, tokens = ""] = /KV cache size: ([\d,]+) tokens/.exec(vllm.output()) ?? [];
    expect(Number(tokens.replaceAll(",", ""))).toBe(4 * CONTEXT + 128);
    expect(model.kvTokens).toBeGreaterThanOrEqual(4 * CONTEXT);
  });

  it("lists the name that it is served under, with the planned context, and its adapter", async () => {
    expect(JSON.parse(await vllm.text("/v1/models"))).toMatchObject({
      data: [
        { id: SERVED, max_model_len: CONTEXT },
        { id: ADAPTER, parent: SERVED },
      ],
    });
  });
});

describe("requests", () => {
  it("are answered as chats and as completions", async () => {
    expect(await (await chat()).json()).toMatchObject({
      object: "chat.completion",
      model: SERVED,
      choices: [{ message: { role: "assistant" }, finish_reason: "length" }],
      usage: { completion_tokens: 8 },
    });
    const completion = await vllm.post("/v1/completions", { model: SERVED, prompt: "hello", max_tokens: 4 });
    expect(await completion.json()).toMatchObject({ object: "text_completion", model: SERVED });
  });

  it("are streamed, a token at a time", async () => {
    const events = (await (await chat({ stream: true, stream_options: { include_usage: true } })).text())
      .split("\n\n")
      .filter((event) => event !== "");
    expect(events.at(-1)).toBe("data: [DONE]");
    const usage = JSON.parse(events.at(-2)?.slice("data: ".length) ?? "");
    expect(usage).toMatchObject({ object: "chat.completion.chunk", usage: { completion_tokens: 8 } });
  });

  it("for another model, or beyond the context, are refused", async () => {
    expect((await chat({ model: "other" })).status).toBe(404);
    expect((await chat({ max_tokens: 2 * CONTEXT })).status).toBe(400);
  });
});

describe("a LoRA adapter", () => {
  const words = async (name: string) => {
    const answer = await vllm.post("/v1/completions", { model: name, prompt: "hello", max_tokens: 16, temperature: 0 });
    expect([name, answer.status]).toEqual([name, 200]);
    const { model: answered, choices } = (await answer.json()) as { model: string; choices: { text: string }[] };
    expect(answered).toBe(name);
    return choices[0]?.text;
  };

  it("answers under its name, otherwise than the model without it, which stays as it was", async () => {
    const [before, adapted, after] = [await words(SERVED), await words(ADAPTER), await words(SERVED)];
    expect(after).toBe(before);
    expect(adapted).not.toBe(before);
  });

  it("answers chats under its name", async () => {
    expect(await (await chat({ model: ADAPTER })).json()).toMatchObject({ object: "chat.completion", model: ADAPTER });
  });

  it("is not to be loaded, nor thrown out, by a client", async () => {
    for (const path of ["/v1/load_lora_adapter", "/v1/unload_lora_adapter"]) {
      expect([path, await vllm.status(path, { method: "POST" })]).toEqual([path, 404]);
    }
  });
});

it("has every series that rules, panels and triggers name, in its metrics", async () => {
  const metrics = await vllm.text("/metrics");
  const { series = {} } = engineOf("vllm").metrics ?? {};
  const types = new Map(
    [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
  const kindOf = (meaning: string) =>
    meaning.endsWith("Seconds") ? "histogram" : meaning.endsWith("Total") ? "counter" : "gauge";
  for (const [meaning, name] of Object.entries(series)) {
    const sample = kindOf(meaning) === "histogram" ? `${name}_bucket` : name;
    expect([name, types.get(name)]).toEqual([name, kindOf(meaning)]);
    expect(metrics).toMatch(new RegExp(`^${sample}\\{[^}]*model_name="${SERVED}"[^}]*\\} [0-9.e+-]+$`, "m"));
  }
  expect(metrics).toMatch(/^vllm:request_success_total\{[^}]*finished_reason="length"[^}]*\} [1-9]/m);
});

it("keeps probes and scrapes out of its log", () => {
  expect(vllm.output()).toContain("POST /v1/chat/completions");
  expect(vllm.output()).not.toMatch(/GET \/(health|metrics|v1\/models)/);
});

it("has no interface of development", async () => {
  for (const path of ["/sleep", "/wake_up", "/collective_rpc"]) {
    expect([path, await vllm.status(path, { method: "POST" })]).toEqual([path, 404]);
  }
});

it("does not start when it is told to be able to sleep, which no plan on CPUs asks of it", async () => {
  const platform = await stand.changed([{ ...model, engineSettings: { sleepMode: true } }]);
  const [port = 0] = await freePorts(1);
  const sleepy = new VllmProcess(platform.engine(model.name, "vllm"), { port, arguments: folders, volumes });
  try {
    expect(await sleepy.ended(120)).toBe("ended with 1");
    expect(sleepy.output()).toContain("Sleep mode is not supported on current platform");
  } finally {
    await sleepy.stop();
  }
});

// The last one: the server is gone after it.
it("ends a running stream before it goes when its pod is told to leave, and takes no more", async () => {
  const answer = await chat({ stream: true, max_tokens: 800 });
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  let text = Buffer.from((await reader.read()).value ?? []).toString();
  const gone = vllm.terminate();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    text += Buffer.from(value).toString();
  }
  expect(text.split("\n\n").filter((event) => event.startsWith("data: {")).length).toBeGreaterThan(700);
  expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
  await gone;
  expect(vllm.ending).toBe("ended with 0");
  expect(await vllm.status("/health")).toBe(0);
});
