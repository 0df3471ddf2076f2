import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type WarmPull, warmPull } from "../../../components/serving/scripts/warm-pull.ts";
import { serve } from "../storage/fakes";

interface Call {
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** Answers as Ollama does; a test replaces the answers it is about. */
interface FakeOllama {
  readonly url: string;
  readonly calls: Call[];
  readonly answers: Record<string, { status?: number; body: string }>;
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
      const { status = 200, body } = answers[path] ?? { status: 404, body: "no such route" };
      response.writeHead(status).end(body);
    });
  });
  return { ...server, calls, answers };
}

describe("warmPull", () => {
  let ollama: FakeOllama;

  beforeEach(async () => {
    vi.spyOn(console, "log").mockReturnValue(undefined);
    ollama = await fakeOllama();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await ollama.close();
  });

  const job = (overrides: Partial<WarmPull> = {}): WarmPull => ({
    servers: [ollama.url],
    tag: "llama3.2:3b",
    servedName: "llama-3.2-3b",
    readyName: "ready-llama-3b",
    task: "chat",
    startTimeoutSeconds: 0,
    ...overrides,
  });

  it("pulls, checks the disk, names and loads the model, and only then declares the replica ready", async () => {
    await warmPull(job());
    expect(ollama.calls).toEqual([
      { path: "GET /", body: {} },
      { path: "GET /api/tags", body: {} },
      { path: "POST /api/pull", body: { model: "llama3.2:3b", stream: true } },
      { path: "GET /api/tags", body: {} },
      { path: "POST /api/copy", body: { source: "llama3.2:3b", destination: "llama-3.2-3b" } },
      { path: "POST /api/generate", body: { model: "llama-3.2-3b", stream: false, keep_alive: -1 } },
      { path: "POST /api/copy", body: { source: "llama3.2:3b", destination: "ready-llama-3b" } },
    ]);
  });

  it("removes the model that was there before, under all its names: the volume holds one", async () => {
    const names = ["llama3.2:1b", "llama-3.2-3b:latest", "ready-llama-3b:latest"];
    ollama.answers["GET /api/tags"] = { body: JSON.stringify({ models: names.map((name) => ({ name })) }) };
    ollama.answers["DELETE /api/delete"] = { body: "" };
    await expect(warmPull(job())).rejects.toThrow("not on disk");
    const removed = ollama.calls.filter((c) => c.path === "DELETE /api/delete").map((c) => c.body.model);
    expect(removed).toEqual(names);
    expect(ollama.calls.findLastIndex((c) => c.path === "DELETE /api/delete")).toBeLessThan(
      ollama.calls.findIndex((c) => c.path === "POST /api/pull"),
    );
  });

  it("asks an embedding model for an embedding", async () => {
    await warmPull(job({ task: "embedding" }));
    expect(ollama.calls.map((c) => c.path)).toContain("POST /api/embed");
    ollama.answers["POST /api/embed"] = { body: JSON.stringify({ embeddings: [] }) };
    await expect(warmPull(job({ task: "embedding" }))).rejects.toThrow("answered without an embedding");
  });

  it("copies nothing where clients use the registry's own name, with or without its default tag", async () => {
    ollama.answers["GET /api/tags"] = { body: JSON.stringify({ models: [{ name: "bge-m3:latest" }] }) };
    await warmPull(job({ tag: "bge-m3", servedName: "bge-m3:latest" }));
    const copies = ollama.calls.filter((c) => c.path === "POST /api/copy");
    expect(copies.map((c) => c.body.destination)).toEqual(["ready-llama-3b"]);
  });

  it("serves every replica", async () => {
    const second = await fakeOllama();
    try {
      await warmPull(job({ servers: [ollama.url, second.url] }));
      expect(second.calls).toHaveLength(ollama.calls.length);
    } finally {
      await second.close();
    }
  });

  it.each<[string, string, { status?: number; body: string }, RegExp]>([
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
    ["a model that is not on disk", "GET /api/tags", { body: '{"models":[]}' }, /not on disk; there are: none/],
    ["a failed load", "POST /api/generate", { status: 500, body: "out of memory" }, /answered 500: out of memory/],
    ["a load without a result", "POST /api/generate", { body: "{}" }, /llama-3\.2-3b did not load/],
  ])("fails with %s, and leaves the replica unready", async (_, path, answer, message) => {
    ollama.answers[path] = answer;
    await expect(warmPull(job())).rejects.toThrow(message);
    expect(ollama.calls.map((c) => c.body.destination)).not.toContain("ready-llama-3b");
  });

  it("says which server never came up", async () => {
    await ollama.close();
    await expect(warmPull(job())).rejects.toThrow(
      /no answer within 0 s: http:\/\/127\.0\.0\.1:\d+: GET \/.*ECONNREFUSED/,
    );
  });
});
