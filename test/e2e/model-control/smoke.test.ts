/** `npm run smoke` against a real Ollama, whose models come from the test registry. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { failures, smokeReport, statuses } from "../../cli/smoke-run";
import { type Ollama, type Registry, startOllama, startRegistry, tinyLlama } from "./registry";
import { startTlsProxy } from "./registry/tls-proxy";

describe("smoke on a real Ollama alone", () => {
  let ollama: Ollama;
  let registry: Registry;

  beforeAll(async () => {
    [ollama, registry] = await Promise.all([startOllama(), startRegistry()]);
  });
  afterAll(() => Promise.all([ollama?.stop(), registry?.stop()]));
  afterEach(() => {
    Object.assign(registry.misbehaviour, { bytesPerSecond: undefined, breaks: 0, blobStatus: undefined });
  });

  async function loaded(): Promise<string> {
    return (await fetch(`${ollama.url}/api/ps`)).text();
  }

  it("pulls, measures, asks five times at once and unloads", async () => {
    const tiny = registry.publish("tiny:latest");
    const result = await smokeReport("--url", ollama.url, "--model", tiny, "--insecure-registry");
    expect([result.status, ...statuses(result)]).toEqual([
      0,
      "health passed",
      "pull passed",
      "latency passed",
      "concurrency passed",
      "asynchronous inference not applicable",
      "unload passed",
      "stop worker not applicable",
    ]);
    expect(result.steps[0]?.detail).toMatch(/^Ollama \d+\.\d+\.\d+ serves 0 models$/);
    expect(result.steps[2]?.figures).toMatchObject({ tokens: 32 });
    expect(result.steps[3]?.figures?.requests).toHaveLength(5);
    expect(await loaded()).not.toContain(tiny);
  });

  it("passes a pull that breaks and goes on, and shows how far a slow one is", async () => {
    const slow = registry.publish("slow:latest", tinyLlama({ seed: 2, bytes: 4_000_000 }));
    Object.assign(registry.misbehaviour, { bytesPerSecond: 500_000, breaks: 1 });
    const result = await smokeReport("--url", ollama.url, "--model", slow, "--insecure-registry");
    expect([result.status, result.steps[1]?.status]).toEqual([0, "passed"]);
    expect(result.err).toMatch(/^… pull: \d+ % of 4\.\d MB$/m);
  });

  it("loads a model again that was loaded before", async () => {
    const tiny = registry.publish("tiny:latest");
    const body = JSON.stringify({ model: tiny, stream: false, options: { num_predict: 1 } });
    expect((await fetch(`${ollama.url}/api/generate`, { method: "POST", body })).status).toBe(200);
    const result = await smokeReport("--url", `${ollama.url}/v1`, "--model", tiny, "--insecure-registry");
    expect(result.steps[5]).toMatchObject({ status: "passed", figures: { reloaded: true } });
    expect(await loaded()).toContain(tiny);
  });

  it("fails the pull of a model that the registry lacks, in Ollama's words", async () => {
    const absent = `${registry.host}/library/absent:latest`;
    const result = await smokeReport("--url", ollama.url, "--model", absent, "--insecure-registry");
    expect([result.status, failures(result)]).toEqual([1, { pull: expect.stringContaining("file does not exist") }]);
  });

  it("fails a pull that stands still", async () => {
    const stuck = registry.publish("stuck:latest", tinyLlama({ seed: 3, bytes: 1_000_000 }));
    registry.misbehaviour.bytesPerSecond = 1;
    const argv = ["--url", ollama.url, "--model", stuck, "--insecure-registry", "--timeout", "3"];
    expect(failures(await smokeReport(...argv)).pull).toMatch(/no progress for 3 s, last: 0 % of/);
  });

  it("fails the load of a file that is no model", async () => {
    const broken = registry.publish("broken:latest", Buffer.from("GGUF, but nothing else"));
    const result = await smokeReport("--url", ollama.url, "--model", broken, "--insecure-registry");
    expect(failures(result)).toEqual({ pull: expect.stringContaining("loads into memory") });
  });

  it("fails, and hangs nowhere, when Ollama dies in the middle of the concurrent requests", async () => {
    const tiny = registry.publish("tiny:latest");
    const argv = ["--url", ollama.url, "--model", tiny, "--insecure-registry", "--max-tokens", "400"];
    const logged = ollama.process.output().length;
    const check = smokeReport(...argv);
    await waitFor("the end of the latency step", async () => {
      return ollama.process.output().slice(logged).includes('"/v1/chat/completions"') || undefined;
    });
    await ollama.process.kill();
    const result = await check;
    await ollama.process.start();
    expect(result.status).toBe(1);
    expect(failures(result).concurrency).toMatch(/all 5 requests at once answer \| [0-4] did/);
    expect(failures(result).unload).toContain("nothing listens");
  });
});

describe("smoke on a server with a certificate of its own authority", () => {
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  it("is refused without --ca, with what to give, and passes with it", async () => {
    const [ollama, registry] = await Promise.all([startOllama(), startRegistry()]);
    const proxy = await startTlsProxy(ollama.url, folder);
    try {
      const argv = ["--url", proxy.url, "--model", registry.publish("tiny:latest"), "--insecure-registry"];
      const refused = await smokeReport(...argv);
      expect(failures(refused).health).toMatch(/certificate of https:.* is not trusted .* --ca FILE/);
      const passed = await smokeReport(...argv, "--ca", proxy.authority);
      expect([passed.status, failures(passed)]).toEqual([0, {}]);
    } finally {
      await Promise.all([proxy.stop(), ollama.stop(), registry.stop()]);
    }
  });
});
