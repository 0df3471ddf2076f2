import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { AlertReceivers } from "../../../components/observability/alert-receivers";
import { alertmanagerConfig, alertRouting } from "../../../components/observability/alert-routing";
import { ALL_RECEIVERS, RECEIVER_VALUES, REMOTE_RECEIVERS } from "./receivers";

const WITHOUT = alertRouting();

describe("alertRouting", () => {
  it("sends each severity to the receivers that take it, and the heartbeat to its own", () => {
    const { route } = alertRouting(ALL_RECEIVERS, RECEIVER_VALUES);
    const routes = route.routes as { receiver: string; matchers: string[]; continue?: boolean }[];
    const to = (receiver: string) =>
      routes.filter((each) => each.receiver === receiver).map(({ matchers }) => matchers);
    expect(to("heartbeat")).toEqual([['alertname = "Watchdog"']]);
    expect(to("pagerduty")).toEqual([['severity = "critical"']]);
    expect(to("slack")).toEqual([['severity = "critical"'], ['severity != "critical"']]);
    expect(to("nobody")).toEqual([['alertname =~ "Watchdog|InfoInhibitor"'], ['severity = "info"']]);
    expect(routes.filter(({ receiver }) => receiver === "email").every((each) => each.continue)).toBe(true);
  });

  it("reaches no one without receivers", () => {
    expect(WITHOUT.receivers).toEqual([{ name: "nobody" }]);
    expect(WITHOUT.route.receiver).toBe("nobody");
  });

  it("leaves out a receiver whose secret is missing, but not a mail server without authentication", () => {
    const { username: _username, ...open } = ALL_RECEIVERS.email;
    const { receivers } = alertRouting({ ...ALL_RECEIVERS, email: open });
    expect(receivers.map(({ name }) => name)).toEqual(["nobody", "email"]);
  });

  it.each<[string, AlertReceivers]>([
    ["all", ALL_RECEIVERS],
    ["none", {}],
  ])("names only receivers that exist, with %s", (_name, receivers) => {
    const config = alertRouting(receivers, RECEIVER_VALUES);
    const names = config.receivers.map(({ name }) => name);
    const routes = config.route.routes as { receiver: string }[];
    expect(routes.map(({ receiver }) => receiver).filter((name) => !names.includes(name))).toEqual([]);
  });
});

describe("receivers behind a proxy, with authorities of their own", () => {
  const { receivers } = alertRouting(REMOTE_RECEIVERS, RECEIVER_VALUES);
  const settingsOf = (kind: string, key: string) =>
    (receivers.find(({ name }) => name === kind) as Record<string, Record<string, unknown>[]> | undefined)?.[key]?.[0];

  it.each([
    ["webhook", "webhook_configs"],
    ["slack", "slack_configs"],
    ["pagerduty", "pagerduty_configs"],
    ["heartbeat", "webhook_configs"],
  ])("are %s by http_config", (kind, key) => {
    expect(settingsOf(kind, key)?.http_config).toEqual({
      proxy_url: "http://proxy.example.com:3128",
      tls_config: { ca_file: `/etc/alertmanager/configmaps/alertmanager-authorities/${kind}.pem` },
    });
  });

  it("are email by tls_config", () => {
    expect(settingsOf("email", "email_configs")?.tls_config).toEqual({
      ca_file: "/etc/alertmanager/configmaps/alertmanager-authorities/email.pem",
    });
  });
});

describe("alertmanagerConfig", () => {
  it("quotes every secret, whatever it holds", () => {
    const text = alertmanagerConfig(ALL_RECEIVERS, { ...RECEIVER_VALUES, alertEmailPassword: "yes: #1" });
    expect(text).toContain(`url: "${RECEIVER_VALUES.alertWebhookUrl}"`);
    expect(text).toContain('auth_password: "yes: #1"');
    const email = parse(text).receivers.find(({ name }: { name: string }) => name === "email");
    expect(email.email_configs).toEqual([
      {
        to: "on-call@example.com, team@example.com",
        from: "alerts@example.com",
        smarthost: "smtp.example.com:587",
        require_tls: true,
        send_resolved: true,
        auth_username: "alerts",
        auth_password: "yes: #1",
      },
    ]);
  });

  it("sends resolved alerts to people and no resolved heartbeat", () => {
    const { receivers } = parse(alertmanagerConfig(ALL_RECEIVERS, RECEIVER_VALUES));
    const resolved = Object.fromEntries(
      receivers.slice(1).map((each: Record<string, unknown>) => {
        const [list] = Object.values(each).filter(Array.isArray);
        return [each.name, list?.[0].send_resolved];
      }),
    );
    expect(resolved).toEqual({ webhook: true, slack: true, pagerduty: true, email: true, heartbeat: false });
  });
});
