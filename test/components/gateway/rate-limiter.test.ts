import { describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { GatewayControllers } from "../../../components/gateway/gateway-controllers";
import type { Stage } from "../../../planner/types";
import { type Deployment, deploy } from "../../harness/deploy";

interface Values {
  readonly config: {
    readonly envoyGateway: {
      readonly rateLimit?: { readonly failClosed: boolean; readonly backend: object };
      readonly provider: {
        readonly kubernetes: {
          readonly rateLimitDeployment?: { readonly replicas: number; readonly container: { readonly env: object[] } };
          readonly rateLimitPDB?: object;
        };
      };
    };
  };
}

function controllers(stage: Stage, countsQuotas: boolean): Promise<Deployment> {
  return deploy(() => {
    new GatewayControllers("controllers", { stage, countsQuotas });
  });
}

function values(deployment: Deployment): Values {
  return deployment.resource("kubernetes:helm.sh/v3:Release", "controllers-envoy-gateway").inputs.values as Values;
}

const PATCH = { patch: { type: "StrategicMerge", value: { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } } } };

describe("the rate limit service", () => {
  it("runs only where a tenant has a quota, and its store with it", async () => {
    const without = await controllers("production", false);
    expect(values(without).config.envoyGateway).not.toHaveProperty("rateLimit");
    expect(without.ofType("kubernetes:apps/v1:StatefulSet")).toEqual([]);

    const deployment = await controllers("production", true);
    expect(values(deployment).config.envoyGateway.rateLimit?.backend).toEqual({
      type: "Redis",
      redis: { url: "rate-limit-store.envoy-gateway-system.svc.cluster.local:6379" },
    });
    expect(chartValueProblems("gateway-helm", { ...values(deployment) })).toEqual([]);
    expect(deployment.ofType("kubernetes:apps/v1:StatefulSet").map(({ inputs }) => inputs.metadata)).toMatchObject([
      { name: "rate-limit-store", namespace: "envoy-gateway-system" },
    ]);
  });

  it.each([
    { stage: "production", failClosed: false, replicas: 2, budget: { maxUnavailable: 1, ...PATCH } },
    { stage: "development", failClosed: true, replicas: 1, budget: undefined },
  ] as const)("lets requests pass while it is away in production, and none in development ($stage)", async (given) => {
    const { rateLimit, provider } = values(await controllers(given.stage, true)).config.envoyGateway;
    expect(rateLimit?.failClosed).toBe(given.failClosed);
    expect(provider.kubernetes.rateLimitDeployment?.replicas).toBe(given.replicas);
    expect(provider.kubernetes.rateLimitPDB).toEqual(given.budget);
  });

  it("reads the store's password from its Secret, which is there before it", async () => {
    const deployment = await controllers("production", true);
    const { rateLimitDeployment } = values(deployment).config.envoyGateway.provider.kubernetes;
    const named = { name: "rate-limit-store", key: "password" };
    expect(rateLimitDeployment?.container.env).toContainEqual({
      name: "REDIS_AUTH",
      valueFrom: { secretKeyRef: named },
    });
    const [secret] = deployment
      .ofType("kubernetes:core/v1:Secret")
      .filter(({ inputs }) => (inputs.metadata as { name: string }).name === named.name);
    expect(secret?.inputs.metadata).toMatchObject({ namespace: "envoy-gateway-system" });
    expect(Object.keys(secret?.inputs.stringData as object)).toContain(named.key);
  });

  it("counts in memory alone: its store has no volume", async () => {
    const deployment = await controllers("production", true);
    const [set] = deployment.ofType("kubernetes:apps/v1:StatefulSet");
    expect(set?.inputs.spec).not.toHaveProperty("volumeClaimTemplates");
    const config = deployment
      .ofType("kubernetes:core/v1:ConfigMap")
      .map(({ inputs }) => (inputs.data as Record<string, string> | undefined)?.["valkey.conf"] ?? "")
      .join("");
    expect(config).toBe(
      'port 6379\ndir /data\nappendonly no\nsave ""\nmaxmemory 32mb\nmaxmemory-policy volatile-ttl\ninclude /run/valkey/password.conf\n',
    );
  });
});
