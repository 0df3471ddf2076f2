import {
  type AlertReceiverKind,
  type AlertReceivers,
  type AlertSecretKey,
  needsSecret,
  PAGED_SEVERITIES,
  type PagedSeverity,
  PEOPLE_KINDS,
  type PeopleKind,
  RECEIVER_KINDS,
  RECEIVER_SECRETS,
} from "../../../components/observability/alert-receivers";
import type { AlertsConfig } from "./alerts-config";

/** Default for alertWebhookUrl without a webhook section: the form before `alerts` existed. */
const DEFAULT_WEBHOOK = { port: 443, severities: [...PAGED_SEVERITIES] };

/** @param secrets keys of the secrets that are set. */
export function receiversOf(alerts: AlertsConfig, secrets: readonly string[]): AlertReceivers {
  const declared = alerts === undefined || alerts === "none" ? {} : alerts;
  return alerts !== "none" && secrets.includes(RECEIVER_SECRETS.webhook)
    ? { webhook: DEFAULT_WEBHOOK, ...declared }
    : declared;
}

/** A heartbeat alone does not. */
export function reachesPeople(receivers: AlertReceivers): boolean {
  return peopleOf(receivers).length > 0;
}

export function peopleOf(receivers: AlertReceivers): PeopleKind[] {
  return PEOPLE_KINDS.filter((kind) => receivers[kind] !== undefined);
}

export function peopleGet(receivers: AlertReceivers, severity: PagedSeverity): boolean {
  return PEOPLE_KINDS.some((kind) => receivers[kind]?.severities.includes(severity));
}

/** Declared receivers without their secret. */
export function withoutSecret(receivers: AlertReceivers, secrets: readonly string[]): AlertReceiverKind[] {
  return RECEIVER_KINDS.filter(
    (kind) =>
      receivers[kind] !== undefined && needsSecret(receivers, kind) && !secrets.includes(RECEIVER_SECRETS[kind]),
  );
}

/** Undeclared receivers get no secrets, as nothing is sent to them. */
export function secretsOf<Value>(
  receivers: AlertReceivers,
  secrets: Readonly<Partial<Record<AlertSecretKey, Value>>>,
): Readonly<Partial<Record<AlertSecretKey, Value>>> {
  const used = RECEIVER_KINDS.filter((kind) => receivers[kind] !== undefined && needsSecret(receivers, kind));
  const keys = used.map((kind) => RECEIVER_SECRETS[kind]).filter((key) => secrets[key] !== undefined);
  return Object.fromEntries(keys.map((key) => [key, secrets[key]])) as Partial<Record<AlertSecretKey, Value>>;
}
