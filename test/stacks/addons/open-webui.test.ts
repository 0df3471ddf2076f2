import { describe, expect, it } from "vitest";
import { rightEnvironment, told } from "../config/samples";

const openWebUi = { hostname: "chat.example.com", adminEmail: "ops@example.com" };
const tls = { kind: "acme", email: "ops@example.com" };
const consumers = { default: {}, "open-webui": { models: ["chat"] } };
const gateway = { ...rightEnvironment.gateway, tls, consumers };

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
});
