import { z } from "zod";
import { type AlertSecretKey, PAGED_SEVERITIES } from "../../../components/observability/alert-receivers";
import { text, url, wholeNumber } from "../../config/core/sections/fields";
import { outsideNetworks, WITHOUT_NETWORKS } from "../../config/core/sections/outside-fields";

const networks = outsideNetworks.meta({
  description: `Networks in CIDR form of the receiver's addresses: Alertmanager reaches these alone, at the port. Default: ${WITHOUT_NETWORKS}`,
  example: ["10.20.0.9/32"],
});

const caFile = text(2048).optional().meta({
  description:
    "Certificates of the authorities that the receiver's certificate may be signed by: a PEM file, from the folder of the environment's file. Default: those that Alertmanager's image trusts.",
  example: "certificates/office.pem",
});

const reached = {
  networks,
  caFile,
  proxyUrl: url({ protocol: /^https?$/ })
    .optional()
    .meta({
      description:
        "URL of the forward proxy by which Alertmanager reaches the receiver; networks are then those of the proxy, and required, and port must not be set. A caFile holds the authorities of proxy and receiver. Default: none.",
      allowed: "an http:// or https:// URL without user and password",
      example: "http://proxy.example.com:3128",
    }),
  port: wholeNumber(1, 65_535)
    .default(443)
    .meta({ description: "TCP port in the receiver's URL, for NetworkPolicies.", example: 8443 }),
};

const severitiesOf = (...severities: (typeof PAGED_SEVERITIES)[number][]) => ({
  severities: z
    .array(z.enum(PAGED_SEVERITIES))
    .min(1)
    .default(severities)
    .meta({ description: "Alerts that it receives, by severity.", example: ["critical"] }),
});

const address = text(254).regex(/^[^\s@]+@[^\s@]+$/);

const receivers = z.strictObject({
  webhook: z
    .strictObject({ ...reached, ...severitiesOf("critical", "warning") })
    .optional()
    .meta({
      description: "A server that takes Alertmanager's own JSON. Its URL is the secret alertWebhookUrl.",
      example: { networks: ["10.20.0.9/32"], port: 8443 },
    }),
  slack: z
    .strictObject({
      ...reached,
      ...severitiesOf("critical", "warning"),
      channel: text(80).optional().meta({
        description: "Channel to post to. Default: that of the webhook.",
        example: "#platform-alerts",
      }),
    })
    .optional()
    .meta({
      description: "An incoming webhook of Slack. Its URL is the secret alertSlackUrl.",
      example: { channel: "#platform-alerts" },
    }),
  pagerduty: z
    .strictObject({
      ...reached,
      ...severitiesOf("critical"),
      serviceRegion: z
        .enum(["us", "eu"])
        .default("us")
        .meta({ description: "Service region of the PagerDuty account.", example: "eu" }),
    })
    .optional()
    .meta({
      description: "A PagerDuty service, by its Events API v2. Its integration key is the secret alertPagerdutyKey.",
      example: { serviceRegion: "eu" },
    }),
  email: z
    .strictObject({
      networks,
      caFile,
      ...severitiesOf("critical", "warning"),
      to: z
        .array(address.meta({ allowed: "an email address", example: "on-call@example.com" }))
        .min(1)
        .max(20)
        .meta({ description: "Addresses that receive the alerts.", example: ["on-call@example.com"] }),
      from: address.meta({
        description: "Sender.",
        allowed: "an email address",
        example: "alerts@example.com",
      }),
      smarthost: text(260)
        .regex(/^[a-z0-9.-]+:([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/)
        .meta({
          description: "SMTP server.",
          allowed: "a host and its port from 1 to 65535, in lower case",
          example: "smtp.example.com:587",
        }),
      username: text(254).optional().meta({
        description: "Name to log in with; its password is the secret alertEmailPassword. Default: no authentication.",
        example: "alerts@example.com",
      }),
      requireTls: z
        .boolean()
        .default(true)
        .meta({ description: "Whether to require TLS from the server.", example: true }),
    })
    .optional()
    .meta({
      description: "An SMTP server.",
      example: { to: ["on-call@example.com"], from: "alerts@example.com", smarthost: "smtp.example.com:587" },
    }),
  heartbeat: z
    .strictObject(reached)
    .optional()
    .meta({
      description:
        "A service that alerts when requests stop: one arrives each minute while Prometheus and Alertmanager work. Its URL is the secret alertHeartbeatUrl.",
      example: { port: 443 },
    }),
});

export const alertsField = z
  .union([z.literal("none"), receivers])
  .optional()
  .meta({
    description:
      "Receivers of alerts. none: alerts are visible in Grafana and Alertmanager only. Required in production. Default: webhook, where the secret alertWebhookUrl is set.",
    allowed: "none, or receivers: webhook, slack, pagerduty, email, heartbeat",
    example: { slack: { channel: "#platform-alerts" }, pagerduty: {}, heartbeat: {} },
  });

export type AlertsConfig = z.output<typeof alertsField>;

const secretUrl = (description: string) =>
  url({ protocol: /^https?$/ })
    .optional()
    .meta({ description, allowed: "an http:// or https:// URL" });

export const alertSecrets = {
  alertWebhookUrl: secretUrl("Webhook that alerts are posted to (observability.alerts.webhook)."),
  alertSlackUrl: secretUrl("Incoming webhook of Slack (observability.alerts.slack)."),
  alertPagerdutyKey: z.string().regex(/^\S+$/).optional().meta({
    description: "Integration key of a PagerDuty service, Events API v2 (observability.alerts.pagerduty).",
    allowed: "a key without spaces",
  }),
  alertEmailPassword: z
    .string()
    .regex(/^[^\p{Cc}]+$/u)
    .optional()
    .meta({ description: "Password of observability.alerts.email.username.", allowed: "text on one line" }),
  alertHeartbeatUrl: secretUrl(
    "Where a request arrives each minute while monitoring works (observability.alerts.heartbeat).",
  ),
} satisfies Record<AlertSecretKey, z.ZodType>;
