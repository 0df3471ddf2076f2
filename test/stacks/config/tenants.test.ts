import { describe, expect, it } from "vitest";
import { problemsWith, rightEnvironment } from "./samples";

type Settings = Readonly<Record<string, unknown>>;

const gateway = (changes: Settings) => ({ gateway: { ...rightEnvironment.gateway, ...changes } });
const consumers = (limits: Settings) => gateway({ consumers: { web: limits } });
const issuer = { issuer: "https://login.example.com/realms/platform", audience: "inference" };
const oidc = (changes: Settings) => gateway({ auth: { oidc: { ...issuer, ...changes } } });
const said = (changes: Settings) => problemsWith(changes).map(({ path, allowed, fix }) => ({ path, allowed, fix }));

describe("tenants", () => {
  it("may use models of the environment, each named once", () => {
    expect(said(consumers({ models: ["chat", "small"] }))).toEqual([]);
    expect(said(consumers({ models: ["chat", "smal", "chat"] }))).toEqual([
      {
        path: "gateway.consumers.web.models[1]",
        allowed: "models of this environment, by their names under models: chat, small",
        fix: 'did you mean "small"?',
      },
      { path: "gateway.consumers.web.models[2]", allowed: "each model once", fix: "remove it" },
    ]);
  });
});

describe("the issuer of tokens", () => {
  it("is a server outside, by https, with a claim that Envoy finds", () => {
    expect(said(oidc({}))).toEqual([]);
    expect(said(oidc({ jwksUri: "https://keys.example.com/certs", tenantClaim: "realm.tenant_name" }))).toEqual([]);
    expect(said(oidc({ issuer: "http://login.example.com" }))).toMatchObject([{ path: "gateway.auth.oidc.issuer" }]);
    expect(said(oidc({ jwksUri: "https://169.254.169.254/keys" }))).toMatchObject([
      { path: "gateway.auth.oidc.jwksUri", allowed: expect.stringContaining("metadata services") },
    ]);
    expect(said(oidc({ issuer: "https://login.kube-system.svc" }))).toMatchObject([
      { path: "gateway.auth.oidc.issuer", allowed: expect.stringContaining("outside of the cluster") },
    ]);
    expect(said(oidc({ jwksUri: "https://user:pass@keys.example.com/certs" }))).toMatchObject([
      { path: "gateway.auth.oidc.jwksUri" },
    ]);
    expect(said(oidc({ tenantClaim: "https://example.com/tenant" }))).toMatchObject([
      { path: "gateway.auth.oidc.tenantClaim" },
    ]);
    expect(said(oidc({ issuer: `https://login.example.com/${"a".repeat(240)}` }))).toMatchObject([
      { path: "gateway.auth.oidc.issuer" },
    ]);
    expect(said(oidc({ networks: ["10.0.0.0"] }))).toMatchObject([{ path: "gateway.auth.oidc.networks[0]" }]);
  });
});
