/**
 * Engines that never end an answer, or never begin one, against asynchronous inference; beside them a real Ollama that goes
 * on answering somebody else. The sick ones are stand-ins: a real one does not do such things on request.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { ended, type Inference, infer } from "./inference-calls";
import { tinyLlama } from "./registry";
import { type Answer, dripping, endless, never, SickEngine, status } from "./sick-engine";
import { type Api, INFER } from "./start-api";

const MEGABYTE = 1_000_000;
/** The pod has 512 MiB in all. */
const HEAP = { NODE_OPTIONS: "--max-old-space-size=400" };
/** For one answer of a sick engine. */
const SECONDS = 4;
const IDLE_SECONDS = 1;
const TOKENS = 50;
const CONCURRENCY = 4;
const ANSWER_BYTES = 100_000;

const token = (text: string) => `${JSON.stringify({ response: text, done: false })}\n`;
const end = `${JSON.stringify({ response: "", done: true, done_reason: "stop" })}\n`;

interface Sickness {
  readonly answer: Answer;
  readonly reason: string;
  /** Code of the item's problem; none for an answer that is good as far as it goes. */
  readonly problem?: string;
  /** How often the engine may be asked. */
  readonly asked: number;
}

/** By the prompt that has the engine do it. */
const SICKNESSES: Readonly<Record<string, Sickness>> = {
  "never answers": { answer: never, reason: "time_limit", problem: "time_limit", asked: 1 },
  "begins and falls silent": {
    answer: (response) => void response.write(token("a")),
    reason: "idle",
    problem: "idle",
    asked: 1,
  },
  "writes a token now and then, for ever": { answer: dripping(token("a"), 200), reason: "time_limit", asked: 1 },
  "writes tokens without end": { answer: endless(token("a")), reason: "length", asked: 1 },
  "writes long tokens without end": { answer: endless(token("a".repeat(10_000))), reason: "size_limit", asked: 1 },
  "writes empty tokens without end": { answer: endless(token("")), reason: "length", problem: "no_text", asked: 1 },
  "writes one token without end": {
    answer: endless("a".repeat(65_536)),
    reason: "error",
    problem: "engine_failed",
    asked: 3,
  },
  "begins, and then writes one token without end": {
    answer: (response, body) => {
      response.write(token("a"));
      return endless("a".repeat(65_536))(response, body);
    },
    reason: "interrupted",
    problem: "interrupted",
    asked: 1,
  },
  "writes blank lines without end": {
    answer: endless("\n".repeat(65_536)),
    reason: "error",
    problem: "engine_failed",
    asked: 3,
  },
  "breaks off": {
    answer: (response) => void response.write(token("a"), () => response.destroy()),
    reason: "interrupted",
    problem: "interrupted",
    asked: 1,
  },
  "refuses in endless words": {
    answer: (response, body) => {
      response.writeHead(500);
      return endless("x".repeat(65_536))(response, body);
    },
    reason: "error",
    problem: "engine_failed",
    asked: 3,
  },
  "refuses the prompt": { answer: status(400), reason: "error", problem: "engine_refused", asked: 1 },
  "goes on after its end": {
    answer: (response, body) => {
      response.write(token("a") + end);
      return endless(token("b"))(response, body);
    },
    reason: "stop",
    asked: 1,
  },
};

let stand: ControlStand;
let sick: SickEngine;
let api: Api;
const asked = new Map<string, number>();
let model = "";

beforeAll(async () => {
  [stand, sick] = await Promise.all([ControlStand.start(), SickEngine.start("sick:1", { isLoaded: true })]);
  sick.answers.set("/api/generate", (response, body) => {
    const { prompt } = JSON.parse(body) as { readonly prompt: string };
    asked.set(prompt, (asked.get(prompt) ?? 0) + 1);
    return SICKNESSES[prompt]?.answer(response, body);
  });
  api = await stand.replica(
    {
      others: [{ name: "w0", backend: "ollama", url: sick.url, memoryBytes: 8e9 }],
      inference: { idleSeconds: IDLE_SECONDS, answerBytes: ANSWER_BYTES, concurrency: CONCURRENCY },
      limits: { requestsPerMinute: 100_000 },
    },
    HEAP,
  );
  model = stand.registry.publish("well:latest", tinyLlama({ seed: 7000 }));
  await api.ended(await api.pull(model));
});
afterAll(async () => {
  sick?.stop();
  await stand?.stop();
});

/** What another caller waits for a short answer of the engine that is well. */
async function secondsOfAnother(): Promise<number> {
  const began = Date.now();
  const other = await ended(api, await infer(api, { model, prompt: "hello", options: { max_tokens: 3 } }));
  expect(other).toMatchObject({ state: "completed", items: [{ state: "completed", attempts: 1 }] });
  return (Date.now() - began) / 1000;
}

it("cuts every answer off with a reason, and answers others meanwhile", async () => {
  const prompts = Object.keys(SICKNESSES);
  const options = { max_tokens: TOKENS, seconds: SECONDS };
  const ids = await Promise.all(prompts.map((prompt) => infer(api, { model: "sick:1", prompt, options }, INFER)));
  let isOver = false;
  const answers = Promise.all(ids.map((id) => ended(api, id, INFER, 60))).finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  while (!isOver) {
    waits.push(await secondsOfAnother());
  }
  const found = new Map((await answers).map((answer, index) => [prompts[index] ?? "", answer]));
  for (const [prompt, { reason, problem, asked: times }] of Object.entries(SICKNESSES)) {
    const { state, items } = found.get(prompt) as Inference;
    expect([prompt, items[0]?.finish_reason, items[0]?.error?.code]).toEqual([prompt, reason, problem]);
    expect([prompt, state]).toEqual([prompt, problem === undefined ? "completed" : "failed"]);
    expect([prompt, asked.get(prompt)]).toEqual([prompt, times]);
    expect(items[0]?.text?.length ?? 0).toBeLessThanOrEqual(ANSWER_BYTES);
  }
  // One slot of four is the other caller's.
  expect(waits.length).toBeGreaterThan(1);
  expect(Math.max(...waits)).toBeLessThan(SECONDS + 3);
  expect(api.process.output()).not.toContain("unexpectedly");
  const metrics = await (await fetch(api.metricsUrl)).text();
  expect(Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1])).toBeLessThan(400 * MEGABYTE);
}, 180_000);

it("keeps a slot for others, however much one caller asks of engines that never answer", async () => {
  const prompt = "never answers";
  const seconds = 10;
  asked.clear();
  const atOnce = CONCURRENCY - 1;
  const began = Date.now();
  const request = { model: "sick:1", prompt, options: { seconds } };
  const ids = await Promise.all(Array.from({ length: 3 * atOnce }, () => infer(api, request, INFER)));
  await waitFor("its answers to be begun", async () => asked.get(prompt) === atOnce || undefined, 30);
  const waits: number[] = [];
  while ((Date.now() - began) / 1000 < seconds - 2) {
    waits.push(await secondsOfAnother());
    expect(asked.get(prompt)).toBe(atOnce);
  }
  expect(waits.length).toBeGreaterThan(1);
  // Long before the first of those answers was given up.
  expect(Math.max(...waits)).toBeLessThan(seconds / 2);
  // Those that waited go on at once when their caller's first answers have ended, and not at their next look.
  await waitFor("the next ones to be begun", async () => asked.get(prompt) === 2 * atOnce || undefined, 30);
  expect((Date.now() - began) / 1000).toBeLessThan(seconds + 10);
  await Promise.all(ids.map((id) => api.ask("DELETE", `/inference/${id}`, undefined, INFER)));
}, 120_000);
