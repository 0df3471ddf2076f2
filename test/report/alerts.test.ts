import { describe, expect, it } from "vitest";
import { alertsText } from "../../report/alerts";
import { alertFacts } from "../../stacks/alert-facts";
import { laptop, planOf, useFolder } from "../cli/run";
import { parseWith } from "../stacks/config/samples";

const folder = useFolder();

function textOf(alerts: unknown, secrets: readonly string[] = []): string {
  const parsed = parseWith({ observability: alerts === undefined ? {} : { alerts } });
  if (!parsed.ok) {
    throw new Error(JSON.stringify(parsed.problems));
  }
  return alertsText({ alerts: alertFacts(parsed.environment, secrets) });
}

describe("receivers of alerts in a plan", () => {
  it.each<[unknown, string[], string]>([
    [{ slack: {}, heartbeat: {} }, [], "slack (critical, warning), heartbeat"],
    [{ pagerduty: {} }, ["alertWebhookUrl"], "webhook (critical, warning), pagerduty (critical)"],
    [undefined, ["alertWebhookUrl"], "webhook (critical, warning)"],
    [
      { slack: { proxyUrl: "http://proxy.example.com:3128", networks: ["10.30.0.5/32"] } },
      [],
      "slack (critical, warning) through http://proxy.example.com:3128",
    ],
    ["none", ["alertWebhookUrl"], "no receiver: visible in Grafana and Alertmanager only"],
    [undefined, [], "no receiver: visible in Grafana and Alertmanager only"],
  ])("%j with %j: one line", (alerts, secrets, text) => {
    expect(textOf(alerts, secrets)).toBe(text);
  });

  it("are the Alertmanager's that is there, and cannot be named beside it", async () => {
    const observability = { prometheus: "present", operator: { namespace: "monitoring", labels: { release: "x" } } };
    expect((await planOf(folder, { ...laptop, observability })).out).toMatch(
      /^Alerts +rules for the Prometheus that is/m,
    );
    const named = await planOf(folder, { ...laptop, observability: { ...observability, alerts: { slack: {} } } });
    expect([named.status, named.err]).toEqual([2, expect.stringMatching(/your Alertmanager has the receivers/)]);
  });

  it("are told in the terminal and in JSON, also the one of alertWebhookUrl alone", async () => {
    const cipher = "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    const content = { ...laptop, observability: { alerts: { heartbeat: {} } }, alertWebhookUrl: { secure: cipher } };
    expect((await planOf(folder, content)).out).toMatch(/^Alerts +webhook \(critical, warning\), heartbeat$/m);
    const json = JSON.parse((await planOf(folder, content, "--json")).out);
    expect(json.alerts).toEqual([
      { receiver: "webhook", severities: ["critical", "warning"] },
      { receiver: "heartbeat" },
    ]);
  });
});
