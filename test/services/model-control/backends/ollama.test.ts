import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PullProgress } from "../../../../services/model-control/src/backends/backend";
import { isPassing, OllamaBackend } from "../../../../services/model-control/src/backends/ollama";
import { EngineRefusal, EngineUnavailable, UnknownModel } from "../../../../services/model-control/src/errors";
import { HttpStub, type StubAnswer } from "../http-stub";
import { OllamaStub } from "../ollama-stub";

const signal = new AbortController().signal;
const LLAMA = { diskBytes: 2000, memoryBytes: 3000 };

describe("on an Ollama that works", () => {
  let ollama: OllamaStub;
  let backend: OllamaBackend;

  beforeEach(async () => {
    ollama = await OllamaStub.listen({ "llama3.2:3b": LLAMA, "bge:m3": { ...LLAMA, embeds: true } });
    backend = new OllamaBackend(ollama.url, {
      insecureRegistries: ["127.0.0.1:5000"],
      timeouts: { noticeSeconds: 0.2 },
    });
  });
  afterEach(() => ollama.close());

  test("tells its version, and whether it uses a GPU once a model is loaded", async () => {
    expect(await backend.health(signal)).toEqual({ version: "0.32.15", gpu: undefined });
    await backend.load("llama3.2:3b", signal);
    expect(await backend.health(signal)).toEqual({ version: "0.32.15", gpu: true });
  });

  test("lists what is on disk with what is known of its memory", async () => {
    await backend.load("llama3.2:3b", signal);
    const [llama, bge] = await backend.models(signal);
    expect(llama).toMatchObject({
      name: "llama3.2:3b",
      loaded: true,
      diskBytes: 2000,
      memoryBytes: 3000,
      gpuBytes: 3000,
    });
    expect(bge).toMatchObject({ name: "bge:m3", loaded: false, diskBytes: 2000 });
    expect(bge?.memoryBytes).toBeUndefined();
  });

  test("the mark of a model changes with its use alone", async () => {
    await backend.load("llama3.2:3b", signal);
    const mark = async () => (await backend.models(signal))[0]?.useMark;
    const before = await mark();
    expect(await mark()).toBe(before);
    ollama.use("llama3.2:3b");
    expect(await mark()).not.toBe(before);
  });

  test("loads for good: by a generate, or by an embed for a model that only embeds", async () => {
    await backend.load("llama3.2:3b", signal);
    await backend.load("bge:m3", signal);
    const loads = ollama.requests.filter(({ body }) => body.keep_alive === -1);
    expect(loads.map(({ path, body }) => [path, body.model])).toEqual([
      ["/api/generate", "llama3.2:3b"],
      ["/api/embed", "bge:m3"],
    ]);
    expect([...ollama.loaded.keys()]).toEqual(["llama3.2:3b", "bge:m3"]);
  });

  test("is in use while any request runs, which nothing that it lists shows", async () => {
    await backend.load("llama3.2:3b", signal);
    const listed = await backend.models(signal);
    ollama.begin("llama3.2:3b");
    ollama.begin("llama3.2:3b");
    ollama.end("llama3.2:3b");
    expect(await backend.models(signal)).toEqual(listed);
    expect(await backend.inUse("llama3.2:3b", signal)).toBe(true);
    expect(await backend.models(signal)).toEqual(listed);
    ollama.end("llama3.2:3b");
    expect(await backend.inUse("llama3.2:3b", signal)).toBe(false);
    expect([...ollama.loaded.keys()]).toEqual(["llama3.2:3b"]);
  });

  test("is not loaded by the question whether it is in use", async () => {
    expect(await backend.inUse("llama3.2:3b", signal)).toBe(false);
    expect(ollama.asked).toEqual(["GET /api/ps"]);
  });

  test("leaves by itself at the time that it tells, or never", async () => {
    await backend.load("llama3.2:3b", signal);
    const expiry = async () => (await backend.models(signal))[0]?.expiresAt;
    expect(await expiry()).toBeUndefined();
    ollama.keepAlive = 300_000;
    const used = ollama.loaded.get("llama3.2:3b")?.getTime() ?? 0;
    expect(await expiry()).toEqual(new Date(used + 300_000));
  });

  test("unloads, and does nothing for what is not loaded", async () => {
    await backend.load("llama3.2:3b", signal);
    await backend.unload("llama3.2:3b", signal);
    expect(ollama.loaded.size).toBe(0);
    const before = ollama.asked.length;
    await backend.unload("llama3.2:3b", signal);
    expect(ollama.asked.slice(before)).toEqual(["GET /api/ps"]);
  });

  test("that is in use for too long stays, also after its requests have ended", async () => {
    const hasty = new OllamaBackend(ollama.url, { timeouts: { unloadSeconds: 0 } });
    await hasty.load("llama3.2:3b", signal);
    ollama.begin("llama3.2:3b");
    await expect(hasty.unload("llama3.2:3b", signal)).rejects.toThrow(
      "still in use 0 s after the unload request: it stays loaded",
    );
    ollama.end("llama3.2:3b");
    expect([...ollama.loaded.keys()]).toEqual(["llama3.2:3b"]);
    await hasty.unload("llama3.2:3b", signal);
    expect(ollama.loaded.size).toBe(0);
  });

  test("purges, and says what is not there", async () => {
    await backend.purge("llama3.2:3b", signal);
    expect([...ollama.onDisk.keys()]).toEqual(["bge:m3"]);
    await expect(backend.purge("llama3.2:3b", signal)).rejects.toThrow(UnknownModel);
    await expect(backend.load("llama3.2:3b", signal)).rejects.toThrow(UnknownModel);
  });

  test("pulls with growing progress", async () => {
    ollama.registry.set("tiny:1", { diskBytes: 1000, memoryBytes: 1 });
    const seen: PullProgress[] = [];
    await backend.pull("tiny:1", (progress) => seen.push(progress), signal);
    expect(seen.map(({ completedBytes }) => completedBytes)).toEqual([
      0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000,
    ]);
    expect(ollama.onDisk.has("tiny:1")).toBe(true);
  });

  test("speaks to an insecure registry without TLS, and to no other", async () => {
    ollama.registry.set("127.0.0.1:5000/library/tiny:1", LLAMA).set("hf.co/library/tiny:1", LLAMA);
    await backend.pull("127.0.0.1:5000/library/tiny:1", () => undefined, signal);
    await backend.pull("hf.co/library/tiny:1", () => undefined, signal);
    const pulls = ollama.requests.filter(({ path }) => path === "/api/pull");
    expect(pulls.map(({ body }) => body.insecure)).toEqual([true, false]);
  });

  test("says that the registry has no such model", async () => {
    await expect(backend.pull("absent:1", () => undefined, signal)).rejects.toThrow(
      new UnknownModel("the registry has no model absent:1"),
    );
  });

  test("a pull that is cancelled ends at once, with the caller's reason", async () => {
    ollama.registry.set("tiny:1", LLAMA);
    ollama.pullPause = 50;
    const cancel = new AbortController();
    const pull = backend.pull("tiny:1", () => cancel.abort(new Error("cancelled")), cancel.signal);
    await expect(pull).rejects.toThrow("cancelled");
    expect(ollama.onDisk.has("tiny:1")).toBe(false);
  });
});

describe("on an Ollama in trouble", () => {
  let stub: HttpStub | undefined;
  afterEach(() => stub?.close());

  async function backendOf(
    answer: (path: string) => StubAnswer | Promise<StubAnswer>,
    timeouts = {},
  ): Promise<OllamaBackend> {
    stub = await HttpStub.listen(({ path }) => answer(path));
    return new OllamaBackend(stub.url, { timeouts });
  }

  test("that is away", async () => {
    const backend = new OllamaBackend("http://127.0.0.1:1");
    await expect(backend.health(signal)).rejects.toThrow(EngineUnavailable);
    await expect(backend.pull("m:1", () => undefined, signal)).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:1 did not answer POST \/api\/pull: .*ECONNREFUSED/,
    );
  });

  test("that has no capacity is unavailable, that fails at a load is refused", async () => {
    let status = 503;
    const backend = await backendOf((path) => {
      if (path === "/api/show") {
        return { body: { capabilities: ["completion"] } };
      }
      return { status, body: { error: "model requires more system memory (8.0 GiB) than is available" } };
    });
    await expect(backend.load("m:1", signal)).rejects.toThrow(EngineUnavailable);
    status = 500;
    await expect(backend.load("m:1", signal)).rejects.toThrow(
      /^http.* answered POST \/api\/generate with 500: model requires more system memory/,
    );
    await expect(backend.load("m:1", signal)).rejects.toThrow(EngineRefusal);
  });

  test("whose pull breaks off, or ends without success", async () => {
    const line = { status: "pulling aaaa", digest: "sha256:a", total: 10, completed: 1 };
    const backend = await backendOf(() => ({ lines: [line], breaks: true }));
    await expect(backend.pull("m:1", () => undefined, signal)).rejects.toThrow(EngineUnavailable);
    await stub?.close();
    const other = await backendOf(() => ({ lines: [line] }));
    await expect(other.pull("m:1", () => undefined, signal)).rejects.toThrow(
      'the pull of m:1 ended with "pulling aaaa"',
    );
  });

  test("whose pull does not move, though it goes on talking", async () => {
    const backend = await backendOf(() => ({ lines: standstill() }), { pullStallSeconds: 0.2 });
    await expect(backend.pull("m:1", () => undefined, signal)).rejects.toThrow(
      "the pull of m:1 made no progress for 0.2 s",
    );
  });

  test.each([
    ["dial tcp: lookup registry.ollama.ai: no such host", true],
    ["pull model manifest: 503: upstream unavailable", true],
    ["max retries exceeded: unexpected EOF", true],
    ["digest mismatch, file must be downloaded again: want sha256:a, got sha256:b", true],
    ["write /models/blobs/x: no space left on device", false],
    ["pull model manifest: 412: this model needs a newer version of Ollama", false],
  ])("whose pull ends with %j: retried %s", async (words, retryable) => {
    const backend = await backendOf(() => ({ lines: [{ status: "pulling manifest" }, { error: words }] }));
    const error = await backend.pull("m:1", () => undefined, signal).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EngineRefusal);
    expect(error).toMatchObject({ retryable, message: `the pull of m:1 failed: ${words}` });
    expect(isPassing(words)).toBe(retryable);
  });

  test("that keeps a model busy", async () => {
    const running = { models: [{ name: "m:1", size: 1, size_vram: 0, expires_at: "2026-11-21T00:00:00Z" }] };
    const backend = await backendOf((path) => ({ body: path === "/api/ps" ? running : { done: true } }), {
      unloadSeconds: 0.3,
    });
    await expect(backend.unload("m:1", signal)).rejects.toThrow(
      "m:1 is still in use 0.3 s after the unload request: it stays loaded",
    );
  });
});

async function* standstill(): AsyncGenerator<object> {
  for (let i = 0; i < 100; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield { status: "pulling aaaa", digest: "sha256:a", total: 10, completed: 3 };
  }
}
