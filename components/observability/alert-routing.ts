import { stringify } from "yaml";

/**
 * Configuration of Alertmanager (`alertmanager.yaml`): one receiver, the webhook, for what a person should read.
 *
 * @param webhookUrl where alerts go, for example an incident tool's or chat's webhook; without one, alerts are
 *   only visible in Alertmanager and Grafana.
 */
export function alertmanagerConfig(webhookUrl: string | undefined): string {
  const receiver = webhookUrl === undefined ? "nobody" : "webhook";
  return stringify({
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
    receivers: [
      { name: "nobody" },
      ...(webhookUrl === undefined
        ? []
        : [{ name: "webhook", webhook_configs: [{ url: webhookUrl, send_resolved: true }] }]),
    ],
  });
}
