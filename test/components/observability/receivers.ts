import type { AlertReceivers, AlertSecretKey } from "../../../components/observability/alert-receivers";

/** A receiver of each kind. */
export const ALL_RECEIVERS = {
  webhook: { port: 8443, severities: ["critical", "warning"], networks: ["10.20.0.9/32"] },
  slack: { port: 443, severities: ["critical", "warning"], channel: "#alerts" },
  pagerduty: { port: 443, severities: ["critical"], serviceRegion: "eu" },
  email: {
    severities: ["critical", "warning"],
    to: ["on-call@example.com", "team@example.com"],
    from: "alerts@example.com",
    smarthost: "smtp.example.com:587",
    username: "alerts",
    requireTls: true,
  },
  heartbeat: { port: 443 },
} as const satisfies AlertReceivers;

/** Each of them with authorities of its own, and behind a proxy where it speaks HTTP. */
export const REMOTE_RECEIVERS = {
  webhook: { ...ALL_RECEIVERS.webhook, ...behind() },
  slack: { ...ALL_RECEIVERS.slack, ...behind() },
  pagerduty: { ...ALL_RECEIVERS.pagerduty, ...behind() },
  email: { ...ALL_RECEIVERS.email, caFile: "office.pem" },
  heartbeat: { ...ALL_RECEIVERS.heartbeat, ...behind() },
} as const satisfies AlertReceivers;

function behind() {
  return { networks: ["10.30.0.5/32"], proxyUrl: "http://proxy.example.com:3128", caFile: "office.pem" };
}

export const RECEIVER_VALUES: Readonly<Record<AlertSecretKey, string>> = {
  alertWebhookUrl: "https://alerts.example/hook",
  alertSlackUrl: "https://hooks.slack.example/services/T0/B0/x",
  alertPagerdutyKey: "0123456789abcdef0123456789abcdef",
  alertEmailPassword: "pass word",
  alertHeartbeatUrl: "https://heartbeat.example/ping",
};
