import { describe, expect, it } from "vitest";
import { ConfigError } from "../../../stacks/config";
import { assertReceiversHaveSecrets } from "../../../stacks/receiver-secrets";
import { parseWith, told } from "./samples";

const SECRET = { secure: "v1:AAAAAAAAAAAAAAAA:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB" };
const PRODUCTION = {
  stage: "production",
  gateway: { hostname: "a.example.com", tls: { kind: "acme", email: "a@example.com" } },
};
const EMAIL = { to: ["on-call@example.com"], from: "alerts@example.com", smarthost: "smtp.example.com:587" };

const problems = (changes: object) => told({ ...PRODUCTION, observability: {}, ...changes }, "observability");
const withAlerts = (alerts: unknown) => problems({ observability: { alerts } });

describe("alerts of a production environment", () => {
  it("need a receiver, or a decision against one", () => {
    expect(problems({})).toEqual([
      expect.stringMatching(/^observability\.alerts is nothing; allowed: in production: receivers.* or none\. Write/),
    ]);
    for (const alerts of ["none", { slack: {} }, { pagerduty: {} }, { webhook: {} }, { email: EMAIL }]) {
      expect(withAlerts(alerts), JSON.stringify(alerts)).toEqual([]);
    }
  });

  it("reach no person by a heartbeat alone", () => {
    expect(withAlerts({ heartbeat: {} })).toHaveLength(1);
    expect(withAlerts({})).toHaveLength(1);
  });

  it("take the form that has the secret alone", () => {
    expect(problems({ alertWebhookUrl: SECRET })).toEqual([]);
  });

  it("are the user's decision in development", () => {
    expect(told({ observability: {} }, "observability")).toEqual([]);
  });

  it.each<[string, unknown, RegExp]>([
    ["a network that is none", { webhook: { networks: ["alerts.corp"] } }, /alerts\.webhook\.networks\[0\].*CIDR/],
    ["the metadata service", { webhook: { networks: ["169.254.169.254/32"] } }, /metadata services/],
    ["every address", { webhook: { networks: ["0.0.0.0/0"] } }, /networks\[0\]/],
    ["a port that is none", { slack: { port: 0 } }, /alerts\.slack\.port/],
    ["a mail server without port", { email: { ...EMAIL, smarthost: "smtp.example.com" } }, /a host and its port/],
    ["an unknown kind", { opsgenie: {} }, /alerts\.opsgenie|opsgenie/],
  ])("refuse %s", (_name, alerts, message) => {
    const found = withAlerts(alerts);
    expect(found.join("\n")).toMatch(message);
  });
});

describe("a deployment", () => {
  const loaded = (alerts: object, secrets: object) => {
    const parsed = parseWith({ observability: { alerts } });
    if (!parsed.ok) {
      throw new ConfigError(parsed.problems);
    }
    return { environment: parsed.environment, secrets } as unknown as Parameters<typeof assertReceiversHaveSecrets>[0];
  };

  it("refuses a receiver without its secret, and names the command", () => {
    expect(() => assertReceiversHaveSecrets(loaded({ slack: {}, pagerduty: {} }, { alertSlackUrl: "x" }))).toThrow(
      /alertPagerdutyKey[\s\S]*pulumi config set --secret inference-stacks:alertPagerdutyKey/,
    );
    expect(() => assertReceiversHaveSecrets(loaded({ email: EMAIL }, {}))).not.toThrow();
    expect(() => assertReceiversHaveSecrets(loaded({ email: { ...EMAIL, username: "alerts" } }, {}))).toThrow(
      /alertEmailPassword/,
    );
  });
});
