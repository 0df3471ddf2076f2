import { TENANT_TOKENS_SERIES } from "../../../names/cost-series";
import { EXTERNAL_HEALTHY } from "../rules/external";
import { CERTIFICATE_DAYS_LIMIT, GATEWAY_ERROR_LIMIT, ROUND_TRIP_LIMIT_MS } from "../rules/limits";
import { answers, REQUESTS } from "./queries";
import type { DashboardSpec, PanelSpec } from "./spec";

/** Also on the first page. */
export const ERROR_SHARE: PanelSpec = {
  title: "Share of 5xx",
  description: "Above the line for 3 minutes the alert GatewayErrorRate fires.",
  unit: "percentunit",
  limit: { above: GATEWAY_ERROR_LIMIT },
  queries: [{ expr: `sum(${answers(',envoy_response_code_class="5"')}) / sum(${answers()})`, legend: "5xx" }],
  alerts: ["GatewayErrorRate"],
};

const ROUTES = 'envoy_cluster_name=~"(http|grpc)route/.*"';
const PER_MINUTE = (series: string, quota: string) =>
  `60 * sum by (tenant) (rate(ratelimit_service_rate_limit_${series}{quota="${quota}"}[$__rate_interval]))`;

export const gateway: DashboardSpec = {
  uid: "inference-gateway",
  title: "Gateway",
  description: "Clients, tenants and routes of the gateway, and its proxies.",
  variables: [],
  rows: [
    {
      title: "Clients",
      panels: [
        REQUESTS,
        ERROR_SHARE,
        {
          title: "Open requests",
          description: "At the proxies. Streams stay open for as long as their answers take.",
          unit: "short",
          queries: [
            {
              expr: 'sum by (pod) (envoy_http_downstream_rq_active{envoy_http_conn_manager_prefix=~"https?-[0-9]+"})',
              legend: "{{pod}}",
            },
          ],
        },
      ],
    },
    {
      title: "Tenants",
      panels: [
        {
          title: "Refused requests",
          description:
            "Per minute, by the quota of requests. Above a fifth of all: the alert TenantRequestsRefused fires.",
          unit: "short",
          queries: [{ expr: PER_MINUTE("over_limit", "requests"), legend: "{{tenant}}" }],
          alerts: ["TenantRequestsRefused"],
        },
        {
          title: "Tokens of quotas",
          description: "Per minute, of prompts and answers, of tenants with a quota.",
          unit: "short",
          queries: [{ expr: PER_MINUTE("total_hits", "tokens"), legend: "{{tenant}}" }],
          alerts: ["TenantTokensNearlyUsed", "TenantTokensUsedUp"],
        },
        {
          title: "Tokens of all tenants",
          description: "A second, over the last hour: what a model's cost is shared by.",
          unit: "short",
          queries: [{ expr: `sum by (tenant) (${TENANT_TOKENS_SERIES})`, legend: "{{tenant}}" }],
        },
      ],
    },
    {
      title: "Routes",
      panels: [
        {
          title: "Whole answer, p95",
          description:
            "From the proxy's request to an engine until the answer's end, per route, engines without metrics too.",
          unit: "ms",
          queries: [
            {
              expr: `histogram_quantile(0.95, sum by (envoy_cluster_name, le) (rate(envoy_cluster_upstream_rq_time_bucket{${ROUTES}}[$__rate_interval])))`,
              legend: "{{envoy_cluster_name}}",
            },
          ],
        },
        {
          title: "Round trip to the engines",
          description: "95th percentile of the time to connect. Above the line: the alert GatewayRoundTripSlow.",
          unit: "ms",
          limit: { above: ROUND_TRIP_LIMIT_MS },
          queries: [{ expr: "envoy_upstream_rtt_ms", legend: "{{envoy_cluster_name}}" }],
          alerts: ["GatewayRoundTripSlow"],
        },
        {
          title: "Requests without a connection",
          description: "Per second: connections that failed, and requests that waited too long for one.",
          unit: "reqps",
          queries: [
            {
              expr: `sum by (envoy_cluster_name) (rate(envoy_cluster_upstream_cx_connect_fail{${ROUTES}}[$__rate_interval]))`,
              legend: "{{envoy_cluster_name}}",
            },
          ],
          alerts: ["ModelRequestsFailing"],
        },
        {
          title: "External models",
          description: "Share of the proxies that find the server healthy. 0 for 5 minutes: ExternalModelUnhealthy.",
          unit: "percentunit",
          max: 1,
          queries: [{ expr: EXTERNAL_HEALTHY, legend: "{{model}}" }],
          alerts: ["ExternalModelUnhealthy"],
        },
      ],
    },
    {
      title: "Proxies",
      panels: [
        {
          title: "Days until a certificate ends",
          description: "Below the line the alert GatewayCertificateExpiringSoon fires.",
          unit: "short",
          type: "stat",
          limit: { below: CERTIFICATE_DAYS_LIMIT },
          queries: [
            { expr: "min by (namespace) (envoy_server_days_until_first_cert_expiring)", legend: "{{namespace}}" },
          ],
          alerts: ["GatewayCertificateExpiringSoon", "GatewayListenerWithoutCertificate"],
        },
        {
          title: "Memory",
          description: "Of each proxy's heap: bodies, and answers that clients read slowly.",
          unit: "bytes",
          queries: [{ expr: "envoy_server_memory_heap_size", legend: "{{namespace}} {{pod}}" }],
          alerts: ["GatewayDown"],
        },
      ],
    },
  ],
};
