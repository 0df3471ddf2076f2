/** `npm run smoke` against the model control API, a real Redis and a real Ollama: whole, and with one part broken each. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { failures, smokeReport, statuses } from "../../cli/smoke-run";
import { type Ollama, type Redis, type Registry, startOllama, startRedis, startRegistry } from "./registry";
import { Api, ApiBundle, OPERATE, READ } from "./start-api";

describe("smoke on the model control API", () => {
  let ollama: Ollama;
  let redis: Redis;
  let registry: Registry;
  let bundle: ApiBundle;
  let control: Api;
  let tiny = "";
  const folder = mkdtempSync(join(tmpdir(), "inference-stacks-e2e-"));
  const operator = join(folder, "operator");
  const viewer = join(folder, "viewer");

  beforeAll(async () => {
    writeFileSync(operator, OPERATE);
    writeFileSync(viewer, READ);
    bundle = ApiBundle.build();
    [ollama, redis, registry] = await Promise.all([startOllama(), startRedis(), startRegistry()]);
    control = await Api.start(bundle, {
      redis: { url: redis.url },
      registries: { insecure: [registry.host] },
      workers: [{ name: "laptop", backend: "ollama", url: ollama.url, memoryBytes: 2_000_000_000 }],
      pulls: { attempts: 1 },
      inference: {},
    });
    tiny = registry.publish("tiny:latest");
  });
  afterAll(async () => {
    await control?.process.stop();
    await Promise.all([ollama?.stop(), redis?.stop(), registry?.stop()]);
    bundle?.remove();
    rmSync(folder, { recursive: true });
  });

  function smoke(...argv: string[]) {
    const addresses = ["--url", ollama.url, "--control-url", control.url, "--token-file", operator];
    return smokeReport(...addresses, "--model", tiny, ...argv);
  }

  /** The API asks its parts every few seconds only. */
  function healthy(is: boolean): Promise<true> {
    const told = async () => ((await control.ask("GET", "/health")).body.healthy === is ? true : undefined);
    return waitFor(`a control API that is ${is ? "" : "not "}healthy`, told);
  }

  it("passes all seven steps, and leaves the worker running", async () => {
    const result = await smoke("--stop-worker");
    expect(failures(result)).toEqual({});
    expect([result.status, ...statuses(result)]).toEqual([
      0,
      "health passed",
      "pull passed",
      "latency passed",
      "concurrency passed",
      "asynchronous inference passed",
      "unload passed",
      "stop worker passed",
    ]);
    expect(result.steps[4]?.figures).toMatchObject({ tokens: 32, finishReason: "length" });
    const kept = await control.ask<{ tasks: readonly { kind: string; task_id: string }[] }>("GET", "/tasks");
    expect(kept.body.tasks.filter(({ kind }) => kind === "inference")).toEqual([]);
    const { body } = await control.ask("GET", "/workers");
    expect(body).toMatchObject({ workers: [{ name: "laptop", state: "running" }] });
  });

  it("touches no worker unless asked to", async () => {
    const result = await smoke();
    expect([result.status, result.steps[6]?.status]).toEqual([0, "skipped"]);
  });

  it("fails the pull for a token that may only read", async () => {
    const argv = ["--url", ollama.url, "--control-url", control.url, "--token-file", viewer];
    const result = await smokeReport(...argv, "--model", tiny);
    expect(failures(result).pull).toMatch(/status 403.*"operate"/);
  });

  it("fails the pull of what the registry lacks, with the engine's words", async () => {
    const result = await smoke("--model", `${registry.host}/library/absent:latest`);
    expect(failures(result)).toEqual({ pull: expect.stringContaining("failed: ") });
  });

  it("fails health and pull when the queue is away, and names it", async () => {
    await redis.process.kill();
    await healthy(false);
    const result = await smoke("--timeout", "20");
    await redis.process.start();
    await healthy(true);
    expect(result.status).toBe(1);
    expect(failures(result).health).toContain("queue: ");
    expect(result.steps[1]?.status).toBe("failed");
  });

  it("fails health when the engine is away", async () => {
    await ollama.process.kill();
    await healthy(false);
    const result = await smoke("--timeout", "20");
    await ollama.process.start();
    expect(result.status).toBe(1);
    expect(failures(result).health).toMatch(/nothing listens at .*; backend: .*unreachable: laptop/);
  });

  it("fails health, and goes on with Ollama itself, when the API is away", async () => {
    await control.process.kill();
    const result = await smoke("--insecure-registry");
    await control.process.start();
    expect(result.notes).toEqual(["the control API is away: Ollama is asked directly instead"]);
    expect([result.status, ...statuses(result)]).toEqual([
      1,
      "health failed",
      "pull passed",
      "latency passed",
      "concurrency passed",
      "asynchronous inference not applicable",
      "unload passed",
      "stop worker not applicable",
    ]);
  });
});
