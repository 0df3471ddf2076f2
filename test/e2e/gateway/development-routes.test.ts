/**
 * What vLLM's development mode opens, which a model that may sleep is started in, behind the real gateway: no
 * spelling of a path leads there.
 */
import { Agent, request } from "node:https";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { connectionOptions } from "../../../rehearsal/cluster/gateway/request";
import { GatewayStand } from "../../../rehearsal/cluster/gateway/stand";
import { waitFor } from "../../../rehearsal/cluster/wait";
import { changedRun } from "../../stacks/run";
import { sharedBySuite } from "../shared-by-suite";

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

/** The gateway with a model that may sleep, and what its engine is asked. */
interface Sleeping {
  readonly stand: GatewayStand;
  readonly asked: string[];
  readonly key: string;
  stop(): Promise<void>;
}

async function start(): Promise<Sleeping> {
  const napper = { model: "qwen3-8b", contextTokens: 8192, concurrency: 2, vllm: { sleepMode: true } };
  const { resources } = await changedRun("edge-nvidia", { models: { napper } });
  const stand = await GatewayStand.start(resources);
  const asked: string[] = [];
  await stand.serve("napper", (incoming, response) => {
    asked.push(incoming.url ?? "");
    incoming.resume();
    response.end("{}");
  });
  return { stand, asked, key: await stand.key("default"), stop: () => stand.stop() };
}

describe("vLLM's development routes behind the real gateway", () => {
  const shared = sharedBySuite(start);

  /** Paths that the engine was asked for, as it got them, when the gateway was asked for `paths`. */
  async function seen(paths: readonly string[]): Promise<readonly string[]> {
    const { stand, asked, key } = shared();
    const [proxy] = stand.proxies;
    if (proxy === undefined) {
      throw new Error("no proxy");
    }
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const options = { ...connectionOptions(proxy, stand), agent, method: "POST" };
    asked.length = 0;
    const follow = async (path: string, headers: Record<string, string>, times = 3): Promise<void> => {
      const location = await new Promise<string | undefined>((resolve, reject) => {
        const sent = request({ ...options, path, headers }, (response) => {
          response.resume().on("end", () => resolve(response.headers.location));
        });
        sent.on("error", reject).end(JSON.stringify({ model: "napper", messages: [] }));
      });
      if (location !== undefined && times > 0) {
        await follow(location.replace(/^https?:\/\/[^/]*/, ""), headers, times - 1);
      }
    };
    const headers = { host: stand.hostname, authorization: `Bearer ${key}`, "content-type": "application/json" };
    const variants = [headers, { ...headers, "x-ai-eg-model": "napper" }];
    // Eight at a time: the gateway answers each on its own.
    const queue = paths.flatMap((path) => variants.map((each) => ({ path, headers: each })));
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        await follow(next.path, next.headers);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    agent.destroy();
    return [...asked];
  }

  it("are reached by no spelling of their paths, nor by the header that chooses a model", {
    timeout: 240_000,
  }, async () => {
    const open = ["/napper/v1/chat/completions", "/napper/v1/./chat/completions", "/napper/v1%2fchat/completions"];
    expect(new Set(await seen(open))).toEqual(new Set(["/v1/chat/completions"]));
    const asked = await seen(ROUTES.flatMap(spellings));
    expect(asked.filter((url) => !/^\/v1(\/|$)/.test(read(url)))).toEqual([]);
  });

  it("stay closed by the AI gateway's filter alone, which knows its paths, without the listener's rules", async () => {
    const { stand } = shared();
    const policy = stand.objects.find(
      ({ kind, metadata }) => kind === "ClientTrafficPolicy" && metadata.name === "inference",
    );
    if (policy === undefined) {
      throw new Error("the listener of models has no ClientTrafficPolicy");
    }
    const rules = policy.spec as { readonly headers: object; readonly path: object };
    const spec = {
      ...rules,
      headers: { ...rules.headers, earlyRequestHeaders: { remove: ["x-other"] } },
      path: { ...rules.path, escapedSlashesAction: "KeepUnchanged" },
    };
    await stand.apply([{ ...policy, spec }]);
    // With the rules this one leads, by a redirect, to the model.
    await waitFor("the listener without its rules", async () => {
      return (await seen(["/napper/v1%2fchat/completions"])).length === 0 ? true : undefined;
    });
    const asked = await seen(["/sleep", "/napper/v1/..%2fsleep", "/napper/v1/../sleep", "/v1/chat/completions"]);
    expect(new Set(asked)).toEqual(new Set(["/v1/chat/completions"]));
  });
});
