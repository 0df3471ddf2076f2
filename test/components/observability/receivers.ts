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

export const RECEIVER_VALUES: Readonly<Record<AlertSecretKey, string>> = {
  alertWebhookUrl: "https://alerts.example/hook",
  alertSlackUrl: "https://hooks.slack.example/services/T0/B0/x",
  alertPagerdutyKey: "0123456789abcdef0123456789abcdef",
  alertEmailPassword: "pass word",
  alertHeartbeatUrl: "https://heartbeat.example/ping",
};
