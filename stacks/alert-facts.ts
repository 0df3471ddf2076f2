import { type AlertReceiverKind, RECEIVER_KINDS } from "../components/observability/alert-receivers";
import { receiversOf } from "./addons/observability/receivers";
import type { EnvironmentConfig } from "./config";

export { RECEIVER_KINDS } from "../components/observability/alert-receivers";

/** A receiver of alerts. */
export interface AlertFact {
  readonly receiver: AlertReceiverKind;
  /** @default Watchdog only: the heartbeat */
  readonly severities?: readonly string[];
  /** @default no proxy */
  readonly proxyUrl?: string;
}

/** @param secrets keys of the secrets that are set: alertWebhookUrl alone makes a receiver, too. */
export function alertFacts(
  { observability }: Pick<EnvironmentConfig, "observability">,
  secrets: readonly string[],
): AlertFact[] {
  const receivers = receiversOf(observability.alerts, secrets);
  return RECEIVER_KINDS.flatMap((receiver): AlertFact[] => {
    const settings = receivers[receiver];
    return settings === undefined
      ? []
      : [
          {
            receiver,
            ...("severities" in settings && { severities: settings.severities }),
            ...("proxyUrl" in settings && settings.proxyUrl !== undefined && { proxyUrl: settings.proxyUrl }),
          },
        ];
  });
}
