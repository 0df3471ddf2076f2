import { ENVOY_GATEWAY_NAMESPACE } from "../../../names/namespaces";
import type { AlertRule, RuleSubject } from "./types";

/**
 * The rate limit service counts by rule; the monitor adds tenant and kind (`rateLimiterTargets`).
 * Refused requests use no tokens, so refusals are not in these series.
 */
const LIMITER = "ratelimit_service_rate_limit";
const DEPLOYMENT = `namespace="${ENVOY_GATEWAY_NAMESPACE}",deployment="envoy-ratelimit"`;
const STORE = `namespace="${ENVOY_GATEWAY_NAMESPACE}",statefulset="rate-limit-store"`;

const limiterDown: AlertRule = {
  alert: "GatewayRateLimiterDown",
  expr: `
    max by (namespace, workload) (
      label_replace(kube_deployment_status_replicas_available{${DEPLOYMENT}}, "workload", "$1", "deployment", "(.*)")
      or label_replace(kube_statefulset_status_replicas_ready{${STORE}}, "workload", "$1", "statefulset", "(.*)")
    ) == 0`,
  for: "2m",
  severity: "warning",
  summary: "{{ $labels.workload }} is not available: usage of tenants is not counted",
  description:
    "In production, requests of tenants with quotas pass uncounted, each with up to 250 ms of delay; in development they get 500. Tenants without quotas are not affected. Check the events of its pods in {{ $labels.namespace }}.",
  cases: {
    fires: {
      series: {
        [`kube_deployment_status_replicas_available{${DEPLOYMENT}}`]: "2x20",
        [`kube_statefulset_status_replicas_ready{${STORE}}`]: "0x20",
      },
      at: "5m",
      labels: { namespace: ENVOY_GATEWAY_NAMESPACE, workload: "rate-limit-store" },
    },
    quiet: {
      series: {
        [`kube_deployment_status_replicas_available{${DEPLOYMENT}}`]: "1x20",
        [`kube_statefulset_status_replicas_ready{${STORE}}`]: "0x1 1x18",
      },
      at: "5m",
    },
  },
};

const ROUTE = 'namespace="gateway",pod="proxy-0",envoy_cluster_name="chat"';

const quotasNotHeld: AlertRule = {
  alert: "GatewayQuotasNotHeld",
  // The series begins with the first failure.
  expr: "sum by (namespace) (increase(envoy_cluster_ratelimit_error[5m])) >= 10",
  for: "5m",
  severity: "warning",
  summary: "{{ $value | humanize }} requests in 5 minutes were not counted against a quota",
  description:
    "The proxies in {{ $labels.namespace }} get no answer in time about a tenant's quota: the rate limit service or its store is down, slow, or refuses the password.",
  cases: {
    fires: {
      series: { [`envoy_cluster_ratelimit_error{${ROUTE}}`]: "0+10x20" },
      at: "15m",
      labels: { namespace: "gateway" },
    },
    quiet: {
      series: {
        [`envoy_cluster_ratelimit_error{${ROUTE}}`]: "0x5 8x15",
        [`envoy_cluster_ratelimit_over_limit{${ROUTE}}`]: "0+100x20",
      },
      at: "15m",
    },
  },
};

function counted(
  series: "over_limit" | "near_limit" | "total_hits",
  tenant: string,
  quota: "requests" | "tokens",
): string {
  return `${LIMITER}_${series}{namespace="${ENVOY_GATEWAY_NAMESPACE}",pod="limiter-0",tenant="${tenant}",quota="${quota}"}`;
}

const requestsRefused: AlertRule = {
  alert: "TenantRequestsRefused",
  expr: `
    sum by (tenant) (rate(${LIMITER}_over_limit{quota="requests"}[15m]))
      / (sum by (tenant) (rate(${LIMITER}_total_hits{quota="requests"}[15m])) > 0)
      > 0.2`,
  for: "15m",
  severity: "warning",
  summary: "The quota of {{ $labels.tenant }} refuses {{ $value | humanizePercentage }} of its requests",
  description:
    "More than a fifth of the requests of {{ $labels.tenant }} have got 429 for 15 minutes. Raise its requestsPerMinute, or have its clients wait after a 429.",
  cases: {
    fires: {
      series: {
        [counted("over_limit", "web", "requests")]: "0+30x60",
        [counted("total_hits", "web", "requests")]: "0+90x60",
      },
      at: "40m",
      labels: { tenant: "web" },
    },
    quiet: {
      series: {
        [counted("over_limit", "web", "requests")]: "0+10x60",
        [counted("total_hits", "web", "requests")]: "0+90x60",
        [counted("over_limit", "batch", "tokens")]: "0+80x60",
        [counted("total_hits", "batch", "tokens")]: "0+90x60",
      },
      at: "40m",
    },
  },
};

const tokensUsedUp: AlertRule = {
  alert: "TenantTokensUsedUp",
  expr: `sum by (tenant) (increase(${LIMITER}_over_limit{quota="tokens"}[5m])) > 0`,
  for: "15m",
  severity: "warning",
  summary: "{{ $labels.tenant }} exceeds its quota of tokens minute after minute",
  description:
    "{{ $labels.tenant }} has exceeded its tokensPerMinute for 15 minutes ({{ $value | humanize }} tokens above it in 5 minutes). Its further requests in those minutes got 429. Raise tokensPerMinute, or lower its use.",
  cases: {
    fires: {
      series: { [counted("over_limit", "batch", "tokens")]: "0+500x40" },
      at: "30m",
      labels: { tenant: "batch" },
    },
    quiet: { series: { [counted("over_limit", "batch", "tokens")]: "0x10 500x30" }, at: "30m" },
  },
};

const tokensNearlyUsed: AlertRule = {
  alert: "TenantTokensNearlyUsed",
  // NEAR_LIMIT_RATIO, 0.8.
  expr: `
    sum by (tenant) (increase(${LIMITER}_near_limit{quota="tokens"}[5m])) > 0
    unless sum by (tenant) (increase(${LIMITER}_over_limit{quota="tokens"}[5m])) > 0`,
  for: "30m",
  severity: "info",
  summary: "{{ $labels.tenant }} steadily uses more than 80 % of its quota of tokens",
  description:
    "{{ $labels.tenant }} has used more than 80 % of its tokensPerMinute in every 5 minutes of half an hour. No request was refused yet.",
  cases: {
    fires: {
      series: {
        [counted("near_limit", "batch", "tokens")]: "0+100x60",
        [counted("over_limit", "batch", "tokens")]: "0x60",
      },
      at: "50m",
      labels: { tenant: "batch" },
    },
    quiet: {
      series: {
        [counted("near_limit", "batch", "tokens")]: "0+100x60",
        [counted("over_limit", "batch", "tokens")]: "0+500x60",
      },
      at: "50m",
    },
  },
};

export const quotas: RuleSubject = {
  subject: "quotas",
  recording: [],
  alerts: [limiterDown, quotasNotHeld, requestsRefused, tokensUsedUp, tokensNearlyUsed],
};
