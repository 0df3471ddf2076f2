import { describe, expect, it } from "vitest";
import { jwksUrl } from "../../../stacks/config/core/jwks-url";
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

  it("may use adapters of models, by their names", () => {
    const { chat } = rightEnvironment.models;
    const models = { ...rightEnvironment.models, chat: { ...chat, adapters: { acme: "s3://models/acme" } } };
    const saidOfModels = (list: string[]) => said({ ...consumers({ models: list }), models });
    expect(saidOfModels(["acme", "small"]).filter(({ path }) => path.startsWith("gateway"))).toEqual([]);
    expect(saidOfModels(["acm"])).toContainEqual({
      path: "gateway.consumers.web.models[0]",
      allowed: "models of this environment, by their names under models, or of their adapters: chat, small, acme",
      fix: 'did you mean "acme"?',
    });
  });
});

describe("groups that share prefix caches", () => {
  const share = (groups: unknown) =>
    said(gateway({ consumers: ["web", "batch", "partner"], prefixCaches: { share: groups } }));

  it("are of consumers, each in one group", () => {
    expect(share([["web", "batch"]])).toEqual([]);
    expect(share([["web", "bach"]])).toEqual([
      {
        path: "gateway.prefixCaches.share[0][1]",
        allowed: "consumers of this environment, by their names under gateway.consumers: web, batch, partner",
        fix: 'did you mean "batch"?',
      },
    ]);
    expect(
      share([
        ["web", "batch"],
        ["partner", "web"],
      ]),
    ).toMatchObject([{ path: "gateway.prefixCaches.share[1][1]" }]);
    expect(share([["web", "web"]])).toMatchObject([{ path: "gateway.prefixCaches.share[0][1]" }]);
    expect(share([])).toEqual([]);
  });

  it("may be one list of names, where there is one group", () => {
    expect(share(["web", "batch"])).toEqual([]);
    expect(share(["web", "bach"])).toMatchObject([
      { path: "gateway.prefixCaches.share[1]", fix: 'did you mean "batch"?' },
    ]);
    expect(share(["web", "web"])).toMatchObject([{ path: "gateway.prefixCaches.share[1]", fix: "remove it" }]);
  });

  it.each<[unknown]>([[["web"]], [[["web"]]], [["web", ["batch", "partner"]]], ["web"], [true], [{ web: "batch" }]])(
    "that are written as %j are mended with the names of the file",
    (groups) => {
      expect(share(groups)).toEqual([
        {
          path: "gateway.prefixCaches.share",
          allowed: "a list of at least two names of consumers, or several such lists",
          fix: "write for example share: [[web, batch]], or remove it",
        },
      ]);
      expect(share([["web", "batch"]])).toEqual([]);
    },
  );

  it.each<[unknown, string]>([
    [false, "remove it, or write prefixCaches: {share: [[web, batch, partner]]} for one cache of all"],
    [true, "remove it"],
    ["off", "remove it"],
    [["web", "batch"], "write prefixCaches: {share: [web, batch]}"],
  ])("need no switch: %j", (prefixCaches, fix) => {
    const told = said(gateway({ consumers: { web: {}, batch: {}, partner: {} }, prefixCaches }));
    expect(told).toMatchObject([{ path: "gateway.prefixCaches", fix }]);
  });

  it("have other words in other projects", () => {
    expect(said(gateway({ cacheSalt: true }))).toMatchObject([
      { path: "gateway.cacheSalt", fix: expect.stringContaining("prefixCaches: {share: …}") },
    ]);
    expect(said(gateway({ prefixCaches: { enabled: false } }))).toMatchObject([
      { path: "gateway.prefixCaches.enabled", fix: expect.stringContaining("share: ") },
    ]);
  });

  it("need not be there: an empty block says what its absence says", () => {
    expect(said(gateway({ consumers: ["web", "batch"], prefixCaches: {} }))).toEqual([]);
  });
});

describe("hashes of prompts", () => {
  const { chat } = rightEnvironment.models;
  const withHash = (hash: string, changes: Settings = {}, args: Settings = {}) =>
    said({
      ...gateway({ consumers: ["web", "batch"], ...changes }),
      models: { ...rightEnvironment.models, chat: { ...chat, args: { "prefix-caching-hash-algo": hash, ...args } } },
    });

  it("are such that nobody makes one consumer's prompt collide with another's", () => {
    for (const hash of ["xxhash", "xxhash_cbor"]) {
      expect(withHash(hash)).toMatchObject([
        {
          path: "models.chat.args.prefix-caching-hash-algo",
          allowed: expect.stringContaining("sha256, sha256_cbor"),
          fix: "remove it: the platform takes sha256",
        },
      ]);
    }
    expect(withHash("sha256_cbor")).toEqual([]);
  });

  it("are anybody's choice where one cache is for all, or there is none", () => {
    expect(withHash("xxhash", { consumers: ["web"] })).toEqual([]);
    expect(withHash("xxhash", { consumers: { web: {}, batch: { models: ["small"] } } })).toEqual([]);
    expect(withHash("xxhash", { prefixCaches: { share: ["web", "batch"] } })).toEqual([]);
    expect(withHash("xxhash", {}, { "enable-prefix-caching": false })).toEqual([]);
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
    expect(said(oidc({ issuer: "https://login.kube-system.svc/realms/platform" }))).toMatchObject([
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

  it.each([
    [
      "https://login.microsoftonline.com/8a0d7d0e-1111-2222-3333-444455556666/v2.0",
      "https://login.microsoftonline.com/8a0d7d0e-1111-2222-3333-444455556666/discovery/v2.0/keys",
    ],
    ["https://accounts.google.com", "https://www.googleapis.com/oauth2/v3/certs"],
    [
      "https://login.example.com/realms/platform",
      "https://login.example.com/realms/platform/protocol/openid-connect/certs",
    ],
    ["https://acme.okta.com/oauth2/default", "https://acme.okta.com/oauth2/default/v1/keys"],
    ["https://acme.eu.auth0.com/", "https://acme.eu.auth0.com/.well-known/jwks.json"],
    [
      "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf",
      "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEf/.well-known/jwks.json",
    ],
  ])("%s has its keys at %s", (known, keys) => {
    expect(jwksUrl({ issuer: known })).toBe(keys);
    expect(said(oidc({ issuer: known }))).toEqual([]);
  });

  it("is asked for its keys' address where that is not known, and never guessed", () => {
    for (const unknown of ["https://login.example.com", "https://sts.windows.net/8a0d7d0e/", "https://acme.okta.com"]) {
      expect(said(oidc({ issuer: unknown }))).toMatchObject([
        {
          path: "gateway.auth.oidc.jwksUri",
          allowed: expect.stringContaining("Keycloak"),
          fix: expect.stringMatching(/jwks_uri: curl https:\/\/[^/].*[^/]\/\.well-known\/openid-configuration$/),
        },
      ]);
      expect(said(oidc({ issuer: unknown, jwksUri: "https://keys.example.com/certs" }))).toEqual([]);
    }
  });

  it.each(["groups", "roles", "realm_access.roles", "scope", "aud"])(
    "names no consumer by %s, a list",
    (tenantClaim) => {
      expect(said(oidc({ tenantClaim }))).toMatchObject([
        { path: "gateway.auth.oidc.tenantClaim", fix: expect.stringContaining("client_id") },
      ]);
    },
  );
});
