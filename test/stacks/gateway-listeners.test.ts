import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Deployment } from "../harness/deploy";
import { controlHostnameRun, environments } from "./run";

const targetRefs = z.array(z.object({ name: z.string(), sectionName: z.string() }));
const gatewaySpec = z.object({
  gatewayClassName: z.string(),
  listeners: z.array(z.object({ name: z.string(), port: z.number() })),
});
const securitySpec = z.object({ targetRefs, apiKeyAuth: z.object({ credentialRefs: z.array(z.unknown()).min(1) }) });
/** A rule of a route that requests with a token come in by (components/gateway/tokens.ts). */
const tokenSpec = z.object({ jwt: z.object({ providers: z.array(z.unknown()).min(1) }) });
/** Keeps consumers to models, on routes, and adds to the listener's (components/gateway/tenants.ts). */
const limitSpec = z.object({ mergeType: z.literal("JSONMerge"), targetSelectors: z.array(z.unknown()).min(1) });
const clientSpec = z.object({
  targetRefs,
  timeout: z.object({ http: z.object({ requestReceivedTimeout: z.string(), idleTimeout: z.string() }) }),
  connection: z.object({ connectionLimit: z.object({ value: z.number() }) }),
});
const onRoute = z.object({ targetRefs: z.array(z.object({ kind: z.enum(["HTTPRoute", "GRPCRoute"]) })) });
const backendSpec = z.object({
  targetRefs,
  requestBuffer: z.unknown().optional(),
  retry: z.unknown().optional(),
  circuitBreaker: z.object({ maxParallelRequests: z.number() }),
});
const proxySpec = z.object({
  provider: z.object({
    kubernetes: z.object({ envoyService: z.object({ annotations: z.record(z.string(), z.string()).default({}) }) }),
  }),
});

const specsOf = <T>(deployment: Deployment, kind: string, schema: z.ZodType<T>): T[] =>
  deployment.ofKind(kind).map(({ inputs }) => schema.parse(inputs.spec));

/** The Gateways of Envoy Gateway; a mesh has some of its own. */
const gatewaysOf = (deployment: Deployment) =>
  specsOf(deployment, "Gateway", gatewaySpec).filter(({ gatewayClassName }) => gatewayClassName !== "istio-waypoint");

describe.each(environments)("listeners of %s", (environment) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await controlHostnameRun(environment);
  });

  it("hold nothing for who has no key", () => {
    const listeners = gatewaysOf(deployment).flatMap((spec) => spec.listeners);
    const guarded = specsOf(deployment, "SecurityPolicy", z.unknown())
      .filter((spec) => !tokenSpec.safeParse(spec).success && !limitSpec.safeParse(spec).success)
      .flatMap((spec) => securitySpec.parse(spec).targetRefs);
    const isGuarded = (listener: string) => guarded.some(({ sectionName }) => sectionName === listener);
    const on = <T extends { targetRefs: z.output<typeof targetRefs> }>(specs: T[], listener: string) =>
      specs.filter((spec) => spec.targetRefs.some(({ sectionName }) => sectionName === listener));
    const client = specsOf(deployment, "ClientTrafficPolicy", clientSpec);
    // Those of routes add to the listener's (test/components/gateway/backend-policies.test.ts).
    const backend = specsOf(deployment, "BackendTrafficPolicy", z.unknown())
      .filter((spec) => !onRoute.safeParse(spec).success)
      .map((spec) => backendSpec.parse(spec));

    // Envoy has one buffer limit and one keepalive per port: those of the first listener, which must be the models'.
    expect(listeners[0]?.name).toBe("https");
    expect(listeners.map(({ name }) => name)).toEqual(["https", "model-control", "http"]);
    for (const { name } of listeners) {
      const [policy, ...more] = on(client, name);
      expect(more).toEqual([]);
      expect(policy?.connection.connectionLimit.value).toBeGreaterThan(0);
      if (isGuarded(name)) {
        continue;
      }
      expect(policy?.connection.connectionLimit.value).toBeLessThanOrEqual(name === "http" ? 256 : 64);
      expect(policy?.timeout.http).toMatchObject({ requestReceivedTimeout: "15s", idleTimeout: "60s" });
      for (const { requestBuffer, retry, circuitBreaker } of on(backend, name)) {
        // For a retry, Envoy keeps the body too.
        expect({ requestBuffer, retry }).toEqual({ requestBuffer: undefined, retry: undefined });
        expect(circuitBreaker.maxParallelRequests).toBeLessThanOrEqual(64);
      }
    }
    expect(listeners.filter(({ name }) => isGuarded(name)).map(({ name }) => name)).toEqual(["https"]);
    expect(on(backend, "model-control")).toHaveLength(1);
  });

  it("stand behind a load balancer that keeps silent streams and the client's address", () => {
    const [proxy] = specsOf(deployment, "EnvoyProxy", proxySpec);
    const clouds: Record<string, object> = {
      oci: { "oci.oraclecloud.com/load-balancer-type": "nlb" },
      aws: {
        "service.beta.kubernetes.io/aws-load-balancer-target-group-attributes": "preserve_client_ip.enabled=true",
        "service.beta.kubernetes.io/aws-load-balancer-listener-attributes.TCP-443": "tcp.idle_timeout.seconds=660",
        "service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing",
      },
    };
    const cloud = environment.split("-")[0] ?? "";
    expect(proxy?.provider.kubernetes.envoyService.annotations).toMatchObject(clouds[cloud] ?? {});
    expect(Object.keys(proxy?.provider.kubernetes.envoyService.annotations ?? {}).length > 0).toBe(cloud in clouds);
  });
});
