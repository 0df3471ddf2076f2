import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { gatewayConnections } from "../../../components/gateway/connections";
import { publishedExternal } from "../../../components/gateway/published";
import { modelUsage } from "../../../components/gateway/usage";
import type { ExternalModelPlan } from "../../../planner/types";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { crdProblems } from "../../harness/crds";
import { deployGateway, ENDPOINTS, specOf } from "./fixture";

const GPT: ExternalModelPlan = {
  name: "gpt",
  servedName: "gpt-small",
  task: "chat",
  url: "https://api.example.com/openai/v1",
  modelThere: "gpt-4o-mini",
  healthPath: "/openai/v1/models",
  secretKey: "partnerApiKey",
};
const STUDIO: ExternalModelPlan = {
  name: "studio",
  servedName: "studio",
  task: "embedding",
  url: "http://192.168.1.20:1234/v1",
  modelThere: "studio",
  healthPath: "/v1/models",
};
const OFFICE: ExternalModelPlan = {
  name: "office",
  servedName: "office",
  task: "chat",
  url: "https://llm.office.example:8443/v1",
  modelThere: "office",
  healthPath: "/health",
  networks: ["10.1.2.0/28"],
  authorities: { file: "office.pem", text: "PEM" },
};

const outside = [GPT, STUDIO, OFFICE].map(publishedExternal);
const apiKeys = { partnerApiKey: pulumi.secret("sk-partner") };

async function gateway() {
  const { deployment } = await deployGateway({ outside, apiKeys });
  return deployment;
}

describe("servers of others behind the gateway", () => {
  it("are reached with TLS where their URL says so: by their name, trusted as the environment says", async () => {
    const deployment = await gateway();
    expect(specOf(deployment, "Backend", "gpt")).toEqual({
      endpoints: [{ fqdn: { hostname: "api.example.com", port: 443 } }],
      tls: { wellKnownCACertificates: "System", sni: "api.example.com" },
    });
    expect(specOf(deployment, "Backend", "studio")).toEqual({
      endpoints: [{ ip: { address: "192.168.1.20", port: 1234 } }],
    });
    expect(specOf(deployment, "Backend", "office")).toEqual({
      endpoints: [{ fqdn: { hostname: "llm.office.example", port: 8443 } }],
      tls: {
        caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "external-office-ca" }],
        sni: "llm.office.example",
      },
    });
    const [authorities] = deployment.ofType("kubernetes:core/v1:ConfigMap");
    expect(authorities?.inputs).toMatchObject({
      metadata: { name: "external-office-ca", namespace: "inference-gateway" },
      data: { "ca.crt": "PEM" },
    });
  });

  it("are called by the model's name, which is replaced by the one that it has there", async () => {
    const deployment = await gateway();
    expect(specOf(deployment, "AIServiceBackend", "gpt")).toEqual({
      schema: { name: "OpenAI", prefix: "/openai/v1" },
      backendRef: { group: "gateway.envoyproxy.io", kind: "Backend", name: "gpt" },
      headerMutation: { remove: ["x-api-key", "cookie", "x-tenant-id"] },
    });
    expect(specOf(deployment, "AIGatewayRoute", "model-gpt")).toMatchObject({
      rules: [
        {
          matches: [{ headers: [{ name: "x-ai-eg-model", value: "gpt-small" }] }],
          backendRefs: [{ name: "gpt", priority: 0, weight: 1, modelNameOverride: "gpt-4o-mini" }],
          modelsOwnedBy: "api.example.com",
        },
        {
          matches: [
            {
              headers: [
                { name: "x-path-model", value: "gpt" },
                { name: "x-ai-eg-model", value: "gpt-small|gpt-4o-mini" },
              ],
            },
          ],
          backendRefs: [{ name: "gpt", priority: 0, weight: 1, modelNameOverride: "gpt-4o-mini" }],
        },
      ],
    });
    expect(specOf(deployment, "AIGatewayRoute", "model-studio")).toMatchObject({
      rules: Array(2).fill({ backendRefs: [{ name: "studio", priority: 0, weight: 1 }] }),
    });
  });

  it.each([
    { model: "gpt", path: "/openai/v1/models", expectedStatuses: [200, 401, 403] },
    { model: "studio", path: "/v1/models", expectedStatuses: [200] },
    { model: "office", path: "/health", expectedStatuses: [200] },
  ])("are asked for their health, without a key: $model", async ({ model, ...http }) => {
    expect(specOf(await gateway(), "BackendTrafficPolicy", `model-${model}`)).toMatchObject({
      healthCheck: { active: { type: "HTTP", interval: "30s", timeout: "5s", unhealthyThreshold: 3, http } },
    });
  });

  it("get their own key and never a client's", async () => {
    const deployment = await gateway();
    const secret = deployment.ofType("kubernetes:core/v1:Secret").find(({ name }) => name.endsWith("outside-key-gpt"));
    expect(secret?.inputs.stringData).toEqual({ apiKey: "sk-partner" });
    expect(specOf(deployment, "BackendSecurityPolicy", "external-gpt")).toEqual({
      targetRefs: [{ group: "aigateway.envoyproxy.io", kind: "AIServiceBackend", name: "gpt" }],
      type: "APIKey",
      apiKey: { secretRef: { group: "", kind: "Secret", name: "external-gpt" } },
    });
    expect(deployment.ofKind("BackendSecurityPolicy")).toHaveLength(1);
  });

  it("are rendered as their CRDs accept it", async () => {
    const deployment = await gateway();
    const kinds = [
      "Backend",
      "AIServiceBackend",
      "AIGatewayRoute",
      "HTTPRoute",
      "BackendSecurityPolicy",
      "HTTPRouteFilter",
    ];
    expect(kinds.flatMap((kind) => deployment.ofKind(kind)).flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });

  it("ask for a key that is set", async () => {
    await expect(deployGateway({ outside })).rejects.toThrow("models.gpt: the secret partnerApiKey is not set");
  });

  it("are reached by the proxies alone, at their addresses and port alone", () => {
    const connections = byName(
      gatewayConnections({
        endpoints: ENDPOINTS,
        outside,
        services: [],
        networks: NETWORKS,
        certManager: "platform",
        acme: undefined,
      }),
    );
    expect(connections["gateway-to-external-studio"]).toMatchObject({
      to: [{ cidr: "192.168.1.20/32" }],
      ports: [{ port: 1234 }],
    });
    expect(connections["gateway-to-external-office"]).toMatchObject({
      to: [{ cidr: "10.1.2.0/28" }],
      ports: [{ port: 8443 }],
    });
    expect(connections["gateway-to-external-gpt"]).toMatchObject({ to: [INTERNET], ports: [{ port: 443 }] });
  });

  it("have a base URL like every other model, whatever their name there", () => {
    const access = {
      hostname: "llm.example.com",
      exposure: "LoadBalancer",
      tls: { kind: "secret", secretName: "a" },
    } as const;
    const usage = (plan: ExternalModelPlan) => modelUsage(publishedExternal(plan), access, "default");
    expect(usage(GPT)).toMatchObject({ baseUrl: "https://llm.example.com/gpt/v1", modelId: "gpt-small" });
    expect(usage(STUDIO)).toMatchObject({ baseUrl: "https://llm.example.com/studio/v1", modelId: "studio" });
  });
});
