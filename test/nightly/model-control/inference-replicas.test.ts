/**
 * Two replicas of the API at one answer, on a real Redis: one is held for longer than its lease, as a stalled machine would hold
 * it, and goes on; Redis is killed under both. The engine is a stand-in that counts what it is asked, and numbers its tokens.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { EngineStand, lastToken, token } from "../../e2e/model-control/engine-stand";
import { ended, type Inference, infer, look } from "../../e2e/model-control/inference-calls";
import type { Answer } from "../../e2e/model-control/sick-engine";
import { type Api, OPERATE } from "../../e2e/model-control/start-api";

/** A held process has lost its lease, and others have noticed, after 14 s (`STALLED`): a busy machine takes some more. */
const TAKEN_OVER = 60;
const TOKENS = 100;
const EVERY = 200;

let stand: EngineStand;
/** Ends the wait of every answer that thinks. */
let release: () => void = () => undefined;
let released: Promise<void>;

beforeAll(async () => {
  stand = await EngineStand.start((prompt) => (prompt.startsWith("count") ? counting : thinking));
});
beforeEach(() => {
  stand.asked.length = 0;
  released = new Promise((resolve) => {
    release = resolve;
  });
});
afterEach(async () => {
  release();
  await stand.stopReplicas();
});
afterAll(() => stand?.stop());

/** `0 1 2 …`, a number every `EVERY` milliseconds. */
const counting: Answer = (response) => {
  let next = 0;
  const timer = setInterval(() => {
    response.write(next < TOKENS ? token(`${next} `) : lastToken());
    if (next++ === TOKENS) {
      clearInterval(timer);
      response.end();
    }
  }, EVERY);
  response.on("close", () => clearInterval(timer));
};

/** Says who asks it for the how manieth time; the first waits until it is released. */
const thinking: Answer = async (response) => {
  const time = stand.asked.length;
  if (time === 1) {
    await released;
  }
  response.end(token(`answer ${time}`) + lastToken());
};

const WHOLE = Array.from({ length: TOKENS }, (_, index) => `${index} `).join("");
const options = { max_tokens: 1000, seconds: 300 };
const replica = () => stand.replica({ inference: { idleSeconds: 120, wait: { polls: 60, seconds: 0.5 } } });
const ask = (api: Api, prompt: string) => infer(api, { model: EngineStand.MODEL, prompt, options });

async function begun(api: Api, id: string): Promise<void> {
  await waitFor("the answer to begin", async () => ((await look(api, id)).items[0]?.text ? true : undefined));
}

/** All but the time until it is forgotten, which is reckoned anew with each look. */
function whatIsTold({ state, error, progress, items }: Inference) {
  return { state, error, progress, items };
}

async function expectAlive(api: Api): Promise<void> {
  expect(await ended(api, await ask(api, "another"))).toMatchObject({ state: "completed" });
  expect(api.process.output()).not.toContain("unexpectedly");
}

describe("a replica that is held for longer than its lease, and goes on", () => {
  it("writes nothing more to an answer that another one has ended as interrupted meanwhile", async () => {
    const held = await replica();
    const id = await ask(held, "count");
    await begun(held, id);
    const other = await replica();
    held.process.suspend();
    const before = await ended(other, id, OPERATE, TAKEN_OVER);
    expect(before).toMatchObject({ state: "failed", items: [{ finish_reason: "interrupted", attempts: 1 }] });
    const [{ text = "" } = {}] = before.items;
    expect(WHOLE.startsWith(text) && text.length > 0).toBe(true);
    held.process.resume();
    // Longer than the engine still writes for: all of it has come to the held one by then.
    await pause(TOKENS * EVERY);
    for (const api of [held, other]) {
      expect(whatIsTold(await look(api, id))).toEqual(whatIsTold(before));
    }
    expect(stand.asked).toEqual(["count"]);
    await expectAlive(held);
  });

  it("gives no second answer when it was held before the first token and another one has answered", async () => {
    const held = await replica();
    const id = await ask(held, "think");
    await waitFor("the engine to be asked", async () => (stand.asked.length > 0 ? true : undefined));
    const other = await replica();
    held.process.suspend();
    const before = await ended(other, id, OPERATE, TAKEN_OVER);
    expect(before).toMatchObject({ state: "completed", items: [{ text: "answer 2", finish_reason: "stop" }] });
    release();
    held.process.resume();
    await pause(5_000);
    for (const api of [held, other]) {
      expect(whatIsTold(await look(api, id))).toEqual(whatIsTold(before));
    }
    expect(stand.asked).toEqual(["think", "think"]);
    await expectAlive(held);
  });
});

describe("Redis is killed in the middle of an answer", () => {
  it.each([1, 9])("and is back after %i s: the answer is whole, and the engine was asked once", async (seconds) => {
    const [first, second] = [await replica(), await replica()];
    const id = await ask(first, "count");
    await begun(second, id);
    await stand.redis.process.kill();
    expect(await first.ask("GET", `/inference/${id}`)).toMatchObject({ status: 503 });
    await pause(seconds * 1000);
    await stand.redis.process.start();
    const back = await waitFor("the queue", async () => {
      const { status, body } = await second.ask("GET", `/inference/${id}`);
      return status === 200 ? body : undefined;
    });
    expect(back).toMatchObject({ state: "running" });
    expect(await ended(second, id, OPERATE, 90)).toMatchObject({
      state: "completed",
      items: [{ finish_reason: "stop", attempts: 1, text: WHOLE }],
    });
    expect(stand.asked).toEqual(["count"]);
    await expectAlive(first);
  });
});

describe("a prompt that its engine thinks about for long", () => {
  it("is cancelled, and never told of as lost, whoever looks right after", async () => {
    const [first, second] = [await replica(), await replica()];
    const id = await ask(first, "think");
    // Longer than the silence after which an answer is nobody's any more.
    await pause(8_000);
    expect(await look(second, id)).toMatchObject({ state: "running", items: [{ state: "running" }] });
    expect(await first.ask("DELETE", `/tasks/${id}`)).toMatchObject({ status: 202 });
    const states = new Set<string>();
    const cancelled = await waitFor("the end", async () => {
      const [{ state = "", finish_reason = "" } = {}] = (await look(second, id)).items;
      states.add(`${state} ${finish_reason}`.trim());
      return state === "running" ? undefined : look(second, id);
    });
    expect([...states].filter((one) => one !== "running")).toEqual(["cancelled cancelled"]);
    expect(cancelled).toMatchObject({ state: "failed", error: "cancelled" });
  });
});
