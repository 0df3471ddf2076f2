/** The test registry and its model, proven against the real Ollama. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ollama, type Registry, startOllama, startRedis, startRegistry, tinyLlama } from ".";

type Answer = Readonly<Record<string, unknown>>;

describe("the test registry with the real Ollama", () => {
  let ollama: Ollama;
  let registry: Registry;
  let tiny = "";

  async function post(path: string, body: Answer): Promise<Answer> {
    const response = await fetch(`${ollama.url}${path}`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as Answer;
  }

  /** Every line that the pull streams. */
  async function pull(model: string): Promise<Answer[]> {
    const body = JSON.stringify({ model, insecure: true });
    const response = await fetch(`${ollama.url}/api/pull`, { method: "POST", body });
    const lines = (await response.text()).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Answer);
  }

  beforeAll(async () => {
    [ollama, registry] = await Promise.all([startOllama(), startRegistry()]);
    tiny = registry.publish("tiny:latest");
  });
  afterAll(() => Promise.all([ollama?.stop(), registry?.stop()]));

  it("gives a model that generates words up to the limit, and embeds", async () => {
    expect((await pull(tiny)).at(-1)).toEqual({ status: "success" });
    const options = { num_predict: 12 };
    const generated = await post("/api/generate", { model: tiny, prompt: "hello", stream: false, options });
    expect(generated).toMatchObject({ done: true, done_reason: "length", eval_count: 12 });
    expect(generated.response).toMatch(/^[a-z ]+$/);
    const embedded = await post("/api/embed", { model: tiny, input: ["one", "two"] });
    expect(embedded.embeddings).toMatchObject([{ length: 64 }, { length: 64 }]);
  });

  it("shows progress when it is slow", async () => {
    const slow = registry.publish("slow:latest", tinyLlama({ seed: 2, bytes: 3_000_000 }));
    registry.misbehaviour.bytesPerSecond = 3_000_000;
    const lines = await pull(slow);
    registry.misbehaviour.bytesPerSecond = undefined;
    const steps = new Set(lines.filter(({ total }) => Number(total) > 3_000_000).map(({ completed }) => completed));
    expect(steps.size).toBeGreaterThan(5);
  });

  it("is resumed where it broke", async () => {
    const broken = registry.publish("broken:latest", tinyLlama({ seed: 3, bytes: 1_000_000 }));
    registry.misbehaviour.breaks = 1;
    expect((await pull(broken)).at(-1)).toEqual({ status: "success" });
    const ranges = registry.requests.flatMap((request) => /bytes=(\d+)-\d+$/.exec(request)?.[1] ?? []);
    expect(ranges.map(Number).filter((first) => first >= 500_000)).toHaveLength(1);
  });

  it("fails as it is told to, in words that Ollama passes on", async () => {
    const failing = registry.publish("failing:latest", tinyLlama({ seed: 4 }));
    registry.misbehaviour.manifestStatus = 500;
    expect((await pull(failing)).at(-1)?.error).toContain("this test registry answers 500");
    registry.misbehaviour.manifestStatus = undefined;
    registry.misbehaviour.corrupt = true;
    expect((await pull(failing)).at(-1)?.error).toContain("digest mismatch");
    registry.misbehaviour.corrupt = false;
    expect((await pull(`${registry.host}/library/absent:latest`)).at(-1)?.error).toContain("file does not exist");
  });

  it("keeps the models of an Ollama that is killed and started again", async () => {
    await ollama.process.kill();
    await ollama.process.start();
    const response = await fetch(`${ollama.url}/api/tags`);
    expect(await response.text()).toContain(tiny);
  });
});

it("starts a real Redis that keeps what it was given when it is killed", async () => {
  const redis = await startRedis({ password: "secret" });
  try {
    await redis.process.kill();
    await redis.process.start();
    expect(redis.url).toMatch(/^redis:\/\/127\.0\.0\.1:\d+$/);
  } finally {
    await redis.stop();
  }
});
