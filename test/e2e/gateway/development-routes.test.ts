/**
 * What vLLM's development mode opens, which a model that may sleep is started in, before a real Envoy with the rendered routes: no
 * spelling of a path leads there.
 */
import { writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, posix } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { changedRun } from "../../stacks/run";
import { ServerProcess } from "../model-control/registry/server-process";
import { type ListenerRules, listenerRules, modelsListener } from "./models-listener";

/** Those of vLLM 0.33.0 (entrypoints/serve/dev, entrypoints/rl/online), none under `/v1`, and the metrics. */
const ROUTES = [
  ...["/sleep", "/wake_up", "/is_sleeping", "/release_kv_cache_memory", "/collective_rpc", "/server_info", "/metrics"],
  ...["/reset_prefix_cache", "/reset_mm_cache", "/reset_encoder_cache", "/abort_requests", "/pause", "/resume"],
  ...["/is_paused", "/init_weight_transfer_engine", "/shutdown_weight_transfer_engine", "/start_weight_update"],
  ...["/start_draft_weight_update", "/update_weights", "/finish_weight_update", "/update_weight_version"],
  ...["/weight_info", "/weight_checker", "/get_world_size"],
];

/** Spellings of a route's path. */
function spellings(route: string): string[] {
  const name = route.slice(1);
  const capitals = route.toUpperCase();
  const out = ["..", "%2e%2e", ".%2E", "%2e.", "./..", "..;", "..;a=b", "%252e%252e", "a/../.."];
  const slashes = ["%2f", "%2F", "%5c", "%5C", "\\", "%252f", "//", "/./"];
  return [
    ...[route, `/${route}`, `/.${route}`, `${route}/`, `${route}?level=2`, `${route};a`, capitals],
    ...[`/napper${route}`, `/napper/${route}`, `/NAPPER${route}`, `/napper${capitals}`, `/napper%2f${name}`],
    ...[`/napper/v1${route}`, `/napper/v1/${route}`, `/napper/V1/..${route}`, `/napper/v1?/..${route}`],
    ...[`/v1${route}`, `/v1/..${route}`, `/v1/%2e%2e${route}`, `/other/../napper${route}`, `/napper/v1..${route}`],
    ...out.flatMap((each) => [`/napper/v1/${each}${route}`, `/napper/v1/${each}/${each}${route}`]),
    ...slashes.flatMap((each) => [`/napper/v1/..${each}${name}`, `/napper/v1${each}..${each}${name}`]),
    `http://llm.example.com/napper/v1/..${route}`,
    `http://llm.example.com${route}`,
  ];
}

/** The path as the most forgiving server reads it: its escapes once, as ASGI servers do, then slashes and dots. */
function read(url: string): string {
  const [path = ""] = url.split("?");
  const plain = decodeURIComponent(path)
    .replaceAll("\\", "/")
    .replace(/;[^/]*/g, "");
  return posix.normalize(plain).toLowerCase();
}

describe("vLLM's development routes behind a real Envoy", () => {
  const running: { stop(): Promise<unknown> }[] = [];
  let rules: ListenerRules;

  beforeAll(async () => {
    const napper = { model: "qwen3-8b", contextTokens: 8192, concurrency: 2, vllm: { sleepMode: true } };
    const { deployment } = await changedRun("edge-nvidia", { models: { napper } });
    rules = listenerRules(deployment);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((each) => each.stop()));
  });

  /** Paths that the engine was asked for, as it got them, when a gateway with these rules was asked for `paths`. */
  async function seen(
    paths: readonly string[],
    { with: { client, prefixes, headers } = rules, normalize = true } = {},
  ): Promise<readonly string[]> {
    const asked: string[] = [];
    const server: Server = createServer((incoming, response) => {
      asked.push(incoming.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    running.push({ stop: async () => server.close().closeAllConnections() });
    const [admin = 0, gateway = 0] = await freePorts(2);
    const ports = { admin, gateway, engine: (server.address() as AddressInfo).port };
    const envoy = await ServerProcess.start((folder) => {
      const file = join(folder, "envoy.json");
      writeFileSync(file, JSON.stringify(modelsListener({ client, prefixes, headers }, ports, normalize)));
      return {
        command: requirePart("envoy"),
        args: ["-c", file, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "error"],
        ready: async () => (await fetch(`http://127.0.0.1:${admin}/ready`)).ok,
      };
    });
    running.push(envoy);
    for (const path of paths) {
      for (const [name, value] of [["accept", "*/*"] as const, ...headersOf(rules)]) {
        await follow(gateway, path, { [name]: value });
      }
    }
    return asked;
  }

  it("are reached by no spelling of their paths, nor by the header that chooses a model", {
    timeout: 120_000,
  }, async () => {
    expect(rules.prefixes).toEqual([{ prefix: "/napper/v1", replacement: "/v1" }]);
    expect(headersOf(rules)).toEqual([["x-ai-eg-model", "napper"]]);
    const asked = await seen(["/napper/v1/chat/completions", ...ROUTES.flatMap(spellings)]);
    expect(asked[0]).toBe("/v1/chat/completions");
    // Some spellings are paths below /v1 that the engine does not have.
    expect(new Set(asked.map(read))).toContain("/v1/sleep");
    expect(asked.filter((url) => !/^\/v1(\/|$)/.test(read(url)))).toEqual([]);
  });

  it("would be reached without the rules that keep them closed", async () => {
    const { client } = rules;
    const open = { ...rules, client: { ...client, headers: { earlyRequestHeaders: { remove: ["x-other"] } } } };
    expect(await seen(["/sleep"], { with: open })).toEqual(["/sleep"]);
    expect((await seen(["/napper/v1/../sleep"], { normalize: false })).map(read)).toContain("/sleep");
    const kept = {
      ...rules,
      client: { ...client, path: { ...client.path, escapedSlashesAction: "KeepUnchanged" as const } },
    };
    expect((await seen(["/napper/v1/..%2fsleep"], { with: kept })).map(read)).toContain("/sleep");
  });
});

function headersOf({ headers }: ListenerRules): (readonly [string, string])[] {
  return headers.map(({ name, value }) => [name, value] as const);
}

/** Sends the path as it is written, and goes where the answer says. */
async function follow(port: number, path: string, headers: Record<string, string>, times = 3): Promise<void> {
  const location = await new Promise<string | undefined>((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method: "POST", headers }, (response) => {
      response.resume().on("end", () => resolve(response.headers.location));
    });
    asked.on("error", reject).end();
  });
  if (location !== undefined && times > 0) {
    await follow(port, location.replace(/^https?:\/\/[^/]*/, ""), headers, times - 1);
  }
}
