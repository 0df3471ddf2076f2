import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  activeRequestsQuery,
  seenSeconds,
  unmetRequestsQuery,
  wakeQuery,
} from "../../../components/autoscaling/wake-signal";
import { gatewayProxies, PROXY_METRICS } from "../../../components/gateway/names";
import { gatewayTargets } from "../../../components/observability/targets";
import { clusterSeries } from "../../../names/model-routes";

const READ = 'and on () count(up{job="observability/gateway-envoy",namespace="inference-gateway"} == 1)';

/** Names of clusters that a query asks for, without what all of them begin with. */
function routesOf(query: string): string[] {
  const found = [...query.matchAll(/envoy_cluster_name=~?"httproute\/inference-gateway\/([^"]+)"/g)];
  return [...new Set(found.map(([, name = ""]) => name))];
}

describe("what wakes a model", () => {
  it("is a request that found no replica, that reached one, or that is under way", () => {
    const clusters =
      'namespace="inference-gateway",envoy_cluster_name=~"httproute/inference-gateway/(model-chat|free-chat)/rule/[0-9]+"';
    const increase = (name: string) => {
      const series = `envoy_cluster_${name}{${clusters}}`;
      const before = `last_over_time(${series}[1h] offset 120s)`;
      const isNew = `(${series} unless ${before}) or (${series} < ${before})`;
      return `(sum((${isNew} or increase(${series}[120s]))) or vector(0))`;
    };
    expect(wakeQuery({ model: "chat" })).toBe(
      `(${increase("upstream_cx_none_healthy")} + ${increase("upstream_cx_connect_fail")} + ${increase("upstream_rq_total")}` +
        ` + (sum(envoy_cluster_upstream_rq_active{${clusters}}) or vector(0)) > bool 0) ${READ}`,
    );
    expect(unmetRequestsQuery({ model: "chat" }, 60)).toBe(
      `${increase("upstream_cx_none_healthy")} + ${increase("upstream_cx_connect_fail")}`.replaceAll("120s", "60s"),
    );
  });

  it("comes on every route of the model", () => {
    expect(routesOf(wakeQuery({ model: "chat", node: { group: "cluster", port: 8080, metrics: [] } }))).toEqual([
      "(model-chat|free-chat|model-cluster|free-cluster)/rule/[0-9]+",
    ]);
    expect(routesOf(wakeQuery({ model: "vector", ports: { "kserve-http": 8000, "kserve-grpc": 8001 } }))).toEqual([
      "(kserve-vector|grpc-vector)/rule/[0-9]+",
      "grpc-vector",
    ]);
  });

  it("comes to a canary by its model, which is not woken by the canary's own path", () => {
    const canary = { model: "next", revisionOf: { model: "chat", weight: 20 } };
    expect(routesOf(wakeQuery(canary))).toEqual(["(model-next|free-next|model-chat|free-chat)/rule/[0-9]+"]);
    const node = { group: "cluster", port: 8080, metrics: [] };
    expect(routesOf(wakeQuery({ ...canary, node }))).toEqual([
      "(model-next|free-next|model-chat|free-chat|model-cluster|free-cluster)/rule/[0-9]+",
      "model-cluster",
      "free-cluster",
    ]);
    expect(wakeQuery({ model: "chat" })).not.toContain("next");
  });

  it("does not come by what only asks after health", () => {
    expect(wakeQuery({ model: "chat", node: { group: "cluster", port: 8080, metrics: [] } })).not.toContain("health-");
  });

  it("names the job under which Prometheus reads the proxies", () => {
    const [envoy] = gatewayTargets({ ...gatewayProxies, metrics: PROXY_METRICS });
    expect(envoy?.path).toBe("/stats/prometheus");
    expect(wakeQuery({ model: "chat" })).toContain(
      `up{job="observability/${envoy?.name}",namespace="${envoy?.namespace}"}`,
    );
  });
});

describe("requests under way", () => {
  it("are counted at the gateway", () => {
    expect(activeRequestsQuery({ model: "chat" })).toBe(
      `((sum(envoy_cluster_upstream_rq_active{namespace="inference-gateway",envoy_cluster_name=~"httproute/inference-gateway/(model-chat|free-chat)/rule/[0-9]+"}) or vector(0))) ${READ}`,
    );
  });

  it("are a canary's by its share", () => {
    expect(activeRequestsQuery({ model: "next", revisionOf: { model: "chat", weight: 20 } })).toMatch(
      /\(model-next\|free-next\)\/rule\/\[0-9\]\+"\}\) or vector\(0\)\) \+ 20 \/ 100 \* \(sum\(.*\(model-chat\|free-chat\)/,
    );
  });
});

describe("series of clusters", () => {
  it("have the rest of a route's name after its dot in theirs", () => {
    expect(clusterSeries("upstream_rq_total", ["model-a", "grpc-a.stream"])).toEqual([
      'envoy_cluster_upstream_rq_total{namespace="inference-gateway",envoy_cluster_name=~"httproute/inference-gateway/(model-a)/rule/[0-9]+"}',
      'envoy_cluster_stream_rule_0_upstream_rq_total{namespace="inference-gateway",envoy_cluster_name="httproute/inference-gateway/grpc-a"}',
    ]);
  });

  it("are of one model, whatever another is called", () => {
    const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,12}[a-z0-9])?$/);
    fc.assert(
      fc.property(name, name, fc.nat(9), (model, other, rule) => {
        fc.pre(model !== other);
        const [pattern = ""] = routesOf(wakeQuery({ model }));
        const matches = (route: string) => new RegExp(`^${pattern}$`).test(`${route}/rule/${rule}`);
        expect(matches(`model-${model}`) && matches(`free-${model}`)).toBe(true);
        expect(matches(`model-${other}`) || matches(`free-${other}`)).toBe(false);
      }),
    );
  });
});

it("sees a request more than once, however often it looks", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), (scrape, pollSeconds) => {
      const seen = seenSeconds({ pollSeconds, spikeToServed: { scrape } });
      // Two readings of the proxies, and two looks at these.
      expect(seen).toBeGreaterThanOrEqual(2 * scrape + 2 * pollSeconds);
    }),
  );
});
