/** The liveness command of vLLM's pods, run by Python against a server with an engine's series. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";

const SCRIPT = join(repositoryRoot(), "components/serving/scripts/engine_alive.py");
/** Seconds without a step, where pods wait for 300. */
const STALLED = "0.4";
const LONGER_MS = 700;

interface Engine {
  running: number;
  waiting?: number;
  /** Requests that have ended: stopped, and cut at their length. */
  ended?: number;
  cache: number;
  tokens: number;
}

describe("the liveness of a vLLM pod", () => {
  let folder = "";
  let server: Server;
  let port = 0;
  let health = 200;
  let group = 200;
  let engines: Engine[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "alive-"));
    health = 200;
    group = 200;
    engines = [{ running: 1, cache: 0.1, tokens: 5 }];
    server = createServer((request, response) => {
      const statuses: Readonly<Record<string, number>> = { "/health": health, "/group": group };
      response.writeHead(statuses[request.url ?? ""] ?? 200).end(request.url === "/metrics" ? metrics() : "");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  const metrics = () =>
    engines
      .map((engine, i) => {
        const labels = `{engine="${i}",model_name="chat"}`;
        const ended = (reason: string, count: number) =>
          `vllm:request_success_total{engine="${i}",finished_reason="${reason}",model_name="chat"} ${count}.0`;
        return [
          `vllm:num_requests_running${labels} ${engine.running}.0`,
          `vllm:num_requests_waiting${labels} ${engine.waiting ?? 0}.0`,
          `vllm:kv_cache_usage_perc${labels} ${engine.cache}`,
          `vllm:prompt_tokens_total${labels} 7.0`,
          `vllm:generation_tokens_total${labels} ${engine.tokens}.0`,
          ended("stop", engine.ended ?? 0),
          ended("length", 3),
          "",
        ].join("\n");
      })
      .join("");

  /** @returns its exit status. */
  function probe(...others: readonly string[]): Promise<number | null> {
    // A proxy of the environment is none of its business.
    const env = { ...process.env, http_proxy: "http://127.0.0.1:9" };
    const python = spawn("python3", [SCRIPT, String(port), join(folder, "state"), STALLED, ...others], { env });
    return new Promise((resolve) => python.on("close", resolve));
  }

  async function later(): Promise<number | null> {
    await sleep(LONGER_MS);
    return probe();
  }

  it("ends when an engine with requests takes no step", async () => {
    expect(await probe()).toBe(0);
    expect(await later()).toBe(1);
    expect(await later()).toBe(1);
  });

  it("goes on while a long prompt is read, or an answer is written", async () => {
    const [engine] = engines;
    for (const step of [
      () => undefined,
      () => Object.assign(engine ?? {}, { cache: 0.2 }),
      () => Object.assign(engine ?? {}, { tokens: 6 }),
    ]) {
      step();
      expect(await later()).toBe(0);
    }
  });

  it("ends when requests wait and none is taken", async () => {
    engines = [{ running: 0, waiting: 2, cache: 0, tokens: 5 }];
    expect([await probe(), await later()]).toEqual([0, 1]);
  });

  it("goes on while requests end that have no tokens and no cache", async () => {
    engines = [{ running: 1, cache: 0, tokens: 0, ended: 1 }];
    expect(await probe()).toBe(0);
    for (const ended of [2, 3]) {
      Object.assign(engines[0] ?? {}, { ended });
      expect(await later()).toBe(0);
    }
    expect(await later()).toBe(1);
  });

  it("goes on without requests, and without series", async () => {
    engines = [{ running: 0, cache: 0, tokens: 5 }];
    expect([await probe(), await later()]).toEqual([0, 0]);
    engines = [];
    expect([await later(), await later()]).toEqual([0, 0]);
  });

  it("ends when one of several engines hangs", async () => {
    engines.push({ running: 1, cache: 0.5, tokens: 9 });
    expect(await probe()).toBe(0);
    Object.assign(engines[0] ?? {}, { tokens: 7 });
    expect(await later()).toBe(1);
  });

  it("begins anew after a restart of the container, whose folder stays", async () => {
    expect([await probe(), await later()]).toEqual([0, 1]);
    engines = [{ running: 0, cache: 0, tokens: 0 }];
    expect(await probe()).toBe(0);
    engines = [{ running: 1, cache: 0.1, tokens: 1 }];
    expect(await probe()).toBe(0);
  });

  it("ends when something else of its pod does not answer 200", async () => {
    engines = [];
    expect(await probe(`${port}/group`)).toBe(0);
    group = 503;
    expect([await probe(`${port}/group`), await probe()]).toEqual([1, 0]);
  });

  it("ends when the server says that it is dead, or says nothing", async () => {
    health = 503;
    expect(await probe()).toBe(1);
    health = 200;
    server.close();
    server.closeAllConnections();
    expect(await probe()).toBe(1);
  });
});
