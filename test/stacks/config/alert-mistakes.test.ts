import { describe, expect, it } from "vitest";
import { receiversOnline } from "../../../stacks/config/rules/air-gap";
import { parseWith, told } from "./samples";

const PRODUCTION = {
  stage: "production",
  gateway: { hostname: "a.example.com", tls: { kind: "acme", email: "a@example.com" } },
};
const EMAIL = { to: ["on-call@example.com"], from: "alerts@example.com", smarthost: "smtp.example.com:587" };
const problems = (observability: unknown) => told({ ...PRODUCTION, observability }, "observability");
const withAlerts = (alerts: unknown) => problems({ alerts });

describe("critical alerts of production", () => {
  it.each([
    { slack: { severities: ["warning"] }, heartbeat: {} },
    { slack: { severities: ["warning"] }, email: { ...EMAIL, severities: ["warning"] } },
  ])("are refused where they reach nobody: %j", (alerts) => {
    expect(withAlerts(alerts)).toEqual([
      expect.stringMatching(
        /^observability\.alerts\.slack\.severities is \["warning"\]; allowed: in production: critical/,
      ),
    ]);
  });

  it("may be one receiver's alone", () => {
    expect(withAlerts({ slack: { severities: ["warning"] }, pagerduty: {} })).toEqual([]);
  });
});

describe("a proxy of a receiver", () => {
  const slack = (settings: object) => withAlerts({ slack: settings });
  const proxyUrl = "http://10.30.0.5:3128";

  it.each([{ proxyUrl }, { proxyUrl, networks: ["10.31.0.0/16"] }])("needs networks that hold it: %j", (settings) => {
    expect(slack(settings)).toEqual([expect.stringContaining("Write for example networks: [10.30.0.5/32]")]);
  });

  it("has no password in the file", () => {
    const found = slack({ proxyUrl: "http://user:verysecret@proxy.example.com:3128", networks: ["10.30.0.5/32"] });
    expect(found).toEqual([expect.stringMatching(/^observability\.alerts\.slack\.proxyUrl is /)]);
    expect(found.join()).not.toContain("verysecret");
  });

  it("leaves no port to open", () => {
    const found = slack({ proxyUrl, networks: ["10.30.0.5/32"], port: 8443 });
    expect(found).toEqual([expect.stringMatching(/^observability\.alerts\.slack\.port is 8443; allowed: no port/)]);
  });

  it("is taken with the networks of a name", () => {
    expect(slack({ proxyUrl: "http://proxy.example.com:3128", networks: ["10.30.0.5/32"] })).toEqual([]);
  });
});

describe("a secret in the section", () => {
  const HOOK = "https://hooks.slack.com/services/T0000AAAA/B0000BBBB/verysecretpart";
  it.each<[string, unknown, string]>([
    ["a URL for Slack", { slack: HOOK }, "alertSlackUrl"],
    ["a URL in Slack's mapping", { slack: { url: HOOK } }, "alertSlackUrl"],
    ["a URL in place of receivers", HOOK, "alertSlackUrl"],
    ["a list of URLs", { webhook: ["https://verysecretpart.example.com/"] }, "alertWebhookUrl"],
    ["a URL in webhook's mapping", { webhook: { url: "https://verysecretpart.example.com/" } }, "alertWebhookUrl"],
    ["a key", { pagerduty: "verysecretpart0123" }, "alertPagerdutyKey"],
    ["a key in a mapping", { pagerduty: { routingKey: "verysecretpart0123" } }, "alertPagerdutyKey"],
    ["a password", { email: { ...EMAIL, password: "verysecretpart" } }, "alertEmailPassword"],
    ["a URL for the heartbeat", { heartbeat: "https://hc-ping.com/verysecretpart" }, "alertHeartbeatUrl"],
  ])("is not told: %s", (_name, alerts, key) => {
    const found = withAlerts(alerts);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`pulumi config set --secret inference-stacks:${key}`);
    expect(found[0]).toContain("leaked");
    expect(found[0]).not.toContain("verysecretpart");
  });

  it("is not told below the section's own name", () => {
    const [found, ...others] = problems({
      alerts: { slack: {} },
      alertWebhookUrl: "https://verysecretpart.example.com",
    });
    expect(others).toEqual([]);
    expect(found).toContain("pulumi config set --secret inference-stacks:alertWebhookUrl");
    expect(found).not.toContain("verysecretpart");
  });

  it("is found where a text is allowed", () => {
    const [found, ...others] = withAlerts({ slack: { channel: HOOK } });
    expect(others).toEqual([]);
    expect(found).toMatch(/^observability\.alerts\.slack\.channel is .*hidden.*leaked/);
    expect(withAlerts({ webhook: { networks: ["https://verysecretpart.example.com"] } }).join()).not.toContain("very");
  });
});

describe("what is written for", () => {
  it.each<[string, unknown, RegExp]>([
    ["severities", { slack: { severity: "critical" } }, /alerts\.slack\.severity.*Write severities: \[critical\]/],
    ["email", { slack: {}, smtp: EMAIL }, /alerts\.smtp.*[Ww]rite email: /],
    ["receivers", { receivers: [{ slack: {} }] }, /alerts\.receivers.*by their kind.*alerts: \{slack/],
    ["Opsgenie", { opsgenie: {} }, /alerts\.opsgenie.*April 2027.*[Uu]se webhook/],
    ["Teams", { teams: {} }, /alerts\.teams.*no receiver here.*[Uu]se webhook/],
  ])("%s leads there", (_name, alerts, message) => {
    expect(withAlerts(alerts).join("\n")).toMatch(message);
  });
});

describe("addresses", () => {
  it.each([
    ["99999", /smarthost is "smtp\.x\.org:99999"; allowed: a host and its port from 1 to 65535/],
    ["65536", /65535/],
    ["0", /65535/],
  ])("of a mail server with port %s are refused", (port, message) => {
    expect(withAlerts({ email: { ...EMAIL, smarthost: `smtp.x.org:${port}` } })).toEqual([
      expect.stringMatching(message),
    ]);
    expect(withAlerts({ email: { ...EMAIL, smarthost: "smtp.x.org:65535" } })).toEqual([]);
  });

  it("of a private mail server need its network", () => {
    const email = { ...EMAIL, smarthost: "192.168.1.25:587" };
    expect(withAlerts({ email })).toEqual([expect.stringContaining("Write networks: [192.168.1.25/32]")]);
    expect(withAlerts({ email: { ...email, networks: ["192.168.1.25/32"] } })).toEqual([]);
  });

  it.each([
    "https://user:verysecret@git.x.org/a.md",
    "https://git.x.org/a.md?token=verysecret",
    "https://git.x.org/a#b",
  ])("of the runbook are plain: %s", (runbookUrl) => {
    const [found, ...others] = problems({ alerts: { slack: {} }, runbookUrl });
    expect(others).toEqual([]);
    expect(found).toMatch(/^observability\.runbookUrl is "?\(hidden\)"?; allowed: a URL without a name/);
    expect(found).not.toContain("verysecret");
  });
});

it("PagerDuty's port is the one of its API", () => {
  expect(withAlerts({ pagerduty: { port: 8443 } })).toEqual([expect.stringContaining("allowed: 443")]);
});

it("without internet, a port is asked for of receivers that have one in the file", () => {
  const parsed = parseWith({ observability: { alerts: { email: EMAIL, webhook: {} } } });
  const { observability } = parsed.ok ? parsed.environment : {};
  const found = [...receiversOnline({ sections: { observability }, declared: { secrets: [] } })];
  expect(found.map(({ fix }) => fix)).toEqual([
    expect.stringMatching(/alerts\.webhook\.networks: .*, and its port; or remove/),
    expect.stringMatching(/alerts\.email\.networks: \["192\.168\.1\.20\/32"\]; or remove/),
  ]);
});
