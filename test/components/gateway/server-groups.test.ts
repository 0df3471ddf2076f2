import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { publishedExternal } from "../../../components/gateway/published";
import type { ServerGroupPlan } from "../../../planner/inference-nodes";
import { tenantsOf } from "../../../planner/tenants";
import { crdProblems } from "../../harness/crds";
import type { Deployment } from "../../harness/deploy";
import { metadataOf } from "../../stacks/kubernetes";
import { deployGateway, endpoint, specOf } from "./fixture";

const node = { group: "inference-cluster", port: 9080, metrics: [] };
const legal = endpoint("legal", { servedName: "law:8b", otherNames: ["contracts"], node });
const revisionOf = { model: "legal", weight: 20 };
const canary = endpoint("legal-canary", { servedName: "law:8b", revisionOf, node });
const triton = endpoint("drafts", {
  engine: "triton",
  task: "completion",
  ports: { "kserve-http": 8000, "kserve-grpc": 8001 },
  node: { ...node, group: "drafting" },
});
const studio = publishedExternal({
  name: "studio",
  servedName: "studio-small",
  task: "chat",
  url: "https://studio.example.com/openai/v1",
  modelThere: "qwen",
  healthPath: "/openai/v1/models",
  secretKey: "studioApiKey",
});

const groups: readonly ServerGroupPlan[] = [
  { name: "inference-cluster", model: "legal" },
  { name: "drafting", model: "drafts" },
  { name: "lab", model: "studio" },
];

const deployed = (overrides: Parameters<typeof deployGateway>[0] = {}) =>
  deployGateway({
    endpoints: [legal, endpoint("other"), triton],
    outside: [studio],
    apiKeys: { studioApiKey: pulumi.secret("sk-studio") },
    groups,
    ...overrides,
  });

interface Route {
  readonly rules: readonly {
    readonly name?: string;
    readonly matches: readonly {
      readonly method?: string;
      readonly path: { readonly type: string; readonly value: string };
    }[];
    readonly backendRefs?: readonly { readonly name: string; readonly weight: number }[];
  }[];
}

/** What a route's rules match, as `METHOD type path`, but for the rule of tokens. */
function pathsOf(deployment: Deployment, name: string): string[] {
  const { rules } = specOf(deployment, "HTTPRoute", name) as Route;
  return rules
    .filter((rule) => rule.name === undefined)
    .flatMap(({ matches }) => matches)
    .map(({ method = "*", path }) => `${method} ${path.type} ${path.value}`);
}

function scriptOf(deployment: Deployment): string {
  const { lua } = specOf(deployment, "EnvoyExtensionPolicy", "model-paths") as { lua: { inline: string }[] };
  return lua[0]?.inline ?? "";
}

const refsOf = (deployment: Deployment, kind: string, name: string) =>
  (specOf(deployment, kind, name) as Route).rules.map(({ backendRefs = [] }) =>
    backendRefs.map((ref) => `${ref.name} ${ref.weight}`).join(),
  );

describe("a server group", () => {
  it("leads to the nodes' own port of its model's Service, through the AI gateway's filter, and to no name of its own", async () => {
    const { deployment } = await deployed();
    expect(specOf(deployment, "Backend", "inference-cluster")).toEqual({
      endpoints: [{ fqdn: { hostname: "legal-server.model-legal.svc.cluster.local", port: 9080 } }],
    });
    expect(specOf(deployment, "Backend", "legal")).toMatchObject({ endpoints: [{ fqdn: { port: 8000 } }] });
    expect(specOf(deployment, "AIServiceBackend", "inference-cluster")).toEqual({
      schema: { name: "OpenAI", prefix: "/v1" },
      backendRef: { group: "gateway.envoyproxy.io", kind: "Backend", name: "inference-cluster" },
    });
    expect(specOf(deployment, "AIGatewayRoute", "model-inference-cluster")).toMatchObject({
      rules: [
        {
          matches: [
            {
              headers: [
                { type: "Exact", name: "x-path-model", value: "inference-cluster" },
                { type: "RegularExpression", name: "x-ai-eg-model", value: "law:8b|contracts" },
              ],
            },
          ],
          backendRefs: [{ name: "inference-cluster", priority: 0, weight: 1 }],
          timeouts: { request: "3600s" },
          modelsOwnedBy: "vllm",
        },
      ],
      llmRequestCosts: [{ type: "InputToken" }, { type: "OutputToken" }, { type: "TotalToken" }],
    });
  });

  it.each([
    ["chat", "/chat/completions", "/v1/chat/completions"],
    ["completion", "/completions", "/v1/completions"],
    ["embedding", "/embeddings", "/v1/embeddings"],
    ["rerank", "/rerank", "/cohere/v2/rerank"],
  ] as const)("of the task %s takes /infer and %s for %s, and no other method there", async (task, path, there) => {
    const { deployment } = await deployed({ endpoints: [{ ...legal, task }, triton] });
    expect(pathsOf(deployment, "path-inference-cluster")).toEqual([
      "* PathPrefix /inference-cluster/v1",
      "POST Exact /inference-cluster/infer",
      `POST Exact /inference-cluster${path}`,
    ]);
    expect(scriptOf(deployment)).toContain(
      `["inference-cluster"] = { ["/infer"] = "${there}", ["${path}"] = "${there}" }`,
    );
  });

  it("gives models without a group the paths that they had", async () => {
    const { deployment } = await deployed();
    expect(pathsOf(deployment, "path-other")).toEqual(["* PathPrefix /other/v1"]);
    expect(scriptOf((await deployGateway()).deployment)).toContain("local shortcuts = {}\n");
  });

  it("has its nodes asked for their health, and gives it to who has a key", async () => {
    const { deployment } = await deployed();
    const asked = { active: { type: "HTTP", http: { path: "/health", expectedStatuses: [200] } } };
    expect(specOf(deployment, "BackendTrafficPolicy", "model-inference-cluster")).toMatchObject({ healthCheck: asked });
    expect(specOf(deployment, "HTTPRoute", "health-inference-cluster")).toEqual({
      parentRefs: [expect.objectContaining({ sectionName: "https" })],
      rules: [
        {
          matches: [{ method: "GET", path: { type: "Exact", value: "/inference-cluster/health" } }],
          filters: [
            {
              type: "URLRewrite",
              urlRewrite: {
                hostname: "legal-server.model-legal.svc.cluster.local",
                path: { type: "ReplaceFullPath", replaceFullPath: "/health" },
              },
            },
          ],
          backendRefs: [{ group: "gateway.envoyproxy.io", kind: "Backend", name: "inference-cluster", weight: 1 }],
          timeouts: { request: "10s" },
        },
      ],
    });
  });

  it("answers as a node does where none is ready, and all else as the listener does", async () => {
    const { deployment } = await deployed();
    const overrides = (name: string) =>
      (specOf(deployment, "BackendTrafficPolicy", name) as { responseOverride: object[] }).responseOverride;
    expect(specOf(deployment, "BackendTrafficPolicy", "health-inference-cluster")).toMatchObject({
      mergeType: "StrategicMerge",
    });
    expect(overrides("health-inference-cluster")).toEqual([
      {
        source: "Local",
        match: { statusCodes: [{ type: "Value", value: 503 }] },
        response: { contentType: "application/json", body: { type: "Inline", inline: '{"status":"unhealthy"}' } },
      },
      ...overrides("inference"),
    ]);
  });

  it("shares its requests with the nodes of a canary, which have a path of their own", async () => {
    const { deployment, gateway } = await deployed({ endpoints: [legal, canary, triton] });
    const shares = "inference-cluster 80,inference-cluster.canary 20";
    expect(refsOf(deployment, "AIGatewayRoute", "model-inference-cluster")).toEqual([shares]);
    expect(refsOf(deployment, "HTTPRoute", "health-inference-cluster")).toEqual([shares]);
    expect(refsOf(deployment, "AIGatewayRoute", "model-inference-cluster.canary")).toEqual([
      "inference-cluster.canary 1",
    ]);
    expect(specOf(deployment, "Backend", "inference-cluster.canary")).toEqual({
      endpoints: [{ fqdn: { hostname: "legal-canary-server.model-legal-canary.svc.cluster.local", port: 9080 } }],
    });
    expect(pathsOf(deployment, "path-inference-cluster.canary")).toContain(
      "POST Exact /inference-cluster.canary/infer",
    );
    expect(Object.keys(gateway.groups)).toEqual(["inference-cluster", "drafting", "lab"]);
  });

  it("keeps sessions as its model does, and lets free consumers hold no more than there", async () => {
    const { deployment } = await deployed({
      sessions: new Map([["legal", "header"]]),
      tenants: tenantsOf({ default: {}, guests: { priority: "free" } }),
      stage: "development",
    });
    for (const name of ["model-inference-cluster", "free-inference-cluster"]) {
      expect(specOf(deployment, "BackendTrafficPolicy", name)).toMatchObject({
        loadBalancer: { type: "ConsistentHash", consistentHash: { type: "Headers" } },
      });
    }
    const free = (name: string) => specOf(deployment, "BackendTrafficPolicy", `free-${name}`);
    expect(free("inference-cluster")).toMatchObject({ circuitBreaker: { maxParallelRequests: 8 } });
    expect(free("legal")).toMatchObject({ circuitBreaker: { maxParallelRequests: 8 } });
    expect(specOf(deployment, "BackendTrafficPolicy", "model-other")).not.toHaveProperty("loadBalancer");
  });

  it("refuses whom its model refuses, on each of its routes", async () => {
    const { deployment } = await deployed({
      endpoints: [legal, canary, endpoint("other"), triton],
      tenants: tenantsOf({ all: {}, others: { models: ["other"] } }),
    });
    const refusedAt = (name: string) => {
      const { targetSelectors } = specOf(deployment, "SecurityPolicy", name) as {
        targetSelectors: { matchExpressions: { values: string[] }[] }[];
      };
      return targetSelectors[0]?.matchExpressions[0]?.values;
    };
    expect(refusedAt("model-legal")).toEqual([
      "legal",
      "legal-canary",
      "inference-cluster",
      "inference-cluster.canary",
    ]);
    expect(refusedAt("model-drafts")).toEqual(["drafts", "drafting"]);
    expect(refusedAt("model-studio")).toEqual(["studio", "lab"]);
    const labelled = ["HTTPRoute", "AIGatewayRoute"]
      .flatMap((kind) => deployment.ofKind(kind))
      .filter(({ inputs }) => /inference-cluster|drafting|lab/.test(JSON.stringify(inputs.spec)))
      .map((route) => metadataOf(route));
    expect(labelled.length).toBeGreaterThan(8);
    for (const { name, labels } of labelled) {
      expect([name, labels?.["inference-stacks.io/model"]]).toEqual([
        name,
        expect.stringMatching(/^(inference-cluster(\.canary)?|drafting|lab)$/),
      ]);
    }
  });

  it("of a server with KServe's API alone has /infer, which leads to that of a node, and KServe's own paths", async () => {
    const { deployment } = await deployed();
    expect(specOf(deployment, "HTTPRoute", "kserve-drafting")).toMatchObject({
      rules: [
        {
          matches: [{ method: "POST", path: { type: "Exact", value: "/drafting/infer" } }],
          filters: [
            { urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/infer" } } },
            { requestHeaderModifier: { set: [{ name: "x-ai-eg-model", value: "drafts" }] } },
          ],
          backendRefs: [{ name: "drafting", weight: 1 }],
          timeouts: { request: "3600s" },
        },
        { filters: [{ urlRewrite: { path: { replaceFullPath: "/v2/models/drafts/infer" } } }, {}] },
        ...Array(4).fill({ backendRefs: [{ name: "drafting", weight: 1 }] }),
      ],
    });
    expect(pathsOf(deployment, "kserve-drafting").slice(1)).toEqual(
      pathsOf(deployment, "kserve-drafts").map((path) => path.replace(" /drafts/", " /drafting/")),
    );
    expect(specOf(deployment, "Backend", "drafting")).toMatchObject({ endpoints: [{ fqdn: { port: 9080 } }] });
    expect(specOf(deployment, "BackendTrafficPolicy", "kserve-drafting")).toMatchObject({
      healthCheck: { active: { http: { path: "/health" } } },
    });
    expect(pathsOf(deployment, "health-drafting")).toEqual(["GET Exact /drafting/health"]);
    expect(deployment.ofKind("AIGatewayRoute").map((route) => metadataOf(route).name)).not.toContain("model-drafting");
  });

  it("of a server of others is that server at one more path: with its key and its name there", async () => {
    const { deployment } = await deployed();
    expect(specOf(deployment, "Backend", "lab")).toEqual(specOf(deployment, "Backend", "studio"));
    expect(specOf(deployment, "AIServiceBackend", "lab")).toMatchObject({
      schema: { name: "OpenAI", prefix: "/openai/v1" },
      headerMutation: { remove: ["x-api-key", "cookie", "x-tenant-id"] },
    });
    expect(specOf(deployment, "AIGatewayRoute", "model-lab")).toMatchObject({
      rules: [
        {
          matches: [{ headers: [{ value: "lab" }, { value: "studio-small|qwen" }] }],
          backendRefs: [{ name: "lab", modelNameOverride: "qwen" }],
        },
      ],
    });
    expect(specOf(deployment, "BackendSecurityPolicy", "external-lab")).toMatchObject({
      targetRefs: [{ kind: "AIServiceBackend", name: "lab" }],
    });
    expect(pathsOf(deployment, "path-lab")).toContain("POST Exact /lab/infer");
  });

  it("of a server outside says how that answers who has no key, and passes nothing of it on", async () => {
    const { deployment } = await deployed();
    expect(pathsOf(deployment, "health-lab")).toEqual(["GET Exact /lab/health"]);
    const { rules } = specOf(deployment, "HTTPRoute", "health-lab") as { rules: object[] };
    expect(rules[0]).toMatchObject({
      filters: [
        { urlRewrite: { hostname: "studio.example.com", path: { replaceFullPath: "/openai/v1/models" } } },
        { requestHeaderModifier: { remove: ["authorization", "x-api-key", "cookie", "x-tenant-id"] } },
      ],
      backendRefs: [{ kind: "Backend", name: "lab" }],
    });
    const { healthCheck, responseOverride } = specOf(deployment, "BackendTrafficPolicy", "health-lab") as {
      healthCheck: object;
      responseOverride: object[];
    };
    expect(healthCheck).toMatchObject({
      active: { http: { path: "/openai/v1/models", expectedStatuses: [200, 401, 403] } },
    });
    expect(responseOverride.slice(0, 3)).toMatchObject([
      {
        source: "Backend",
        match: { statusCodes: [{ value: 200 }, { value: 401 }, { value: 403 }] },
        response: { statusCode: 200, body: { inline: '{"status":"ok"}' } },
      },
      {
        source: "Backend",
        match: { statusCodes: [{ type: "Range", range: { start: 100, end: 599 } }] },
        response: { statusCode: 503, body: { inline: '{"status":"degraded"}' } },
      },
      { source: "Local", response: { body: { inline: '{"status":"unhealthy"}' } } },
    ]);
  });

  it("takes tokens on each of its routes, where tokens count", async () => {
    const { deployment } = await deployed({
      tokenIssuer: {
        issuer: "https://login.example.com",
        audience: "inference",
        jwks: { url: "https://login.example.com/keys" },
        tenantClaim: "tenant",
      },
    });
    const { targetRefs } = specOf(deployment, "SecurityPolicy", "tokens") as { targetRefs: { name: string }[] };
    const names = targetRefs.map(({ name }) => name);
    const routes = [
      "path-inference-cluster",
      "health-inference-cluster",
      "kserve-drafting",
      "health-drafting",
      "path-lab",
    ];
    expect(names).toEqual(expect.arrayContaining(routes));
    for (const name of routes) {
      expect((specOf(deployment, "HTTPRoute", name) as Route).rules.at(-1)).toMatchObject({ name: "token" });
    }
  });

  it("renders what the CRDs accept", async () => {
    const { deployment } = await deployed({ endpoints: [legal, canary, triton] });
    const kinds = [
      "Backend",
      "AIServiceBackend",
      "AIGatewayRoute",
      "HTTPRoute",
      "BackendTrafficPolicy",
      "EnvoyExtensionPolicy",
      "SecurityPolicy",
    ];
    expect(kinds.flatMap((kind) => deployment.ofKind(kind)).flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });

  it("is told to clients as they configure it", async () => {
    const { gateway } = await deployed();
    const BaseUrl = "https://llm.example.com/inference-cluster";
    expect(gateway.groups["inference-cluster"]).toEqual({
      baseUrl: BaseUrl,
      modelId: "law:8b",
      enableStream: true,
      curl: [
        "curl https://llm.example.com/inference-cluster/infer \\",
        "  -H \"Authorization: Bearer $(kubectl -n inference-gateway get secret consumer-default -o jsonpath='{.data.default}' | base64 -d)\" \\",
        '  -H "Content-Type: application/json" \\',
        '  -d \'{"model":"law:8b","messages":[{"role":"user","content":"Say hello."}],"max_tokens":64}\'',
      ].join("\n"),
      consumer: {
        OctopusConfig: {
          SemanticKernelPlugin: {
            LLM: { Provider: "CustomEndpoint", BaseUrl, ModelId: "law:8b", EnableStream: true },
          },
        },
      },
    });
    expect(gateway.groups.lab).toMatchObject({
      modelId: "studio-small",
      consumer: { OctopusConfig: { SemanticKernelPlugin: { LLM: { BaseUrl: "https://llm.example.com/lab" } } } },
    });
    expect(gateway.groups.drafting).toMatchObject({ baseUrl: "https://llm.example.com/drafting", modelId: "drafts" });
    // No chat there: such a consumer could not call it.
    expect(gateway.groups.drafting).not.toHaveProperty("consumer");
    expect(Object.keys(gateway.models)).toEqual(["legal", "other", "studio", "drafts"]);
  });
});
