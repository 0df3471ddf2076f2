import { outsideServer } from "../../names/outside-server";
import type { HelmValues } from "../core/chart-release";

/** Severities that page or inform people; `info` is for dashboards. */
export const PAGED_SEVERITIES = ["critical", "warning"] as const;
export type PagedSeverity = (typeof PAGED_SEVERITIES)[number];

/** Where a receiver is, for NetworkPolicies: its URL is secret, and they match no names. */
interface Reached {
  /** CIDRs of its addresses, or of its proxy's. @default any address that is not private */
  readonly networks?: readonly string[] | undefined;
  /**
   * CA file of its certificate, as the environment names it.
   * @default that of Alertmanager's image
   */
  readonly caFile?: string | undefined;
}

interface ReachedAtPort extends Reached {
  readonly port: number;
  /** URL of a forward proxy. @default none */
  readonly proxyUrl?: string | undefined;
}

interface Informed {
  readonly severities: readonly PagedSeverity[];
}

export interface AlertReceivers {
  readonly webhook?: (ReachedAtPort & Informed) | undefined;
  readonly slack?: (ReachedAtPort & Informed & { readonly channel?: string | undefined }) | undefined;
  readonly pagerduty?: (ReachedAtPort & Informed & { readonly serviceRegion: "us" | "eu" }) | undefined;
  readonly email?: (Reached & Informed & EmailDelivery) | undefined;
  /** Receives Watchdog, which always fires: an external service alerts when it stops. */
  readonly heartbeat?: ReachedAtPort | undefined;
}

interface EmailDelivery {
  readonly to: readonly string[];
  readonly from: string;
  readonly smarthost: string;
  /** @default no authentication, and no secret */
  readonly username?: string | undefined;
  readonly requireTls: boolean;
}

export type AlertReceiverKind = keyof AlertReceivers;

/** Configuration key that holds a receiver's secret. */
export const RECEIVER_SECRETS = {
  webhook: "alertWebhookUrl",
  slack: "alertSlackUrl",
  pagerduty: "alertPagerdutyKey",
  email: "alertEmailPassword",
  heartbeat: "alertHeartbeatUrl",
} as const satisfies Record<AlertReceiverKind, string>;

export type AlertSecretKey = (typeof RECEIVER_SECRETS)[AlertReceiverKind];

/** PEM certificates of receivers' CAs. */
export type ReceiverAuthorities = Readonly<Partial<Record<AlertReceiverKind, string>>>;

export type AlertSecretValues = Readonly<Partial<Record<AlertSecretKey, string>>>;

export const RECEIVER_KINDS = Object.keys(RECEIVER_SECRETS) as readonly AlertReceiverKind[];

export type PeopleKind = Exclude<AlertReceiverKind, "heartbeat">;
export const PEOPLE_KINDS = RECEIVER_KINDS.filter((kind): kind is PeopleKind => kind !== "heartbeat");

/** Mail servers without authentication need none. */
export function needsSecret(receivers: AlertReceivers, kind: AlertReceiverKind): boolean {
  return kind !== "email" || receivers.email?.username !== undefined;
}

/** Declared receivers, without those that lack a secret they need. */
export function usableReceivers(receivers: AlertReceivers, secrets: readonly string[]): AlertReceiverKind[] {
  return RECEIVER_KINDS.filter(
    (kind) =>
      receivers[kind] !== undefined && (!needsSecret(receivers, kind) || secrets.includes(RECEIVER_SECRETS[kind])),
  );
}

/** TCP port of a receiver, or of its proxy. */
export function receiverPort(receivers: AlertReceivers, kind: AlertReceiverKind): number {
  if (kind === "email") {
    return Number(receivers.email?.smarthost.split(":").at(-1));
  }
  const { proxyUrl, port = 443 } = receivers[kind] ?? {};
  return proxyUrl === undefined ? port : (outsideServer(proxyUrl)?.port ?? port);
}

/**
 * ConfigMap of CAs, mounted by the operator (prometheus-operator 0.93,
 * pkg/alertmanager/statefulset.go).
 */
export const AUTHORITIES_CONFIG_MAP = "alertmanager-authorities";
const AUTHORITIES_FOLDER = `/etc/alertmanager/configmaps/${AUTHORITIES_CONFIG_MAP}`;

export function authoritiesKey(kind: AlertReceiverKind): string {
  return `${kind}.pem`;
}

function tlsConfig(kind: AlertReceiverKind, { caFile }: Reached): HelmValues {
  return caFile === undefined ? {} : { tls_config: { ca_file: `${AUTHORITIES_FOLDER}/${authoritiesKey(kind)}` } };
}

/**
 * Keys of prometheus/common 0.70, config/http_config.go. The operator passes no `ca`
 * (pkg/alertmanager/types.go).
 */
function httpConfig(kind: AlertReceiverKind, settings: ReachedAtPort): HelmValues {
  const config = {
    ...(settings.proxyUrl !== undefined && { proxy_url: settings.proxyUrl }),
    ...tlsConfig(kind, settings),
  };
  return Object.keys(config).length === 0 ? {} : { http_config: config };
}

/** The first is Alertmanager's default. */
const PAGERDUTY_URLS = {
  us: "https://events.pagerduty.com/v2/enqueue",
  eu: "https://events.eu.pagerduty.com/v2/enqueue",
} as const;

/** Slack's default text is empty. */
const SLACK_TEXT =
  "{{ range .Alerts }}*{{ .Annotations.summary }}*\n{{ .Annotations.description }}\n{{ .Annotations.runbook_url }}\n{{ end }}";

type SettingsOf = { readonly [Kind in AlertReceiverKind]: NonNullable<AlertReceivers[Kind]> };

/**
 * Keys of prometheus/alertmanager 0.34.0 (config/notifiers.go, notify/webhook/config.go,
 * notify/pagerduty/config.go) and 0.25.
 */
const BLOCKS: { readonly [Kind in AlertReceiverKind]: (settings: SettingsOf[Kind], secret: string) => HelmValues } = {
  webhook: (settings, url) => ({
    webhook_configs: [{ url, send_resolved: true, ...httpConfig("webhook", settings) }],
  }),
  slack: (settings, url) => ({
    slack_configs: [
      {
        api_url: url,
        send_resolved: true,
        ...(settings.channel && { channel: settings.channel }),
        text: SLACK_TEXT,
        ...httpConfig("slack", settings),
      },
    ],
  }),
  pagerduty: (settings, key) => ({
    pagerduty_configs: [
      {
        routing_key: key,
        send_resolved: true,
        ...httpConfig("pagerduty", settings),
        url: PAGERDUTY_URLS[settings.serviceRegion],
        severity: '{{ if eq .CommonLabels.severity "critical" }}critical{{ else }}warning{{ end }}',
        details: { runbook: "{{ range .Alerts }}{{ .Annotations.runbook_url }} {{ end }}" },
      },
    ],
  }),
  email: ({ to, from, smarthost, requireTls, username, caFile }, password) => ({
    email_configs: [
      {
        ...tlsConfig("email", { caFile }),
        to: to.join(", "),
        from,
        smarthost,
        require_tls: requireTls,
        send_resolved: true,
        ...(username !== undefined && { auth_username: username, auth_password: password }),
      },
    ],
  }),
  // Resolved would be one more request; silence is the signal.
  heartbeat: (settings, url) => ({
    webhook_configs: [{ url, send_resolved: false, ...httpConfig("heartbeat", settings) }],
  }),
};

export function receiverBlock<Kind extends AlertReceiverKind>(
  kind: Kind,
  settings: SettingsOf[Kind],
  secret: string,
): HelmValues {
  return { name: kind, ...BLOCKS[kind](settings, secret) };
}
