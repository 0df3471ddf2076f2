/**
 * The real vLLM behind the real gateway: whose prompts are found in its prefix cache, and whether the time to the first token
 * tells one consumer what another one asked.
 */
import { afterAll, describe, expect, it } from "vitest";
import { engineOf } from "../../../engines";
import type { GatewayRequest } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { passedTo } from "../../e2e/gateway/passed-to";
import type { Stand } from "../../e2e/model-store/stand";
import { sharedBySuite } from "../../e2e/shared-by-suite";
import { changedRun } from "../../stacks/run";
import { makeTinyModel } from "./tiny-model";
import { startStand, tinyPlan, weightsFolder } from "./tiny-stand";
import { VllmProcess } from "./vllm-process";

/** A chat model of aws-prod, which plays the tiny one here. */
const CHAT = "llama-70b";
const SHARE = [["owner", "friend"]];
const CONTEXT = 4096;
/** Bytes, each a token of the tiny model. */
const PROMPT_BYTES = 3800;

let store: Stand;
let vllm: VllmProcess;
afterAll(async () => {
  await vllm?.stop();
  await store?.stop();
});

const stand = sharedBySuite(async () => {
  const { resources } = await changedRun("aws-prod", {
    gateway: {
      hostname: "inference.example.com",
      tls: { kind: "acme", email: "platform@example.com" },
      consumers: ["owner", "friend", "stranger"],
      prefixCaches: { share: SHARE },
    },
  });
  const tiny = makeTinyModel([384, 6]);
  const model = tinyPlan(tiny, { servedName: CHAT, contextTokens: CONTEXT, prefixCaches: { parts: 2, shared: SHARE } });
  store = await startStand(model, tiny);
  const [port = 0] = await freePorts(1);
  const volumes = { "/models/current": await weightsFolder(store, model) };
  vllm = new VllmProcess(store.platform.engine(model.name, "vllm"), { port, volumes });
  await vllm.until(engineOf("vllm").health.ready);
  const gateway = await GatewayStand.start(resources);
  await gateway.serve(CHAT, passedTo(port));
  await waitFor(
    "the gateway to answer",
    async () => (await gateway.request(chat("owner", "hello"))).status === 200 || undefined,
    60,
  );
  return gateway;
});

type Consumer = "owner" | "friend" | "stranger";

function chat(consumer: Consumer, text: string, more: object = {}, path = "/v1/chat/completions"): GatewayRequest {
  const json = { model: CHAT, messages: [{ role: "user", content: text }], max_tokens: 1, ...more };
  return { path, json, consumer };
}

const WAYS: Readonly<Record<string, (consumer: Consumer, text: string, more?: object) => GatewayRequest>> = {
  "as a chat": chat,
  "as a completion": (consumer, prompt, more = {}) => ({
    path: "/v1/completions",
    json: { model: CHAT, prompt, max_tokens: 1, ...more },
    consumer,
  }),
  "as a response": (consumer, input, more = {}) => ({
    path: "/v1/responses",
    json: { model: CHAT, input, max_output_tokens: 1, ...more },
    consumer,
  }),
  "by the model's own path": (consumer, text, more) => chat(consumer, text, more, `/${CHAT}/v1/chat/completions`),
};

let prompts = 0;
/** Like no other from its first block on. */
function newPrompt(): string {
  prompts += 1;
  return `${prompts}: `.concat(Math.random().toString(36).repeat(800)).slice(0, PROMPT_BYTES);
}

/** Tokens of a request that were found in the cache. */
async function hitsOf(asked: GatewayRequest): Promise<number> {
  const before = await hits();
  const { status, text } = await stand().request(asked);
  expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  return (await hits()) - before;
}

async function hits(): Promise<number> {
  const [, count = "0"] = /^vllm:prefix_cache_hits_total\{[^}]*\} (\S+)$/m.exec(await vllm.text("/metrics")) ?? [];
  return Number(count);
}

describe.each(Object.entries(WAYS))("a prompt that is sent %s", (_, way) => {
  it("is found by its consumer and its group, and by nobody else, whatever salt they name", async () => {
    const text = newPrompt();
    expect(await hitsOf(way("owner", text))).toBeLessThan(PROMPT_BYTES / 4);
    expect(await hitsOf(way("owner", text))).toBeGreaterThan(PROMPT_BYTES / 2);
    expect(await hitsOf(way("friend", text))).toBeGreaterThan(PROMPT_BYTES / 2);
    expect(await hitsOf(way("owner", text, { cache_salt: "own" }))).toBeGreaterThan(PROMPT_BYTES / 2);
    expect(await hitsOf(way("stranger", text))).toBeLessThan(PROMPT_BYTES / 4);
    const another = newPrompt();
    await hitsOf(way("owner", another, { cache_salt: "known" }));
    expect(await hitsOf(way("stranger", another, { cache_salt: "known" }))).toBeLessThan(PROMPT_BYTES / 4);
  });
});

describe("the time to the first token", () => {
  /** A sharer is told apart by few. */
  const GUESSES = { shared: 80, apart: 400 };
  /** An area of at most 0.55 is allowed, on either side: times that are longer where a guess is right tell as much. */
  const BEYOND_CHANCE = 0.05;
  /** One run shows an area give or take this: √((200 + 200 + 1) / (12 · 200 · 200)), of 200 guesses against 200 (Mann-Whitney). */
  const STANDARD_ERROR = 0.029;

  /** Milliseconds of a guess at what the owner has asked, or not. */
  async function guess(consumer: Consumer, isRight: boolean): Promise<number> {
    const text = newPrompt();
    // The owner asks something before a wrong guess too: a request just before makes the next one faster, whatever it says.
    await stand().request(chat("owner", isRight ? text : newPrompt()));
    const began = performance.now();
    await stand().request(chat(consumer, text));
    return performance.now() - began;
  }

  /** How well times tell right guesses from wrong ones: 0.5 is chance, 1 certainty. */
  async function areaUnderCurve(consumer: Consumer, guesses: number): Promise<number> {
    const times = { right: [] as number[], wrong: [] as number[] };
    for (let count = 0; count < guesses; count += 1) {
      const isRight = count % 2 === 0;
      times[isRight ? "right" : "wrong"].push(await guess(consumer, isRight));
    }
    const won = times.right.flatMap((right) =>
      times.wrong.map((wrong) => (right < wrong ? 1 : right === wrong ? 0.5 : 0)),
    );
    return won.reduce((sum: number, each) => sum + each, 0) / won.length;
  }

  it("tells a consumer that shares the cache what was asked, and no other", { timeout: 25 * 60_000 }, async () => {
    const shared = await areaUnderCurve("friend", GUESSES.shared);
    const apart = await areaUnderCurve("stranger", GUESSES.apart);
    console.info(`area under the curve: ${shared.toFixed(3)} shared, ${apart.toFixed(3)} apart`);
    expect(shared).toBeGreaterThan(0.9);
    expect(Math.abs(apart - 0.5)).toBeLessThan(BEYOND_CHANCE + STANDARD_ERROR);
  });
});
