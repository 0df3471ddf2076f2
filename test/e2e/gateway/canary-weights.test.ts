/**
 * A real Envoy shares requests by the weights of a rendered route. Its cluster is written here as Envoy Gateway v1.9.0 makes
 * it of several backendRefs (internal/xds/translator/cluster.go: a locality for each, by its weight; none of weight 0).
 */
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { freePorts } from "../../../rehearsal/cluster/ports";
import { requirePart } from "../../../rehearsal/parts/find";
import { deployGateway, endpoint, specOf } from "../../components/gateway/fixture";
import { ServerProcess } from "../model-control/registry/server-process";

const REQUESTS = 2000;
const TYPE = "type.googleapis.com/envoy.extensions";

const route = z.object({
  rules: z.tuple([z.object({ backendRefs: z.array(z.object({ name: z.string(), weight: z.number() })) })]),
});

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) {
    await stop();
  }
});

/** Port of a server that answers with its name. */
async function answering(name: string): Promise<number> {
  const server: Server = createServer((_, response) => response.end(name));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

async function refsWith(weight: number) {
  const canary = endpoint("legal-canary", { servedName: "legal", revisionOf: { model: "legal", weight } });
  const { deployment } = await deployGateway({ endpoints: [endpoint("legal"), canary] });
  return ["AIGatewayRoute model-legal", "HTTPRoute path-legal"].map((object) => {
    const [kind = "", name = ""] = object.split(" ");
    return route.parse(specOf(deployment, kind, name)).rules[0].backendRefs;
  });
}

type Refs = Awaited<ReturnType<typeof refsWith>>[number];

/** @param ports of who answers; undefined for a name that resolves to nothing, as a headless Service without ready pods. */
function cluster(refs: Refs, ports: Readonly<Record<string, number | undefined>>) {
  return {
    name: "model",
    type: "STRICT_DNS",
    connect_timeout: "5s",
    load_balancing_policy: {
      policies: [
        {
          typed_extension_config: {
            name: "envoy.load_balancing_policies.least_request",
            typed_config: {
              "@type": `${TYPE}.load_balancing_policies.least_request.v3.LeastRequest`,
              locality_lb_config: { locality_weighted_lb_config: {} },
            },
          },
        },
      ],
    },
    load_assignment: {
      cluster_name: "model",
      endpoints: refs
        .filter(({ weight }) => weight > 0)
        .map(({ name, weight }) => ({
          locality: { region: name },
          load_balancing_weight: weight,
          lb_endpoints: [{ endpoint: { address: { socket_address: addressOf(ports[name]) } } }],
        })),
    },
  };
}

function addressOf(port: number | undefined) {
  return port === undefined
    ? { address: "nothing.invalid", port_value: 1 }
    : { address: "127.0.0.1", port_value: port };
}

async function proxy(refs: Refs, ports: Readonly<Record<string, number | undefined>>): Promise<string> {
  const [admin = 0, port = 0] = await freePorts(2);
  const loopback = (port_value: number) => ({ socket_address: { address: "127.0.0.1", port_value } });
  const manager = {
    "@type": `${TYPE}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: "model",
    http_filters: [
      { name: "envoy.filters.http.router", typed_config: { "@type": `${TYPE}.filters.http.router.v3.Router` } },
    ],
    route_config: {
      virtual_hosts: [
        { name: "model", domains: ["*"], routes: [{ match: { prefix: "/" }, route: { cluster: "model" } }] },
      ],
    },
  };
  const filters = [{ name: "envoy.filters.network.http_connection_manager", typed_config: manager }];
  const config = {
    admin: { address: loopback(admin) },
    static_resources: {
      listeners: [{ name: "models", address: loopback(port), filter_chains: [{ filters }] }],
      clusters: [cluster(refs, ports)],
    },
  };
  const envoy = await ServerProcess.start((folder) => {
    writeFileSync(join(folder, "envoy.json"), JSON.stringify(config));
    return {
      command: requirePart("envoy"),
      args: ["-c", join(folder, "envoy.json"), "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "error"],
      ready: async () => (await fetch(`http://127.0.0.1:${admin}/ready`)).ok,
    };
  });
  stops.push(() => envoy.stop());
  return `http://127.0.0.1:${port}/v1/models`;
}

async function answersOf(url: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let sent = 0; sent < REQUESTS; sent += 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await fetch(url);
        return response.ok ? response.text() : String(response.status);
      }),
    );
    for (const answer of answers) {
      counts[answer] = (counts[answer] ?? 0) + 1;
    }
  }
  return counts;
}

it.each([0, 20, 100])(
  "a canary of weight %i gets that share, by name and by path",
  { timeout: 60_000 },
  async (weight) => {
    const ports = { legal: await answering("legal"), "legal-canary": await answering("legal-canary") };
    for (const refs of await refsWith(weight)) {
      const { legal = 0, "legal-canary": canary = 0, ...others } = await answersOf(await proxy(refs, ports));
      expect([others, legal + canary]).toEqual([{}, REQUESTS]);
      const share = (100 * canary) / REQUESTS;
      if (weight === 20) {
        // Envoy deals by weight, it does not throw dice: a far wider margin than it needs.
        expect(Math.abs(share - weight)).toBeLessThan(3);
      } else {
        expect(share).toBe(weight);
      }
    }
  },
);

it("sends the share of a canary without ready pods to its model", { timeout: 60_000 }, async () => {
  const [refs = []] = await refsWith(20);
  const url = await proxy(refs, { legal: await answering("legal") });
  expect(await answersOf(url)).toEqual({ legal: REQUESTS });
});
