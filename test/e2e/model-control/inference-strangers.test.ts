/** What others find of an inference task, whatever state it is in and whatever they try: the same as of one that never was. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { ControlStand } from "./control-stand";
import { ended, infer, look } from "./inference-calls";
import { tinyLlama } from "./registry";
import { type Answer, dripping, SickEngine } from "./sick-engine";
import { type Api, INFER, OPERATE } from "./start-api";

const SECRET = "Quetzalcoatl-77";
const ROUTES = [
  ["GET", "/inference/ID"],
  ["DELETE", "/inference/ID"],
  ["GET", "/tasks/ID/status"],
  ["DELETE", "/tasks/ID"],
] as const;

let stand: ControlStand;
let engine: SickEngine;
let api: Api;
let model = "";
/** What the stand-in was asked to write, as it came. */
const prompts: string[] = [];

beforeAll(async () => {
  [stand, engine] = await Promise.all([ControlStand.start(), SickEngine.start("slow:1", { isLoaded: true })]);
  const slowly = dripping(`${JSON.stringify({ response: "a", done: false })}\n`, 200);
  const echo: Answer = (response, body) => {
    const { prompt } = JSON.parse(body) as { readonly prompt: string };
    prompts.push(prompt);
    if (prompt === "slowly") {
      return slowly(response, body);
    }
    response.end(`${JSON.stringify({ response: prompt, done: true, done_reason: "stop" })}\n`);
  };
  engine.answers.set("/api/generate", echo);
  api = await stand.replica({
    others: [{ name: "w0", backend: "ollama", url: engine.url, memoryBytes: 8e9 }],
    inference: { concurrency: 1 },
    limits: { requestsPerMinute: 10_000 },
  });
  model = stand.registry.publish("well:latest", tinyLlama({ seed: stand.nextSeed() }));
  await api.ended(await api.pull(model));
});
afterAll(async () => {
  engine?.stop();
  await stand?.stop();
});

interface Seen {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** All that a caller sees of an answer but its time. */
async function seen(method: string, path: string, token: string): Promise<Seen> {
  const { status, body, headers } = await api.ask(method, path, undefined, token, { "x-request-id": "the-same" });
  const { date: _, ...rest } = Object.fromEntries(headers);
  return { status, body, headers: rest };
}

async function expectHidden(id: string): Promise<void> {
  const never = id.replace(/[0-9a-f]{12}$/, "000000000000");
  for (const [method, path] of ROUTES) {
    const theirs = await seen(method, path.replace("ID", id), OPERATE);
    const none = await seen(method, path.replace("ID", never), OPERATE);
    expect([method, path, theirs.status]).toEqual([method, path, 404]);
    expect(JSON.parse(JSON.stringify(theirs).replaceAll(id, never))).toEqual(none);
  }
  expect(JSON.stringify((await api.ask("GET", "/tasks?limit=500")).body)).not.toContain(id);
}

describe("another token", () => {
  it("finds nothing of a task that waits, runs, has ended, was cancelled, or was deleted; and changes nothing", async () => {
    const running = await infer(api, { model: "slow:1", prompt: "slowly" }, INFER);
    await waitFor("the answer to begin", async () =>
      (await look(api, running, INFER)).items[0]?.text ? true : undefined,
    );
    await expectHidden(running);
    const waits = await infer(api, { model: "slow:1", prompt: SECRET }, INFER);
    await expectHidden(waits);
    expect(await look(api, running, INFER)).toMatchObject({ state: "running", items: [{ state: "running" }] });
    expect(await look(api, waits, INFER)).toMatchObject({ state: "queued", items: [{ state: "waiting" }] });

    expect(await api.ask("DELETE", `/tasks/${running}`, undefined, INFER)).toMatchObject({ status: 202 });
    expect(await ended(api, running, INFER)).toMatchObject({ state: "failed", error: "cancelled" });
    await expectHidden(running);
    expect(await ended(api, waits, INFER)).toMatchObject({ state: "completed", items: [{ text: SECRET }] });
    await expectHidden(waits);
    expect(await ended(api, waits, INFER)).toMatchObject({ state: "completed", items: [{ text: SECRET }] });

    expect(await api.ask("DELETE", `/inference/${waits}`, undefined, INFER)).toMatchObject({ status: 204 });
    await expectHidden(waits);
    // And so does whoever had it.
    for (const [method, path] of ROUTES) {
      expect((await seen(method, path.replace("ID", waits), INFER)).status).toBe(404);
    }
  });

  it("finds nothing by guesses that are near, in other writings, or of another kind", async () => {
    const id = await infer(api, { model, prompt: SECRET, options: { max_tokens: 3 } }, INFER);
    await ended(api, id, INFER);
    const uuid = id.replace(/^inference-/, "");
    const guesses = [
      id.toUpperCase(),
      `INFERENCE-${uuid}`,
      uuid,
      `pull-${uuid}`,
      `load-${uuid}`,
      `${id}%20`,
      `%20${id}`,
      `${id}%00`,
      `${id}%0a`,
      `${id}:record`,
      `{${id}}`,
      `${id}%2f..%2f${id}`,
      `${id}*`,
      "*",
      "%2e%2e",
      "__proto__",
      "constructor",
      "inference-%EF%BC%90",
      "x".repeat(101),
      "x".repeat(5000),
      "%ff",
      "%",
    ];
    for (const guess of guesses) {
      for (const [method, path] of ROUTES) {
        for (const token of [OPERATE, INFER]) {
          const { status, body } = await api.ask(method, path.replace("ID", guess), undefined, token);
          expect([guess, token, [400, 403, 404, 405, 414].includes(status)]).toEqual([guess, token, true]);
          expect(JSON.stringify(body)).not.toContain(SECRET);
        }
      }
    }
    expect(await look(api, id, INFER)).toMatchObject({ state: "completed" });
    expect(api.process.output()).not.toContain("unexpectedly");
  });

  it("makes a task of its own with the idempotency key of somebody else", async () => {
    const key = { "idempotency-key": "order-1" };
    const ask = { model, prompt: SECRET, options: { max_tokens: 2 } };
    const mine = await infer(api, ask, INFER, key);
    const theirs = await infer(api, ask, OPERATE, key);
    expect(theirs).not.toBe(mine);
    // Another request of theirs with the key is told of their own task, and not of mine.
    expect(await infer(api, ask, INFER, key)).toBe(mine);
    expect(await infer(api, ask, OPERATE, key)).toBe(theirs);
    await api.ask("DELETE", `/inference/${mine}`, undefined, INFER);
    expect(await infer(api, ask, OPERATE, key)).toBe(theirs);
    expect(await infer(api, ask, INFER, key)).not.toBe(mine);
    for (const bad of ["", " ", "a b", "ü", "a\tb", "x".repeat(256)]) {
      const answer = await api.ask("POST", "/inference", ask, OPERATE, {
        "idempotency-key": Buffer.from(bad).toString("latin1"),
      });
      // What stands in no header at all is left out by HTTP itself.
      expect([bad, answer.status]).toEqual([bad, bad.trim() === "" ? answer.status : 400]);
      expect(answer.status).toBeLessThan(500);
    }
  });
});

describe("a prompt", () => {
  it.each([
    ["NUL", "a\u0000b"],
    ["control characters", "\u0001\u001b[2J\u007f\u0085\u2028\u2029\ufeff"],
    ["signs beyond the basic plane, joined and from right to left", "👩‍👩‍👧‍👦 \u202emusic\u202c ﷽ e\u0301"],
    ["half of a surrogate pair", "a\ud800b\udc00"],
    ["words of Redis, Lua and JSON", '\r\n*1\r\n$8\r\nFLUSHALL\r\n"]]} return 1 \\u0000 {"task":"x"}'],
    ["names of prototypes", "__proto__ constructor toString"],
    ["one sign a thousand times", "𝕏".repeat(1000)],
  ])("comes to the engine as it was written, and back: %s", async (_, prompt) => {
    const id = await infer(api, { model: "slow:1", prompt, options: { stop: [prompt.slice(0, 50)] } }, INFER);
    const { items } = await ended(api, id, INFER);
    expect(prompts.at(-1)).toBe(prompt);
    // UTF-8 has no form for half of a pair.
    expect(items[0]?.text).toBe(Buffer.from(prompt).toString());
  });

  it("of bytes that are no UTF-8 is refused, or read as JSON reads it", async () => {
    const body = Buffer.concat([
      Buffer.from('{"model":"slow:1","prompt":"'),
      Buffer.from([0xff, 0xfe, 0x00]),
      Buffer.from('"}'),
    ]);
    const headers = { authorization: `Bearer ${INFER}`, "content-type": "application/json" };
    const { status } = await fetch(`${api.url}/inference`, { method: "POST", headers, body });
    expect(status).toBe(400);
  });
});
