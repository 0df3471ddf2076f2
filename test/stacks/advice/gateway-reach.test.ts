/** What follows from where the gateway is reached: a certificate of Let's Encrypt needs the internet, and API keys are weak there. */
import { describe, expect, it } from "vitest";
import { certificateChallenge } from "../../../stacks/advice/certificate-challenge";
import { keysOnTheInternet } from "../../../stacks/advice/keys-on-the-internet";
import { gatewaySection } from "../../../stacks/config/core/sections/gateway";
import { withHostname } from "../../../stacks/config/core/wildcard-dns";

const SCHEME = "service.beta.kubernetes.io/aws-load-balancer-scheme";
const acme = { kind: "acme", email: "platform@example.com" };

function environment(kind: string, gateway: object, stage = "production") {
  const section = withHostname(gatewaySection.parse({ hostname: "a.example.com", tls: acme, ...gateway }));
  return { environment: { stage, cluster: { kind }, gateway: section } } as unknown as Parameters<
    typeof keysOnTheInternet
  >[0];
}
const advised = (kind: string, gateway: object) =>
  certificateChallenge(environment(kind, gateway)).map(({ message }) => message);

describe("a certificate of Let's Encrypt", () => {
  it.each<[string, object, string]>([
    ["aws", {}, `internal load balancer by default.*${SCHEME}: internet-facing`],
    ["aws", { serviceAnnotations: { [SCHEME]: "internal" } }, "internal load balancer by default"],
    [
      "oci",
      { serviceAnnotations: { "oci-network-load-balancer.oraclecloud.com/internal": "true" } },
      "ask for an internal load balancer",
    ],
    ["local", { exposure: "ClusterIP" }, "ClusterIP has no address.*exposure: LoadBalancer"],
  ])("cannot be had on %s with %j", (kind, gateway, message) => {
    expect(advised(kind, gateway)).toEqual([expect.stringMatching(new RegExp(message))]);
  });

  it.each<[string, object]>([
    ["aws", { serviceAnnotations: { [SCHEME]: "internet-facing" } }],
    ["aws", { tls: { ...acme, server: "https://ca.corp.example/acme" } }],
    ["aws", { tls: { kind: "secret", secretName: "own" } }],
    ["oci", {}],
    ["edge", {}],
    ["local", { exposure: "NodePort" }],
  ])("is not in doubt on %s with %j", (kind, gateway) => {
    expect(advised(kind, gateway)).toEqual([]);
  });
});

describe("API keys", () => {
  const told = (...args: Parameters<typeof environment>) =>
    keysOnTheInternet(environment(...args)).map(({ message }) => message);
  const open = { serviceAnnotations: { [SCHEME]: "internet-facing" } };
  const oidc = { issuer: "https://login.example.com", audience: "a", jwksUri: "https://login.example.com/keys" };

  it("are advised on where a load balancer of a cloud is public, with tokens too, which do not take their place", () => {
    expect(told("aws", open)).toEqual([expect.stringContaining("docs/expose.md")]);
    expect(told("oci", {})).toHaveLength(1);
    expect(told("aws", { ...open, auth: { oidc } })).toEqual([expect.stringContaining("keys are accepted as well")]);
  });

  it.each<[string, object, string?]>([
    ["aws", {}],
    ["local", {}],
    ["oci", { exposure: "ClusterIP" }],
    ["aws", open, "development"],
  ])("are not advised on with %s, %j %s", (kind, gateway, stage = "production") => {
    expect(told(kind, gateway, stage)).toEqual([]);
  });
});
