/** What is kept of ended tasks takes memory that prompts of others need: one caller cannot fill it all. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { EngineStand, lastToken } from "../../e2e/model-control/engine-stand";
import { ended, infer } from "../../e2e/model-control/inference-calls";
import { type Api, INFER, OPERATE } from "../../e2e/model-control/start-api";

const AT_ONCE = 10;
/** Some six hundred fill the memory. */
const MANY = 2_000;

let stand: EngineStand;
let api: Api;

beforeAll(async () => {
  stand = await EngineStand.start(() => (response) => void response.end(lastToken("hello")), { maxMemory: "24mb" });
  // Else the disk decides how long it takes to fill the memory.
  await stand.withRedis((client) => client.config("SET", "appendfsync", "no"));
  api = await stand.replica({ inference: { queuedPerCaller: 10, wait: { polls: 60, seconds: 0.5 } } });
});
afterAll(() => stand?.stop());

it("a caller whose ended tasks fill the memory is refused with the reason, and others are served", async () => {
  // Nobody has it, and the token may not have it pulled: such tasks end at once, and cost their caller nothing.
  const body = { model: "absent:1", prompt: Array(100).fill("x"), options: { max_tokens: 1 } };
  const refusals = new Set<string>();
  const made: string[] = [];
  while (made.length < MANY && refusals.size === 0) {
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => api.ask("POST", "/inference", body, INFER)),
    );
    for (const { status, body: told } of answers) {
      if (status === 202) {
        made.push(told.task_id);
      } else if (told.code === "queue_full") {
        refusals.add(`${status} ${told.code} ${told.detail}`);
      }
    }
  }
  expect([...refusals]).toEqual([expect.stringMatching(/^503 queue_full .*this caller.*DELETE \/inference/)]);
  for (let turn = 0; turn < 50; turn++) {
    const id = await infer(api, { model: EngineStand.MODEL, prompt: "hello", options: { max_tokens: 3 } }, OPERATE);
    expect(await ended(api, id, OPERATE)).toMatchObject({ state: "completed", items: [{ text: "hello" }] });
  }
  // What it is told to do helps.
  for (const id of made) {
    expect((await api.ask("DELETE", `/inference/${id}`, undefined, INFER)).status).toBe(204);
  }
  await expect
    .poll(async () => (await api.ask("POST", "/inference", body, INFER)).status, { timeout: 10_000 })
    .toBe(202);
});
