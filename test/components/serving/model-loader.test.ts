import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  keepLoaded,
  loadModels,
  type ModelsToLoad,
  type ModelToLoad,
} from "../../../components/serving/scripts/model-loader.ts";
import { serve } from "../storage/fakes";

interface Call {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

interface Answer {
  readonly status?: number;
  readonly body: string;
  /** What it answers once the model was pulled. @default the same */
  readonly later?: string;
  /** It answers then. @default at once */
  readonly when?: Promise<void>;
}

/** Answers as Ollama does; a test replaces the answers it is about. */
interface FakeOllama {
  readonly url: string;
  readonly calls: Call[];
  readonly answers: Record<string, Answer>;
  close(): Promise<void>;
}

const lines = (...progress: object[]) => progress.map((p) => `${JSON.stringify(p)}\n`).join("");

async function fakeOllama(): Promise<FakeOllama> {
  const calls: Call[] = [];
  const answers: FakeOllama["answers"] = {
    "GET /": { body: "Ollama is running" },
    "POST /api/pull": {
      body: lines(
        { status: "pulling manifest" },
        { status: "pulling abc", digest: "sha256:abc", total: 2e9, completed: 1e9 },
        { status: "success" },
      ),
    },
    "GET /api/tags": { body: JSON.stringify({ models: [{ name: "llama3.2:3b" }] }) },
    "POST /api/copy": { body: "" },
    "POST /api/generate": { body: JSON.stringify({ done: true, done_reason: "load" }) },
    "POST /api/embed": { body: JSON.stringify({ embeddings: [[0.1, 0.2]] }) },
  };
  const server = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = `${request.method} ${request.url}`;
      calls.push({ path, body: JSON.parse(Buffer.concat(chunks).toString() || "{}") as Record<string, unknown> });
      const pulled = calls.some((call) => call.path === "POST /api/pull");
      const {
        status = 200,
        body,
        later = body,
        when,
      }: Answer = answers[path] ?? { status: 404, body: "no such route" };
      void Promise.resolve(when).then(() => response.writeHead(status).end(pulled ? later : body));
    });
  });
  return { ...server, calls, answers };
}

describe("loadModels", () => {
  let ollama: FakeOllama;

  beforeEach(async () => {
    vi.spyOn(console, "log").mockReturnValue(undefined);
    ollama = await fakeOllama();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await ollama.close();
  });

  const job = (overrides: Partial<ModelToLoad> = {}): ModelsToLoad => ({
    server: ollama.url,
    models: [{ tag: "llama3.2:3b", servedName: "llama-3.2-3b", task: "chat", ...overrides }],
  });
  const onDisk = (...names: string[]) => JSON.stringify({ models: names.map((name) => ({ name })) });

  it("pulls what the disk lacks, checks that it came, names and loads it", async () => {
    ollama.answers["GET /api/tags"] = { body: onDisk(), later: onDisk("llama3.2:3b") };
    await loadModels(job());
    expect(ollama.calls).toEqual([
      { path: "GET /api/tags", body: {} },
      { path: "GET /api/tags", body: {} },
      { path: "POST /api/pull", body: { model: "llama3.2:3b", stream: true } },
      { path: "GET /api/tags", body: {} },
      { path: "POST /api/copy", body: { source: "llama3.2:3b", destination: "llama-3.2-3b" } },
      { path: "POST /api/generate", body: { model: "llama-3.2-3b", stream: false, keep_alive: -1 } },
    ]);
  });

  it("asks no registry for what is on disk: it only names and loads it", async () => {
    await loadModels(job());
    expect(ollama.calls.map((c) => c.path)).toEqual(["GET /api/tags", "POST /api/copy", "POST /api/generate"]);
  });

  it("removes the model that was there before, under all its names: the volume holds one", async () => {
    const names = ["llama3.2:1b", "llama-3.2-3b:latest"];
    ollama.answers["GET /api/tags"] = { body: onDisk(...names) };
    ollama.answers["DELETE /api/delete"] = { body: "" };
    await expect(loadModels(job())).rejects.toThrow("not on disk");
    const removed = ollama.calls.filter((c) => c.path === "DELETE /api/delete").map((c) => c.body.model);
    expect(removed).toEqual(names);
    expect(ollama.calls.findLastIndex((c) => c.path === "DELETE /api/delete")).toBeLessThan(
      ollama.calls.findIndex((c) => c.path === "POST /api/pull"),
    );
  });

  it("asks an embedding model for an embedding", async () => {
    await loadModels(job({ task: "embedding" }));
    expect(ollama.calls.map((c) => c.path)).toContain("POST /api/embed");
    ollama.answers["POST /api/embed"] = { body: JSON.stringify({ embeddings: [] }) };
    await expect(loadModels(job({ task: "embedding" }))).rejects.toThrow("answered without an embedding");
  });

  it("copies nothing where clients use the registry's own name, with or without its default tag", async () => {
    ollama.answers["GET /api/tags"] = { body: onDisk("bge-m3:latest") };
    await loadModels(job({ tag: "bge-m3", servedName: "bge-m3:latest" }));
    const copies = ollama.calls.filter((c) => c.path === "POST /api/copy");
    expect(copies).toEqual([]);
  });

  describe("several", () => {
    const two = (): ModelsToLoad => ({
      server: ollama.url,
      models: [
        { tag: "llama3.2:3b", servedName: "chat", task: "chat", parameters: { num_ctx: 4096, num_batch: 512 } },
        { tag: "bge-m3", servedName: "bge-m3", task: "embedding", parameters: { num_ctx: 1024 } },
      ],
    });
    const loaded = (...names: string[]) => ({ body: onDisk(...names) });

    beforeEach(() => {
      ollama.answers["POST /api/create"] = { body: JSON.stringify({ status: "success" }) };
      ollama.answers["DELETE /api/delete"] = { body: "" };
      ollama.answers["GET /api/tags"] = {
        body: onDisk("llama3.2:3b", "chat:latest", "old:1b"),
        later: onDisk("llama3.2:3b", "bge-m3:latest"),
      };
      ollama.answers["GET /api/ps"] = loaded("chat:latest", "bge-m3:latest");
    });

    it("fetches those that the disk lacks, keeps those that it has, and names each with its own parameters", async () => {
      await loadModels(two());
      expect(ollama.calls.slice(2)).toEqual([
        { path: "DELETE /api/delete", body: { model: "old:1b" } },
        { path: "POST /api/pull", body: { model: "bge-m3", stream: true } },
        { path: "GET /api/tags", body: {} },
        {
          path: "POST /api/create",
          body: {
            model: "chat",
            from: "llama3.2:3b",
            parameters: { num_ctx: 4096, num_batch: 512 },
            stream: false,
          },
        },
        { path: "POST /api/generate", body: { model: "chat", stream: false, keep_alive: -1 } },
        {
          path: "POST /api/create",
          body: { model: "bge-m3", from: "bge-m3", parameters: { num_ctx: 1024 }, stream: false },
        },
        { path: "POST /api/embed", body: { model: "bge-m3", input: "ready", keep_alive: -1 } },
        { path: "GET /api/ps", body: {} },
      ]);
    });

    it("fails when one was unloaded for another", async () => {
      ollama.answers["GET /api/ps"] = loaded("bge-m3:latest");
      await expect(loadModels(two())).rejects.toThrow(
        "chat did not stay loaded with the others; there are: bge-m3:latest",
      );
    });
  });

  it.each<[string, string, Answer, RegExp]>([
    [
      "the registry's error",
      "POST /api/pull",
      { body: lines({ status: "pulling manifest" }, { error: "pull model manifest: file does not exist" }) },
      /pull of llama3\.2:3b failed: pull model manifest: file does not exist/,
    ],
    [
      "a stream that ends early",
      "POST /api/pull",
      { body: lines({ status: "verifying sha256 digest" }) },
      /ended with "verifying sha256 digest" instead of "success"/,
    ],
    [
      "a model that is not on disk after its pull",
      "GET /api/tags",
      { body: '{"models":[]}' },
      /not on disk; there are: none/,
    ],
    ["a failed load", "POST /api/generate", { status: 500, body: "out of memory" }, /answered 500: out of memory/],
    ["a load without a result", "POST /api/generate", { body: "{}" }, /llama-3\.2-3b did not load/],
  ])("fails with %s", async (_, path, answer, message) => {
    if (path === "POST /api/pull") {
      ollama.answers["GET /api/tags"] = { body: onDisk() };
    }
    ollama.answers[path] = answer;
    await expect(loadModels(job())).rejects.toThrow(message);
  });
});

describe("keepLoaded", () => {
  let ollama: FakeOllama;
  let readyPort: number;

  beforeEach(async () => {
    vi.spyOn(console, "log").mockReturnValue(undefined);
    ollama = await fakeOllama();
    readyPort = await freePort();
  });
  afterEach(() => vi.restoreAllMocks());

  const job = () => ({
    server: ollama.url,
    models: [{ tag: "llama3.2:3b", servedName: "chat", task: "chat" as const }],
    readyPort,
  });

  it("opens its port once the model is loaded, and closes it and ends with the server", async () => {
    let load: (() => void) | undefined;
    ollama.answers["POST /api/generate"] = {
      body: JSON.stringify({ done: true }),
      when: new Promise((resolve) => (load = () => resolve())),
    };
    const kept = keepLoaded(job());
    const end = kept.catch((error: Error) => error.message);
    await vi.waitFor(() => expect(ollama.calls.map((c) => c.path)).toContain("POST /api/generate"));
    expect(await isOpen(readyPort)).toBe(false);
    load?.();
    await vi.waitFor(async () => expect(await isOpen(readyPort)).toBe(true));
    await ollama.close();
    expect(await end).toBe("the server has ended");
    expect(await isOpen(readyPort)).toBe(false);
  });

  it("ends with what Ollama said, and never opens its port", async () => {
    ollama.answers["POST /api/generate"] = { status: 500, body: "out of memory" };
    await expect(keepLoaded(job())).rejects.toThrow(/answered 500: out of memory/);
    expect(await isOpen(readyPort)).toBe(false);
    await ollama.close();
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
