import { describe, expect, it } from "vitest";
import { ConfigError } from "../../stacks/config";
import { assertReceiversAreReached } from "../../stacks/receiver-urls";
import { parseWith } from "./config/samples";

const PRODUCTION = {
  stage: "production",
  gateway: { hostname: "a.example.com", tls: { kind: "acme", email: "a@example.com" } },
};

/** What a deployment refuses. */
function refused(alerts: object | undefined, texts: Readonly<Record<string, string>>, changes: object = PRODUCTION) {
  const secrets =
    alerts === undefined ? { alertWebhookUrl: { secure: "v1:AAAAAAAAAAAAAAAA:BBBBBBBBBBBBBBBBBBBBBBBB" } } : {};
  const parsed = parseWith({ ...changes, ...secrets, observability: { ...(alerts && { alerts }) } });
  if (!parsed.ok) {
    throw new ConfigError(parsed.problems);
  }
  try {
    assertReceiversAreReached(parsed.environment, texts);
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.problems.map(({ message }) => message) : [String(error)];
  }
}

describe("a deployment that knows the URLs of receivers", () => {
  it.each<[string, object | undefined, Record<string, string>, RegExp]>([
    [
      "an explicit port",
      { webhook: {} },
      { alertWebhookUrl: "https://hooks.secret.io:8443/x" },
      /^observability\.alerts\.webhook\.port is 443; allowed: 8443, the port in alertWebhookUrl/,
    ],
    [
      "the port of the scheme",
      { slack: {}, heartbeat: { port: 8443 } },
      { alertSlackUrl: "https://hooks.secret.io/x", alertHeartbeatUrl: "https://secret.io/x" },
      /^observability\.alerts\.heartbeat\.port is 8443; allowed: 443, the port in alertHeartbeatUrl/,
    ],
    [
      "the port of a webhook that has the secret alone",
      undefined,
      { alertWebhookUrl: "https://hooks.secret.io:9443/x" },
      /observability\.alerts\.webhook\.port: 9443/,
    ],
    [
      "a private address without networks",
      { webhook: {} },
      { alertWebhookUrl: "https://10.2.3.4/secret" },
      /^observability\.alerts\.webhook\.networks is nothing; allowed: networks with the address in alertWebhookUrl/,
    ],
    [
      "an address outside of the networks",
      { webhook: { networks: ["10.9.0.0/16"] } },
      { alertWebhookUrl: "https://10.2.3.4/secret" },
      /^observability\.alerts\.webhook\.networks is \["10\.9\.0\.0\/16"\]/,
    ],
    [
      "http:// to the internet",
      { webhook: { port: 80 } },
      { alertWebhookUrl: "http://hooks.secret.io/x" },
      /^alertWebhookUrl is "?\(hidden\)"?; allowed: in production: https:\/\//,
    ],
    [
      "http:// to the internet through a proxy",
      { webhook: { networks: ["10.9.0.5/32"], proxyUrl: "http://10.9.0.5:3128" } },
      { alertWebhookUrl: "http://hooks.secret.io/x" },
      /^alertWebhookUrl is "?\(hidden\)"?; allowed: in production: https:\/\//,
    ],
  ])("refuses %s", (_name, alerts, texts, message) => {
    const found = refused(alerts, texts);
    expect(found).toEqual([expect.stringMatching(message)]);
    expect(found.join()).not.toMatch(/secret\.io|10\.2\.3\.4/);
  });

  it.each<[object, Record<string, string>]>([
    [{ webhook: {} }, { alertWebhookUrl: "https://hooks.secret.io/x" }],
    [{ webhook: { port: 8080, networks: ["10.2.3.4/32"] } }, { alertWebhookUrl: "http://10.2.3.4:8080/x" }],
    [{ webhook: { port: 80, networks: ["10.2.3.0/24"] } }, { alertWebhookUrl: "http://alerts.corp.io/x" }],
    [{ pagerduty: {} }, { alertPagerdutyKey: "a1" }],
    [
      { webhook: { networks: ["10.9.0.5/32"], proxyUrl: "http://10.9.0.5:3128" } },
      { alertWebhookUrl: "https://10.2.3.4:8443/x" },
    ],
    [{ webhook: {} }, {}],
  ])("takes %j", (alerts, texts) => {
    expect(refused(alerts, texts)).toEqual([]);
  });

  it("leaves http:// to users in development", () => {
    expect(refused({ webhook: { port: 80 } }, { alertWebhookUrl: "http://hooks.io/x" }, {})).toEqual([]);
  });
});
