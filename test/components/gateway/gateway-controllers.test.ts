import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { GatewayControllers, type GatewayControllersArgs } from "../../../components/gateway/gateway-controllers";
import { type Deployment, deploy, type RecordedResource } from "../../harness/deploy";

const RELEASE = "kubernetes:helm.sh/v3:Release";

function controllers(overrides: Partial<GatewayControllersArgs> = {}): Promise<Deployment> {
  return deploy(() => {
    new GatewayControllers("controllers", {
      stage: "production",
      ...overrides,
    });
  });
}

function release(deployment: Deployment, name: string): RecordedResource {
  return deployment.resource(RELEASE, `controllers-${name}`);
}

describe("GatewayControllers", () => {
  it("installs every chart in the namespace it expects, at the pinned version", async () => {
    const deployment = await controllers();
    const installed = deployment
      .ofType(RELEASE)
      .map(({ inputs }) => [inputs.name, inputs.namespace, inputs.chart, inputs.version]);
    expect(installed.sort()).toEqual([
      ["ai-gateway", "envoy-ai-gateway-system", "oci://docker.io/envoyproxy/ai-gateway-helm", "v1.0.0"],
      ["ai-gateway-crds", "envoy-ai-gateway-system", "oci://docker.io/envoyproxy/ai-gateway-crds-helm", "v1.0.0"],
      ["cert-manager", "cert-manager", "cert-manager", "v1.21.2"],
      ["envoy-gateway", "envoy-gateway-system", "oci://docker.io/envoyproxy/gateway-helm", "v1.9.3"],
    ]);
  });

  it.each(["production", "development"] as const)(
    "passes only values that the charts know (%s, with ACME)",
    async (stage) => {
      const deployment = await controllers({ stage, acme: {} });
      const charts = {
        "envoy-gateway": "gateway-helm",
        "cert-manager": "cert-manager",
        "ai-gateway": "ai-gateway-helm",
      };
      for (const [name, chart] of Object.entries(charts)) {
        expect(chartValueProblems(chart, release(deployment, name).inputs.values as Record<string, unknown>)).toEqual(
          [],
        );
      }
    },
  );

  it("hands xDS to the AI gateway, runs proxies beside their Gateway and allows Backends", async () => {
    const { values } = release(await controllers(), "envoy-gateway").inputs as { values: { config: object } };
    expect(values.config).toEqual({
      envoyGateway: {
        gateway: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller" },
        provider: {
          type: "Kubernetes",
          kubernetes: { deploy: { type: "GatewayNamespace" }, proxyTopologyInjector: { disabled: true } },
        },
        logging: { level: { default: "info" } },
        extensionApis: { enableBackend: true, enableLua: true },
        extensionManager: {
          hooks: {
            xdsTranslator: {
              translation: {
                listener: { includeAll: true },
                route: { includeAll: true },
                cluster: { includeAll: true },
                secret: { includeAll: true },
              },
              post: ["Translation", "Cluster", "Route"],
            },
          },
          service: {
            fqdn: { hostname: "ai-gateway-controller.envoy-ai-gateway-system.svc.cluster.local", port: 1063 },
          },
        },
      },
    });
  });

  it("replaces the public default seed by a secret of its own and gets its webhook certificate from cert-manager", async () => {
    const deployment = await controllers();
    const { inputs, secretInputs } = release(deployment, "ai-gateway");
    const session = { name: "ai-gateway-session", key: "MCP_SESSION_ENCRYPTION_SEED" };
    expect(inputs.values).toMatchObject({
      controller: {
        replicaCount: 2,
        mutatingWebhook: {
          certManager: { enable: true },
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "inference-gateway" } },
        },
        metricsRequestHeaderAttributes: "x-consumer-id:consumer",
        mcp: { sessionEncryption: { seed: "$(MCP_SESSION_ENCRYPTION_SEED)" } },
        extraEnvVars: [{ name: "MCP_SESSION_ENCRYPTION_SEED", valueFrom: { secretKeyRef: session } }],
      },
    });
    expect(secretInputs).toEqual([]);
    const secret = deployment.resource("kubernetes:core/v1:Secret", "controllers-session");
    expect(secret.inputs.stringData).toEqual({ MCP_SESSION_ENCRYPTION_SEED: "offline-controllers-session-seed" });
    expect(secret.secretInputs).toEqual(["stringData"]);
  });

  it("gives every container of its own charts requests and limits", async () => {
    const deployment = await controllers();
    const limited = {
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    };
    expect(release(deployment, "envoy-gateway").inputs.values).toMatchObject({
      deployment: { envoyGateway: { resources: limited } },
      certgen: { job: { resources: limited } },
    });
    expect(release(deployment, "ai-gateway").inputs.values).toMatchObject({ controller: { resources: limited } });
    expect(release(deployment, "cert-manager").inputs.values).toMatchObject({
      resources: limited,
      webhook: { resources: limited },
      cainjector: { resources: limited },
      startupapicheck: { resources: limited },
    });
  });

  it("runs one of each in development", async () => {
    const deployment = await controllers({ stage: "development" });
    expect(release(deployment, "envoy-gateway").inputs.values).toMatchObject({ deployment: { replicas: 1 } });
    expect(release(deployment, "ai-gateway").inputs.values).toMatchObject({ controller: { replicaCount: 1 } });
    expect(release(deployment, "cert-manager").inputs.values).toMatchObject({
      replicaCount: 1,
      webhook: { replicaCount: 1 },
    });
  });

  it("leaves a cluster's own cert-manager alone", async () => {
    const deployment = await controllers({ certManager: "present" });
    expect(deployment.ofType(RELEASE).map(({ inputs }) => inputs.name)).not.toContain("cert-manager");
    const namespaces = deployment.ofType("kubernetes:core/v1:Namespace").map(({ inputs }) => inputs.metadata);
    expect(namespaces).toEqual([
      expect.objectContaining({ name: "envoy-gateway-system" }),
      expect.objectContaining({ name: "envoy-ai-gateway-system" }),
    ]);
  });

  it("turns on Gateway API challenges only where certificates come from ACME", async () => {
    expect(release(await controllers({ acme: {} }), "cert-manager").inputs.values).toMatchObject({
      config: { gatewayAPI: { enabled: true } },
    });
    expect(release(await controllers(), "cert-manager").inputs.values).not.toHaveProperty("config");
  });
});
