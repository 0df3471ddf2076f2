import { describe, expect, it } from "vitest";
import { onlyFor, publishedModels } from "../../../components/gateway/tenants";
import { tenantsOf } from "../../../planner/tenants";
import { crdProblems } from "../../harness/crds";
import type { Deployment } from "../../harness/deploy";
import { deployGateway, ENDPOINTS, endpoint, specOf } from "./fixture";

const TOKENS = {
  issuer: "https://login.example.com",
  audience: "inference",
  jwks: { url: "https://keys.example.com:8443/certs" },
  tenantClaim: "client_id",
};
const KSERVE = endpoint("vision", {
  engine: "triton",
  task: "completion",
  ports: { "kserve-http": 8000, "kserve-grpc": 8001 },
});
const TENANTS = tenantsOf({ web: {}, batch: { models: ["legal"] } });

interface Route {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: {
    readonly parentRefs: readonly { readonly sectionName: string }[];
    readonly rules: readonly {
      readonly name?: string;
      readonly matches: readonly { readonly headers?: readonly { readonly name: string }[] }[];
    }[];
  };
}

const routesOf = (deployment: Deployment): Route[] =>
  ["HTTPRoute", "AIGatewayRoute"].flatMap((kind) =>
    deployment.ofKind(kind).map(({ inputs }) => {
      const { name, labels } = inputs.metadata as Pick<Route, "name" | "labels">;
      return { name, labels, spec: inputs.spec as Route["spec"] };
    }),
  );
const accessPolicies = (deployment: Deployment) =>
  deployment.ofKind("SecurityPolicy").flatMap(({ inputs }) => {
    const { targetSelectors } = inputs.spec as {
      targetSelectors?: readonly { matchExpressions: readonly { values: readonly string[] }[] }[];
    };
    const [selector] = targetSelectors ?? [];
    const values = selector?.matchExpressions[0]?.values;
    return values === undefined ? [] : [{ name: (inputs.metadata as { name: string }).name, values }];
  });

describe("tenants", () => {
  it("need no policy of a model that all may use", async () => {
    const { deployment } = await deployGateway();
    expect(accessPolicies(deployment)).toEqual([]);
    expect(specOf(deployment, "SecurityPolicy", "inference")).not.toHaveProperty("authorization");
    expect(JSON.stringify(routesOf(deployment))).not.toContain('"token"');
  });

  it("that may not use a model are refused on each of its routes, its revisions' too", async () => {
    const canary = endpoint("embeddings-canary", { revisionOf: { model: "embeddings", weight: 10 } });
    const { deployment } = await deployGateway({ tenants: TENANTS, endpoints: [...ENDPOINTS, canary, KSERVE] });
    expect(accessPolicies(deployment)).toEqual([
      { name: "model-embeddings", values: ["embeddings", "embeddings-canary"] },
      { name: "model-ranking", values: ["ranking"] },
      { name: "model-vision", values: ["vision"] },
    ]);
    expect(specOf(deployment, "SecurityPolicy", "model-vision")).toMatchObject({
      mergeType: "JSONMerge",
      authorization: {
        defaultAction: "Deny",
        rules: [{ action: "Allow", principal: { headers: [{ name: "x-consumer-id", values: ["web"] }] } }],
      },
    });
    // A route of a model without the label would be a way around.
    const guarded = accessPolicies(deployment).flatMap(({ values }) => values);
    const unlabelled = routesOf(deployment)
      .filter(({ name }) => guarded.some((model) => name.endsWith(`-${model}`) || name.includes(`-${model}.`)))
      .filter(({ labels }) => !guarded.includes(labels["inference-stacks.io/model"] ?? ""));
    expect(unlabelled).toEqual([]);
  });

  it("that may call adapters of a model alone are known by the name that they write, on the same routes", async () => {
    const named = { legal: { adapters: { acme: {}, zenith: {} } } };
    const tenants = tenantsOf({ web: {}, acme: { models: ["acme"] }, zenith: { models: ["zenith", "legal"] } }, named);
    const { deployment } = await deployGateway({ tenants });
    const policy = specOf(deployment, "SecurityPolicy", "model-legal") as { authorization: object };
    const rule = (...headers: (readonly [string, string[]])[]) => ({
      action: "Allow",
      principal: { headers: headers.map(([name, values]) => ({ name, values })) },
    });
    expect(policy.authorization).toEqual({
      defaultAction: "Deny",
      rules: [
        rule(["x-consumer-id", ["web"]]),
        rule(["x-consumer-id", ["acme"]], ["x-ai-eg-model", ["acme"]]),
        rule(["x-consumer-id", ["zenith"]], ["x-ai-eg-model", ["legal", "zenith"]]),
      ],
    });
    expect(deployment.ofKind("SecurityPolicy").flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });

  it("are as many as there are: a condition takes 256", () => {
    const names = Array.from({ length: 600 }, (_, index) => `tenant-${index}`);
    const { rules = [] } = onlyFor(names) ?? {};
    expect(rules.map(({ principal }) => principal?.headers?.[0]?.values.length)).toEqual([256, 256, 88]);
    expect(onlyFor([])).toEqual({ defaultAction: "Deny", rules: [] });
  });

  it("count servers outside as models", () => {
    expect(publishedModels([endpoint("a")], [{ name: "gpt" }])).toEqual([
      { name: "a", servers: ["a"] },
      { name: "gpt", servers: ["gpt"] },
    ]);
  });
});

describe("tokens", () => {
  const deployed = async () =>
    (await deployGateway({ tenants: TENANTS, endpoints: [...ENDPOINTS, KSERVE], tokenIssuer: TOKENS })).deployment;

  it("are checked on every route that clients come in by, and nothing there asks for a key", async () => {
    const deployment = await deployed();
    const policy = specOf(deployment, "SecurityPolicy", "tokens") as {
      targetRefs: readonly { name: string; sectionName: string }[];
      jwt: object;
    };
    expect(policy).not.toHaveProperty("apiKeyAuth");
    expect(policy.jwt).toMatchObject({
      providers: [
        {
          issuer: TOKENS.issuer,
          audiences: ["inference"],
          remoteJWKS: { uri: TOKENS.jwks.url, cacheDuration: "300s" },
        },
      ],
    });
    const entrances = routesOf(deployment)
      .filter(({ spec }) => spec.rules.some(({ name }) => name === "token"))
      .map(({ name }) => name)
      .sort();
    expect(policy.targetRefs.map(({ name }) => name).sort()).toEqual(entrances);
    expect(entrances).toEqual(
      [
        "grpc-vision",
        "grpc-vision.stream",
        "kserve-vision",
        "path-embeddings",
        "path-legal",
        "path-ranking",
        "tokens",
      ].sort(),
    );
    for (const { spec } of routesOf(deployment)) {
      const [token, ...others] = spec.rules.filter(({ name }) => name === "token");
      const matches = token?.matches ?? [];
      expect(matches.every(({ headers = [] }) => headers.some(({ name }) => name === "Authorization"))).toBe(true);
      expect(others).toEqual([]);
    }
    expect(specOf(deployment, "SecurityPolicy", "inference")).toMatchObject({
      authorization: { defaultAction: "Deny" },
    });
  });

  it("render what the CRDs accept", async () => {
    const custom = (await deployed()).recording.resources.filter(({ inputs }) =>
      String(inputs.apiVersion ?? "").match(/(gateway|cert-manager)\.|envoyproxy/),
    );
    expect(custom.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });
});
