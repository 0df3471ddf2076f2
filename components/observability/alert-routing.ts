import { Scalar, stringify } from "yaml";
import type { HelmValues } from "../core/chart-release";

/** Alertmanager's configuration as text, `alertmanager.yaml`, for a Secret: whoever knows the webhook's address can write there. */
export function alertmanagerConfig(webhookUrl: string): string {
  const url = new Scalar(webhookUrl);
  // Whatever a URL may hold; and where the text becomes a template, the renderer sees that the value stands in quotes.
  url.type = Scalar.QUOTE_DOUBLE;
  const receiver = { name: "webhook", webhook_configs: [{ url, send_resolved: true }] };
  const { receivers, ...routing } = alertRouting("webhook");
  return stringify({ ...routing, receivers: [...receivers, receiver] });
}

/**
 * Configuration of Alertmanager: one receiver for what a person should read.
 *
 * @param receiver the webhook of an incident tool or chat; with `nobody`, alerts are only visible in Alertmanager and Grafana.
 */
export function alertRouting(receiver: "webhook" | "nobody"): AlertRouting {
  return {
    route: {
      receiver,
      group_by: ["alertname", "namespace", "model"],
      group_wait: "30s",
      group_interval: "5m",
      repeat_interval: "12h",
      routes: [
        // Watchdog always fires, to prove the chain; info alerts are for dashboards and reports.
        { receiver: "nobody", matchers: ['alertname =~ "Watchdog|InfoInhibitor"'] },
        { receiver: "nobody", matchers: ['severity = "info"'] },
        { receiver, matchers: ['severity = "critical"'], group_wait: "10s", repeat_interval: "1h" },
      ],
    },
    inhibit_rules: [
      // A model that is down explains its queue and its latency.
      {
        source_matchers: ['alertname = "ModelUnavailable"'],
        target_matchers: ['severity =~ "warning|info"'],
        equal: ["namespace"],
      },
      {
        source_matchers: ['severity = "critical"'],
        target_matchers: ['severity =~ "warning|info"'],
        equal: ["alertname", "namespace"],
      },
    ],
    receivers: [{ name: "nobody" }],
  };
}

/** The parts of Alertmanager's configuration that we set, as values of its chart. */
type AlertRouting = {
  readonly route: HelmValues;
  readonly inhibit_rules: readonly HelmValues[];
  readonly receivers: readonly HelmValues[];
};
