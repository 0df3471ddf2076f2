import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONSUMER_HEADER, TENANT_HEADER } from "../../../components/gateway/names";
import { type NodeConfigArgs, nodeConfig } from "../../../components/node/envoy-config";
import { ENGINE_HOST, NODE_CLUSTERS, NODE_HEADERS } from "../../../components/node/envoy-names";
import { inferencePaths } from "../../../components/node/inference-paths";
import { BUFFER_BYTES, NODE_CONNECTIONS } from "../../../components/node/overload";
import { engineOf } from "../../../engines";
import { NODE_PROXY } from "../../../planner/sidecars";
import { atNight } from "../../harness/property-runs";
import { nodeConfigArgs } from "./any-node";

const VLLM: NodeConfigArgs["model"] = {
  engine: "vllm",
  servedName: "llama",
  task: "chat",
  node: { group: "inference-cluster" },
};

interface Route {
  readonly name: string;
  readonly match: { readonly path?: string; readonly prefix?: string; readonly headers?: readonly object[] };
  readonly route?: { readonly cluster: string; readonly host_rewrite_literal: string; readonly timeout: string };
  readonly direct_response?: { readonly status: number };
  readonly request_headers_to_remove?: readonly string[];
  readonly request_headers_to_add?: readonly {
    readonly header: { readonly key: string; readonly value: string };
    readonly append_action: string;
    readonly keep_empty_value: boolean;
  }[];
}

/** As Envoy reads it. */
interface Bootstrap {
  readonly admin: object;
  readonly static_resources: {
    readonly listeners: readonly {
      readonly name: string;
      readonly address: object;
      readonly filter_chains: readonly { readonly filters: readonly { readonly typed_config: Manager }[] }[];
    }[];
    readonly clusters: readonly { readonly name: string; readonly type: string; readonly load_assignment: object }[];
  };
}

interface Manager {
  readonly access_log: readonly object[];
  readonly stream_idle_timeout: string;
  readonly http_filters: readonly { readonly name: string }[];
  readonly route_config: {
    readonly virtual_hosts: readonly { readonly domains: string[]; readonly routes: Route[] }[];
  };
}

function configOf(args: NodeConfigArgs): Bootstrap {
  return JSON.parse(JSON.stringify(nodeConfig(args))) as Bootstrap;
}

function managerOf(config: Bootstrap): Manager {
  const manager = config.static_resources.listeners[0]?.filter_chains[0]?.filters[0]?.typed_config;
  if (manager === undefined) {
    throw new Error("the node has no listener");
  }
  return manager;
}

function routesOf(args: NodeConfigArgs): Route[] {
  return managerOf(configOf(args)).route_config.virtual_hosts.flatMap(({ routes }) => routes);
}

/** Every value under a key, wherever it stands. */
function valuesOf(tree: unknown, key: string): unknown[] {
  if (typeof tree !== "object" || tree === null) {
    return [];
  }
  return Object.entries(tree).flatMap(([name, value]) => [...(name === key ? [value] : []), ...valuesOf(value, key)]);
}

describe("the configuration of any node's Envoy", () => {
  const any = (check: (args: NodeConfigArgs, config: Bootstrap) => void) =>
    fc.assert(
      fc.property(nodeConfigArgs, (args) => check(args, configOf(args))),
      { numRuns: atNight(40) },
    );

  it("listens on two ports, for clients and for series", () => {
    any((_, { static_resources: { listeners }, admin }) => {
      expect(listeners.map(({ address }) => address)).toEqual(
        [9080, 9081].map((port_value) => ({ socket_address: { address: "0.0.0.0", port_value } })),
      );
      expect(valuesOf(admin, "port_value")).toEqual([]);
    });
  });

  it("asks silent connections whether they live as the gateway does: idleTime 60s, interval 15s, probes 4", () => {
    any((_, config) => {
      expect(new Set(valuesOf(config, "tcp_keepalive").map((settings) => JSON.stringify(settings)))).toEqual(
        new Set([JSON.stringify({ keepalive_probes: 4, keepalive_time: 60, keepalive_interval: 15 })]),
      );
    });
  });

  it("connects to its own pod alone, to the engine where that listens", () => {
    any(({ model, enginePort }, { static_resources: { clusters } }) => {
      const { ports } = engineOf(model.engine);
      const port_value = enginePort ?? ports.openai ?? ports["kserve-http"];
      for (const { name, type, load_assignment } of clusters) {
        const address =
          name === NODE_CLUSTERS.admin
            ? { pipe: { path: "@inference-node-admin" } }
            : { socket_address: { address: "127.0.0.1", port_value } };
        expect([type, valuesOf(load_assignment, "address")]).toEqual(["STATIC", expect.arrayContaining([address])]);
      }
      expect(clusters.map(({ name }) => name).sort()).toEqual(Object.values(NODE_CLUSTERS).sort());
    });
  });

  it("leads to the engine by whole paths, methods and POST, and answers all else itself", () => {
    any(({ model, ...args }) => {
      const { infer, own } = inferencePaths(model);
      const routes = routesOf({ model, ...args });
      const led = routes.filter(({ route }) => route?.cluster === NODE_CLUSTERS.engine);
      expect(led.map(({ match }) => match.path)).toEqual(["/infer", ...own.map(({ path }) => path)]);
      expect(own.map(({ path }) => path)).toContain(infer);
      for (const { match, route } of routes.filter(({ route }) => route !== undefined)) {
        expect(Object.keys(match).sort()).toEqual(["headers", "path"]);
        expect(route?.host_rewrite_literal).toBe(ENGINE_HOST);
      }
      expect(routes.at(-1)).toMatchObject({ match: { prefix: "/" }, direct_response: { status: 404 } });
      expect(routes.filter(({ match }) => match.path === undefined)).toHaveLength(1);
    });
  });

  it("tells the engine who calls by one value of each name, and no key", () => {
    any((args) => {
      for (const { route, request_headers_to_remove: removed, request_headers_to_add: added } of routesOf(args)) {
        if (route?.cluster !== NODE_CLUSTERS.engine) {
          continue;
        }
        expect(removed).toEqual(expect.arrayContaining(["authorization", "x-api-key", "cookie"]));
        expect(added).toEqual(
          [
            ["x-tenant-id", "%REQ(X-OCTOPUS-TENANT-ID)%"],
            ["x-correlation-id", "%REQ(X-OCTOPUS-CORRELATION-ID)%"],
          ].map(([key, value]) => ({
            header: { key, value },
            append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
            keep_empty_value: true,
          })),
        );
        // Envoy overwrites the first of a name: what is written must be removed before.
        expect(removed).toEqual(expect.arrayContaining(added?.map(({ header }) => header.key) ?? []));
      }
    });
  });

  it("asks once, and ejects nobody", () => {
    any((_, config) => {
      expect(valuesOf(config, "retry_policy")).toEqual([]);
      expect(valuesOf(config, "outlier_detection")).toEqual([]);
      expect(valuesOf(config, "health_checks")).toEqual([]);
    });
  });

  it("logs neither keys nor queries, and constants as they are", () => {
    any(({ model, ...args }) => {
      const [log] = managerOf(configOf({ model, ...args })).access_log;
      const [format] = valuesOf(log, "json_format") as Record<string, string>[];
      const { group, model: name, ...operators } = format ?? {};
      expect(name?.replaceAll("%%", "")).not.toContain("%");
      expect([name, group]).toEqual([model.servedName.replaceAll("%", "%%"), model.node?.group]);
      expect(JSON.stringify(operators)).not.toMatch(/AUTHORIZATION|COOKIE|API-KEY|REQ\(:PATH|ORIGINAL-PATH/i);
    });
  });
});

describe("the configuration of a node's Envoy", () => {
  it("answers health in three states: success, then what the engine said, then nothing", () => {
    const [get, head] = routesOf({ model: VLLM });
    expect(get).toMatchObject({
      match: { path: "/health", headers: [{ name: ":method", string_match: { exact: "GET" } }] },
      route: { cluster: "engine_health", prefix_rewrite: "/v1/models", timeout: "2s" },
    });
    expect(head?.match).toEqual({ path: "/health", headers: [{ name: ":method", string_match: { exact: "HEAD" } }] });
    for (const route of [get, head]) {
      expect(valuesOf(route, "inline_string").filter((text) => String(text).startsWith("{"))).toEqual([
        '{"status":"ok"}',
        '{"status":"degraded"}',
        '{"status":"unhealthy"}',
      ]);
      expect(valuesOf(route, "status_code")).toEqual([200, 503, 503]);
      expect(valuesOf(route, "value_match")).toEqual([
        { exact: "2xx" },
        { safe_regex: { google_re2: {}, regex: ".+" } },
      ]);
    }
  });

  it("speaks HTTP/1.1 alone to clients and to scrapers", () => {
    const { listeners } = configOf({ model: VLLM }).static_resources;
    expect(listeners.map((listener) => valuesOf(listener, "codec_type"))).toEqual([["HTTP1"], ["HTTP1"]]);
  });

  it("has the times that it is given", () => {
    const times = { healthSeconds: 7, streamIdleSeconds: 77 };
    expect(routesOf({ model: VLLM, times })[0]?.route?.timeout).toBe("7s");
    expect(managerOf(configOf({ model: VLLM, times })).stream_idle_timeout).toBe("77s");
    const led = routesOf({ model: VLLM, times }).filter(({ route }) => route?.cluster === NODE_CLUSTERS.engine);
    expect(new Set(led.map(({ route }) => route?.timeout))).toEqual(new Set(["0s"]));
  });

  it("says who calls by the names of the gateway", () => {
    expect(NODE_HEADERS.consumer).toBe(CONSUMER_HEADER);
    expect(NODE_HEADERS.tenant.to).toBe(TENANT_HEADER);
  });

  it("holds no more than its container, with all buffers full", () => {
    const bytes = NODE_PROXY.memoryGiB * 2 ** 30;
    // Of each client: what waits in Envoy in both directions, and in the kernel on both sides, which counts twice what it is told.
    const buffers = NODE_CONNECTIONS * (2 * BUFFER_BYTES + 2 * 2 * BUFFER_BYTES);
    const idle = 40 * 2 ** 20;
    expect(buffers + idle).toBeLessThan(bytes);
  });
});

describe("paths of inference", () => {
  it.each([
    ["vllm", "chat", "/v1/chat/completions", ["POST /v1/chat/completions"]],
    ["ollama", "completion", "/v1/completions", ["POST /v1/completions"]],
    ["ollama", "embedding", "/v1/embeddings", ["POST /v1/embeddings"]],
    ["vllm", "rerank", "/v2/rerank", ["POST /v2/rerank"]],
    ["tgi", "chat", "/v1/chat/completions", ["POST /v1/chat/completions"]],
    [
      "triton",
      "completion",
      "/v2/models/m/generate",
      [
        "POST /v2/models/m/infer",
        "POST /v2/models/m/generate",
        "POST /v2/models/m/generate_stream",
        "GET /v2/models/m",
        "GET /v2/models/m/ready",
      ],
    ],
  ] as const)("of %s for %s", (engine, task, infer, own) => {
    const paths = inferencePaths({ engine, task, servedName: "m" });
    expect(paths.infer).toBe(infer);
    expect(paths.own.map(({ method, path }) => `${method} ${path}`)).toEqual(own);
  });

  it("are tensors for a Triton model without text", () => {
    expect(inferencePaths({ engine: "triton", task: "embedding", servedName: "m" }).infer).toBe("/v2/models/m/infer");
    expect(inferencePaths({ engine: "triton", task: "rerank", servedName: "m" }).infer).toBe("/v2/models/m/infer");
  });
});
