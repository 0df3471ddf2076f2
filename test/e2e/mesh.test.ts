/**
 * What can be shown of the mesh without it: its API server knows Istio's definitions (test/e2e/api-server.test.ts applies all of an
 * environment), and the contents of its EnvoyFilters run in a real Envoy. Policies and tokens run nowhere here: istiod and ztunnel would.
 */
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countingFilter, refusalInOpenAiShape, sidecarLimit, waypointLimit } from "../../components/mesh/local-limit";
import type { KubernetesObject } from "../../kubernetes/object";
import { installChartCrds } from "../../rehearsal/cluster/chart-crds";
import { ControlPlane } from "../../rehearsal/cluster/control-plane";
import { freePorts } from "../../rehearsal/cluster/ports";
import { requirePart } from "../../rehearsal/parts/find";
import { ServerProcess } from "./model-control/registry/server-process";

describe("Istio's definitions on a real API server", () => {
  let controlPlane: ControlPlane | undefined;
  const client = () => {
    if (controlPlane === undefined) {
      throw new Error("the control plane did not start");
    }
    return controlPlane.client;
  };
  beforeAll(async () => {
    controlPlane = await ControlPlane.start({ controllers: false });
    await installChartCrds(controlPlane.client, "istio-base");
    await controlPlane.client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "guarded" } });
  });
  afterAll(() => controlPlane?.stop());

  const object = (apiVersion: string, kind: string, spec: object): KubernetesObject => ({
    apiVersion,
    kind,
    metadata: { name: "one", namespace: "guarded" },
    spec,
  });

  it("take the limit, at sidecars and at a waypoint", async () => {
    for (const { apiVersion, kind, spec } of [sidecarLimit("limit", { app: "engine" }, [8000], 5), waypointLimit(5)]) {
      const applied = await client().apply(object(apiVersion, kind, { ...spec }), { dryRun: true });
      expect(applied.warnings).toEqual([]);
    }
  });

  it.each<[string, string, object, RegExp]>([
    ["security.istio.io/v1", "PeerAuthentication", { mtls: { mod: "STRICT" } }, /spec\.mtls\.mod/],
    ["security.istio.io/v1", "PeerAuthentication", { mtls: { mode: "STRICTLY" } }, /STRICTLY/],
    [
      "security.istio.io/v1",
      "PeerAuthentication",
      { portLevelMtls: { 8000: { mode: "PERMISSIVE" } } },
      /portLevelMtls requires selector/,
    ],
    ["security.istio.io/v1", "AuthorizationPolicy", { rules: [{ form: [] }] }, /spec\.rules\[0\]\.form/],
    ["security.istio.io/v1", "RequestAuthentication", { jwtRules: [{ issuer: "i", jwksURL: "x" }] }, /jwksURL/],
    ["networking.istio.io/v1", "ServiceEntry", { hosts: ["a.example.com"], resolution: "NOON" }, /NOON/],
    ["networking.istio.io/v1alpha3", "EnvoyFilter", { configPatches: [{ applyTo: "HTTP_FILTERS" }] }, /HTTP_FILTERS/],
  ])("refuse a slip: %s %s %j", async (apiVersion, kind, spec, message) => {
    await expect(client().apply(object(apiVersion, kind, spec), { dryRun: true })).rejects.toThrow(message);
  });
});

describe("the limit of a proxy, in a real Envoy", () => {
  const TYPE = "type.googleapis.com/envoy";
  const LIMIT = 5;
  let engine: Server | undefined;
  let answer: RequestListener = (_, response) => response.end('{"ok":true}');
  let envoy: ServerProcess | undefined;
  let url = "";

  beforeAll(async () => {
    const [port = 0, enginePort = 0] = await freePorts(2);
    engine = createServer((request, response) => answer(request, response)).listen(enginePort, "127.0.0.1");
    const config = bootstrap(port, enginePort);
    envoy = await ServerProcess.start((folder) => {
      const path = join(folder, "envoy.json");
      writeFileSync(path, JSON.stringify(config));
      return {
        command: requirePart("envoy"),
        args: ["--config-path", path, "--use-dynamic-base-id", "--concurrency", "2"],
        // Without a request: that would count.
        ready: () =>
          new Promise((resolve) => {
            const socket = connect(port, "127.0.0.1", () => socket.end(() => resolve(true)));
            socket.once("error", () => resolve(false));
          }),
      };
    });
    url = `http://127.0.0.1:${port}/v1/chat/completions`;
  });
  afterAll(async () => {
    await envoy?.stop();
    engine?.close();
  });

  /** What istiod makes of both patches: the one filter before the router, the other merged into the connection manager. */
  function bootstrap(port: number, enginePort: number): object {
    const at = (number: number) => ({ socket_address: { address: "127.0.0.1", port_value: number } });
    const counting = countingFilter(LIMIT);
    return {
      static_resources: {
        listeners: [
          {
            name: "inbound",
            address: at(port),
            filter_chains: [
              {
                filters: [
                  {
                    name: "envoy.filters.network.http_connection_manager",
                    typed_config: {
                      "@type": `${TYPE}.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
                      stat_prefix: "inbound",
                      local_reply_config: refusalInOpenAiShape(),
                      route_config: {
                        virtual_hosts: [
                          {
                            name: "all",
                            domains: ["*"],
                            routes: [{ match: { prefix: "/" }, route: { cluster: "engine" } }],
                          },
                        ],
                      },
                      http_filters: [
                        {
                          ...counting,
                          // A longer second: the bucket fills drop by drop, and this machine is busy.
                          typed_config: {
                            ...counting.typed_config,
                            token_bucket: { ...counting.typed_config.token_bucket, fill_interval: "20s" },
                          },
                        },
                        {
                          name: "envoy.filters.http.router",
                          typed_config: { "@type": `${TYPE}.extensions.filters.http.router.v3.Router` },
                        },
                      ],
                    },
                  },
                ],
              },
            ],
          },
        ],
        clusters: [
          {
            name: "engine",
            load_assignment: {
              cluster_name: "engine",
              endpoints: [{ lb_endpoints: [{ endpoint: { address: at(enginePort) } }] }],
            },
          },
        ],
      },
    };
  }

  it("lets so many requests through, and answers the rest 429 with OpenAI's error object until there is room again", async () => {
    const first = await Promise.all(Array.from({ length: LIMIT + 3 }, async () => (await fetch(url)).status));
    expect(first.toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    const refused = await fetch(url, { method: "POST", body: "{}" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("content-type")).toBe("application/json");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(await refused.json()).toEqual({
      error: {
        message: "This model's proxy takes no more requests in this second. Try again later.",
        type: "requests",
        param: null,
        code: "rate_limit_exceeded",
      },
    });
    await expect.poll(async () => (await fetch(url)).status, { timeout: 30_000, interval: 100 }).toBe(200);
  }, 60_000);

  it("leaves an engine's own 429 as the engine wrote it", async () => {
    answer = (_, response) => response.writeHead(429, { "content-type": "text/plain" }).end("mine");
    await expect.poll(async () => (await fetch(url)).text(), { timeout: 30_000, interval: 100 }).toBe("mine");
  }, 60_000);
});
