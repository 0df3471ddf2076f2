import { describe, expect, it } from "vitest";
import { pageAdvice } from "../../../stacks/addons/open-webui/advice";
import { rightEnvironment, told } from "../config/samples";

const openWebUi = { hostname: "chat.example.com", adminEmail: "ops@example.com" };
const tls = { kind: "acme", email: "ops@example.com" };
const consumers = { default: {}, "open-webui": { models: ["chat"] } };
const gateway = { ...rightEnvironment.gateway, tls, consumers };

const settings = { ...openWebUi, consumer: "open-webui", storageGiB: 10 };
const rulesOf = (own: object) => pageAdvice(settings, own as never).map(({ rule }) => rule);

describe("openWebUi", () => {
  it("is right with a consumer of its own that chats", () => {
    expect(told({ openWebUi, gateway }, "openWebUi")).toEqual([]);
  });

  it("refuses a consumer that is none", () => {
    expect(told({ openWebUi, gateway: { ...gateway, consumers: ["default"] } }, "openWebUi")).toEqual([
      expect.stringContaining("open-webui: { models: [chat, small] }"),
    ]);
  });

  it("refuses a consumer that may call models that do not chat", () => {
    const models = { ...rightEnvironment.models, search: { model: "qwen2.5-7b-instruct", task: "embedding" } };
    const open = { default: {}, "open-webui": {} };
    const path = "gateway.consumers.open-webui.models";
    expect(told({ openWebUi, models, gateway: { ...gateway, consumers: open } }, path)).toHaveLength(1);
    expect(told({ openWebUi, models, gateway }, path)).toEqual([]);
    const named = { "open-webui": { models: ["chat", "search"] } };
    expect(told({ openWebUi, models, gateway: { ...gateway, consumers: named } }, path)).toHaveLength(1);
  });

  it("refuses to be without a model that chats", () => {
    const models = { search: { model: "qwen2.5-7b-instruct", task: "embedding" } };
    expect(told({ openWebUi, models, gateway: { ...gateway, consumers: ["open-webui"] } }, "openWebUi")).toHaveLength(
      1,
    );
  });

  it("refuses the gateway's own hostname", () => {
    const section = { ...openWebUi, hostname: gateway.hostname };
    expect(told({ openWebUi: section, gateway }, "openWebUi.hostname")).toHaveLength(1);
  });

  it("refuses sign-in by an issuer that is not set", () => {
    const section = { ...openWebUi, signIn: { clientId: "page" } };
    const oidc = { issuer: "https://login.example.com", audience: "inference", jwksUri: "https://login.example.com/k" };
    expect(told({ openWebUi: section, gateway }, "openWebUi.signIn")).toHaveLength(1);
    expect(told({ openWebUi: section, gateway: { ...gateway, auth: { oidc } } }, "openWebUi.signIn")).toEqual([]);
  });

  it("asks for the authority of a certificate that no image knows, and takes no other text for it", () => {
    const own = { ...gateway, tls: { kind: "self-signed" } };
    expect(told({ openWebUi, gateway: own }, "openWebUi.gatewayAuthorities")).toHaveLength(1);
    const wrong = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    expect(told({ openWebUi: { ...openWebUi, gatewayAuthorities: wrong }, gateway }, "openWebUi")).toHaveLength(1);
  });

  it.each([
    ["models.site.internal", { tls: { kind: "secret", secretName: "gateway-tls" } }],
    ["models.lan", { tls: { kind: "acme", email: "ops@example.com" } }],
    ["models.example.com", { tls: { kind: "acme", email: "ops@example.com", server: "https://ca.corp/acme" } }],
    [undefined, { tls: { kind: "secret", secretName: "a" }, wildcardDns: { service: "nip.io", address: "10.0.0.7" } }],
  ])("asks for the authority of %s, which no public one certifies", (hostname, more) => {
    const { hostname: _, ...rest } = gateway;
    const own = { ...rest, ...(hostname !== undefined && { hostname }), ...more };
    expect(told({ openWebUi, gateway: own }, "openWebUi.gatewayAuthorities")).toHaveLength(1);
  });

  it("takes a Secret for a public name without an authority, and advises to write an own one", () => {
    const own = { ...gateway, tls: { kind: "secret", secretName: "gateway-tls" } } as const;
    expect(told({ openWebUi, gateway: own }, "openWebUi.gatewayAuthorities")).toEqual([]);
    expect(rulesOf(own)).toEqual(["chat-page", "chat-page-authority"]);
    expect(rulesOf(gateway)).toEqual(["chat-page"]);
  });

  it("says how a page without an address outside is opened, and whose address the issuer must not have", () => {
    const section = { ...settings, signIn: { clientId: "page", newUsers: "user" } } as const;
    const oidc = { issuer: "https://login.example.com" };
    const [advised] = pageAdvice(section, { ...gateway, exposure: "ClusterIP", auth: { oidc } } as never);
    expect(advised?.message).toContain("port-forward service/inference 8443:443");
    expect(advised?.message).toContain("https://chat.example.com:8443");
    expect(advised?.message).toContain("no account of the issuer may have the address ops@example.com");
  });
});
