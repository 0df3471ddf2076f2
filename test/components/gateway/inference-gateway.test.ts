import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { ApiKeys } from "../../../components/gateway/api-keys";
import { requestTimes } from "../../../planner/request-times";
import { tenantsOf } from "../../../planner/tenants";
import { crdProblems } from "../../harness/crds";
import { deployGateway, specOf } from "./fixture";

const HTTPS = { group: "gateway.networking.k8s.io", kind: "Gateway", name: "inference", sectionName: "https" };

describe("InferenceGateway", () => {
  it.each([
    ["ACME behind a load balancer", { exposure: "LoadBalancer" }],
    ["a self-signed CA on node ports", { exposure: "NodePort", tls: { kind: "self-signed" }, stage: "development" }],
    ["a given Secret inside the cluster", { exposure: "ClusterIP", tls: { kind: "secret", secretName: "our-tls" } }],
  ] as const)("renders custom resources that their CRDs accept: %s", async (_name, overrides) => {
    const { deployment } = await deployGateway(overrides);
    const custom = deployment.recording.resources.filter(({ inputs }) =>
      String(inputs.apiVersion ?? "").match(/(gateway|cert-manager)\.|envoyproxy/),
    );
    expect(custom.length).toBeGreaterThan(15);
    expect(custom.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });

  it("listens with TLS for the hostname, and on port 80 for redirects only", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "Gateway", "inference")).toEqual({
      gatewayClassName: "inference",
      infrastructure: { parametersRef: { group: "gateway.envoyproxy.io", kind: "EnvoyProxy", name: "inference" } },
      listeners: [
        {
          name: "https",
          protocol: "HTTPS",
          port: 443,
          hostname: "llm.example.com",
          allowedRoutes: { namespaces: { from: "Same" } },
          tls: { mode: "Terminate", certificateRefs: [{ group: "", kind: "Secret", name: "gateway-tls" }] },
        },
        {
          name: "http",
          protocol: "HTTP",
          port: 80,
          hostname: "llm.example.com",
          allowedRoutes: { namespaces: { from: "Same" } },
        },
      ],
    });
    expect(specOf(deployment, "HTTPRoute", "redirect-to-https")).toEqual({
      parentRefs: [{ group: "gateway.networking.k8s.io", kind: "Gateway", name: "inference", sectionName: "http" }],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https", statusCode: 301 } }],
        },
      ],
    });
  });

  it("gives a service a listener, certificate and route of its own, behind no key of the models", async () => {
    const service = {
      name: "console",
      hostname: "console.example.com",
      service: "console",
      pods: { namespace: "console-system", podLabels: { app: "console" } },
      port: 8443,
    };
    const { deployment } = await deployGateway({ services: [service] });
    expect(specOf(deployment, "Gateway", "inference")).toMatchObject({
      listeners: [
        { name: "https", hostname: "llm.example.com", tls: { certificateRefs: [{ name: "gateway-tls" }] } },
        {
          name: "console",
          protocol: "HTTPS",
          port: 443,
          hostname: "console.example.com",
          tls: { certificateRefs: [{ name: "gateway-tls-console" }] },
        },
        { name: "http", port: 80 },
      ],
    });
    expect(specOf(deployment, "Gateway", "inference")).not.toHaveProperty("listeners.2.hostname");
    expect(specOf(deployment, "Certificate", "gateway-console")).toMatchObject({
      secretName: "gateway-tls-console",
      dnsNames: ["console.example.com"],
    });
    const listener = { ...HTTPS, sectionName: "console" };
    expect(specOf(deployment, "HTTPRoute", "service-console")).toMatchObject({
      parentRefs: [listener],
      hostnames: ["console.example.com"],
      rules: [{ backendRefs: [{ kind: "Backend", name: "service-console" }] }],
    });
    expect(specOf(deployment, "Backend", "service-console")).toEqual({
      endpoints: [{ fqdn: { hostname: "console.console-system.svc.cluster.local", port: 8443 } }],
    });
    for (const kind of ["ClientTrafficPolicy", "BackendTrafficPolicy"]) {
      expect(specOf(deployment, kind, "inference")).toMatchObject({ targetRefs: [HTTPS] });
      expect(specOf(deployment, kind, "services")).toMatchObject({ targetRefs: [listener] });
    }
    expect(specOf(deployment, "SecurityPolicy", "inference")).toMatchObject({ targetRefs: [HTTPS] });
    const custom = deployment.recording.resources.filter(({ inputs }) =>
      String(inputs.apiVersion ?? "").match(/(gateway|cert-manager)\.|envoyproxy/),
    );
    expect(custom.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
  });

  it("asks for a key on every HTTPS route, hides it from engines and names the caller", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "SecurityPolicy", "inference")).toEqual({
      targetRefs: [HTTPS],
      apiKeyAuth: {
        credentialRefs: [
          { group: "", kind: "Secret", name: "consumer-default" },
          { group: "", kind: "Secret", name: "consumer-team-a" },
        ],
        extractFrom: [{ headers: ["Authorization", "x-api-key"] }],
        forwardClientIDHeader: "x-consumer-id",
        sanitize: true,
      },
    });
  });

  it("keeps one random key per consumer, as a secret, and none in its outputs", async () => {
    const { deployment, gateway } = await deployGateway();
    const secrets = deployment
      .ofType("kubernetes:core/v1:Secret")
      .filter(({ name }) => name.startsWith("gateway-keys-"));
    expect(secrets.map(({ inputs }) => inputs.stringData)).toEqual([
      { default: "offline-gateway-keys-default-key" },
      { "team-a": "offline-gateway-keys-team-a-key" },
    ]);
    for (const { secretInputs } of secrets) {
      expect(secretInputs).toContain("stringData");
    }
    expect(gateway.consumerSecrets).toEqual({ default: "consumer-default", "team-a": "consumer-team-a" });
    expect(JSON.stringify([gateway.models, gateway.consumerSecrets, gateway.address])).not.toContain("offline-");
  });

  it("keeps the key that a consumer has already, and makes none for it", async () => {
    const { deployment } = await deployGateway({
      tenants: tenantsOf({ web: { secretKey: "webApiKey" }, batch: {} }),
      apiKeys: { webApiKey: pulumi.secret("sk-of-the-clients") },
    });
    const secret = deployment.resource("kubernetes:core/v1:Secret", "gateway-keys-web-secret");
    expect(secret.inputs.stringData).toEqual({ web: "sk-of-the-clients" });
    expect(secret.secretInputs).toContain("stringData");
    const made = deployment.ofType("random:index/randomPassword:RandomPassword").map(({ name }) => name);
    expect(made).toContain("gateway-keys-batch-key");
    expect(made).not.toContain("gateway-keys-web-key");
  });

  it("refuses to open a gateway that nobody may use", () => {
    expect(() => new ApiKeys("keys", { namespace: "inference-gateway", consumers: [], tokens: false })).toThrow(
      /consumers is empty: name at least one/,
    );
  });

  it("lets requests run for an hour, and cuts them after ten silent minutes", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "ClientTrafficPolicy", "inference")).toEqual({
      targetRefs: [HTTPS],
      tls: { minVersion: "1.2" },
      timeout: {
        http: {
          requestHeadersReceivedTimeout: "10s",
          requestReceivedTimeout: "32s",
          idleTimeout: "300s",
          streamIdleTimeout: "600s",
        },
      },
      connection: { connectionLimit: { value: 4096 }, bufferLimit: 4194304 },
      tcpKeepalive: { idleTime: "60s", interval: "15s", probes: 4 },
      headers: {
        earlyRequestHeaders: {
          remove: [
            "x-consumer-id",
            "x-ai-eg-model",
            "x-path-model",
            "x-gateway-destination-endpoint",
            "x-tenant-id",
            "x-token-consumer",
          ],
        },
        withUnderscoresAction: "RejectRequest",
        lateResponseHeaders: { set: [{ name: "x-request-id", value: "%REQ(X-REQUEST-ID)%" }] },
      },
      path: { disableMergeSlashes: false, escapedSlashesAction: "UnescapeAndRedirect" },
    });
    expect(specOf(deployment, "BackendTrafficPolicy", "inference")).toMatchObject({
      targetRefs: [HTTPS],
      timeout: { http: { requestTimeout: "3600s" } },
      requestBuffer: { limit: 4194304 },
      circuitBreaker: { maxPendingRequests: 307, maxParallelRequests: 307 },
      loadBalancer: { type: "LeastRequest" },
      retry: {
        numRetries: 2,
        retryOn: { triggers: ["connect-failure", "retriable-status-codes"], httpStatusCodes: [503] },
      },
    });
  });

  it("takes other limits", async () => {
    const { deployment } = await deployGateway({
      times: requestTimes({ requestTimeoutSeconds: 7200, streamIdleTimeoutSeconds: 900 }),
      limits: { maxRequestBytes: 32 * 2 ** 20, parallelRequests: 20, proxyMemoryGiB: 3 },
    });
    expect(specOf(deployment, "ClientTrafficPolicy", "inference")).toMatchObject({
      timeout: { http: { requestReceivedTimeout: "110s", streamIdleTimeout: "900s" } },
      connection: { bufferLimit: 33554432 },
    });
    expect(specOf(deployment, "BackendTrafficPolicy", "inference")).toMatchObject({
      timeout: { http: { requestTimeout: "7200s" } },
      requestBuffer: { limit: 33554432 },
      circuitBreaker: { maxParallelRequests: 20 },
    });
    expect(specOf(deployment, "AIGatewayRoute", "model-legal")).toMatchObject({
      rules: [{ timeouts: { request: "7200s" } }, { timeouts: { request: "7200s" } }],
    });
    const memory = { limits: { memory: "3Gi" } };
    expect(specOf(deployment, "EnvoyProxy", "inference")).toMatchObject({
      provider: { kubernetes: { envoyDeployment: { container: { resources: memory } } } },
    });
    expect(specOf(deployment, "GatewayConfig", "inference")).toMatchObject({
      extProc: { kubernetes: { resources: memory } },
    });
  });

  it("runs two hardened proxies in production and one in development", async () => {
    const production = specOf((await deployGateway()).deployment, "EnvoyProxy", "inference");
    expect(production).toMatchObject({
      provider: {
        kubernetes: {
          envoyDeployment: {
            replicas: 2,
            strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "100%", maxUnavailable: 0 } },
            patch: { value: { spec: { minReadySeconds: 40 } } },
            container: {
              resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "4", memory: "2Gi" } },
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { drop: ["ALL"] },
                readOnlyRootFilesystem: true,
                runAsNonRoot: true,
                seccompProfile: { type: "RuntimeDefault" },
              },
            },
          },
          envoyPDB: {
            maxUnavailable: 1,
            patch: { type: "StrategicMerge", value: { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } } },
          },
          envoyService: { type: "LoadBalancer", externalTrafficPolicy: "Local" },
        },
      },
      shutdown: { drainTimeout: "3600s", minDrainDuration: "40s" },
      telemetry: { metrics: { prometheus: { disable: false } } },
    });
    const development = specOf((await deployGateway({ stage: "development" })).deployment, "EnvoyProxy", "inference");
    expect(development).toMatchObject({ provider: { kubernetes: { envoyDeployment: { replicas: 1 } } } });
  });

  it("logs who asked which model, how long it took and how many tokens, but no key, query or body", async () => {
    const { deployment } = await deployGateway();
    const proxy = specOf(deployment, "EnvoyProxy", "inference") as {
      telemetry: { accessLog: { settings: { format: { json: Record<string, string> } }[] } };
    };
    const log = proxy.telemetry.accessLog.settings[0]?.format.json ?? {};
    expect(log).toMatchObject({
      request_id: "%REQ(X-REQUEST-ID)%",
      consumer: "%REQ(X-CONSUMER-ID)%",
      model: "%REQ(X-AI-EG-MODEL)%",
      latency_ms: "%DURATION%",
      status: "%RESPONSE_CODE%",
      output_tokens: "%DYNAMIC_METADATA(io.envoy.ai_gateway:llm_output_token)%",
    });
    expect(Object.values(log).join(" ")).not.toMatch(/AUTHORIZATION|API-KEY|%REQ\(:PATH\)|BODY/i);
  });

  it("counts in the log exactly what the routes ask the filter to count", async () => {
    const { deployment } = await deployGateway();
    const proxy = JSON.stringify(specOf(deployment, "EnvoyProxy", "inference"));
    const route = specOf(deployment, "AIGatewayRoute", "model-legal") as { llmRequestCosts: { metadataKey: string }[] };
    const logged = [...proxy.matchAll(/io\.envoy\.ai_gateway:(\w+)/g)].map(([, key]) => key);
    expect(logged).toEqual(route.llmRequestCosts.map(({ metadataKey }) => metadataKey));
  });

  it("puts cloud settings on the proxies' Service, and fixed ports where nodes listen", async () => {
    const cloud = await deployGateway({ serviceAnnotations: { "oci.oraclecloud.com/load-balancer-type": "nlb" } });
    expect(specOf(cloud.deployment, "EnvoyProxy", "inference")).toMatchObject({
      provider: { kubernetes: { envoyService: { annotations: { "oci.oraclecloud.com/load-balancer-type": "nlb" } } } },
    });
    const nodes = await deployGateway({ exposure: "NodePort" });
    expect(nodes.gateway.address).toBe("https://llm.example.com:30443");
    expect(specOf(nodes.deployment, "EnvoyProxy", "inference")).toMatchObject({
      provider: {
        kubernetes: {
          envoyService: {
            type: "NodePort",
            externalTrafficPolicy: "Cluster",
            patch: {
              type: "StrategicMerge",
              value: {
                spec: {
                  ports: [
                    { port: 443, nodePort: 30443 },
                    { port: 80, nodePort: 30080 },
                  ],
                },
              },
            },
          },
        },
      },
    });
    expect(specOf(nodes.deployment, "HTTPRoute", "redirect-to-https")).toMatchObject({
      rules: [{ filters: [{ requestRedirect: { port: 30443 } }] }],
    });
  });
});

describe("the gateway's certificate", () => {
  it("comes from an ACME server by a challenge through the plain listener", async () => {
    const { deployment } = await deployGateway();
    expect(specOf(deployment, "Issuer", "gateway-acme")).toEqual({
      acme: {
        email: "platform@example.com",
        server: "https://acme-v02.api.letsencrypt.org/directory",
        privateKeySecretRef: { name: "gateway-acme-account" },
        solvers: [
          {
            http01: {
              gatewayHTTPRoute: {
                parentRefs: [
                  { group: "gateway.networking.k8s.io", kind: "Gateway", name: "inference", sectionName: "http" },
                ],
              },
            },
          },
        ],
      },
    });
    expect(specOf(deployment, "Certificate", "gateway-server")).toMatchObject({
      secretName: "gateway-tls",
      dnsNames: ["llm.example.com"],
      issuerRef: { kind: "Issuer", name: "gateway-acme" },
    });
  });

  it("takes another ACME directory", async () => {
    const server = "https://acme-staging-v02.api.letsencrypt.org/directory";
    const { deployment } = await deployGateway({ tls: { kind: "acme", email: "a@example.com", server } });
    expect(specOf(deployment, "Issuer", "gateway-acme")).toMatchObject({ acme: { email: "a@example.com", server } });
  });

  it("is signed by a CA of the cluster in development", async () => {
    const { deployment } = await deployGateway({ tls: { kind: "self-signed" } });
    expect(specOf(deployment, "Issuer", "gateway-self-signed")).toEqual({ selfSigned: {} });
    expect(specOf(deployment, "Certificate", "gateway-ca")).toMatchObject({
      isCA: true,
      secretName: "gateway-ca",
      issuerRef: { name: "gateway-self-signed" },
    });
    expect(specOf(deployment, "Issuer", "gateway-ca")).toEqual({ ca: { secretName: "gateway-ca" } });
    expect(specOf(deployment, "Certificate", "gateway-server")).toMatchObject({ issuerRef: { name: "gateway-ca" } });
  });

  it("comes from a ClusterIssuer of others, and until then from nobody", async () => {
    const { deployment } = await deployGateway(
      { tls: { kind: "issuer", clusterIssuer: "corp" } },
      { certManager: "present" },
    );
    expect(specOf(deployment, "Certificate", "gateway-server")).toMatchObject({
      secretName: "gateway-tls",
      issuerRef: { kind: "ClusterIssuer", name: "corp" },
    });
    expect(deployment.ofKind("Issuer")).toEqual([]);
  });

  it("may be someone else's", async () => {
    const { deployment } = await deployGateway({ tls: { kind: "secret", secretName: "our-tls" } });
    expect(deployment.ofKind("Certificate")).toEqual([]);
    expect(deployment.ofKind("Issuer")).toEqual([]);
    expect(specOf(deployment, "Gateway", "inference")).toMatchObject({
      listeners: [{ tls: { certificateRefs: [{ name: "our-tls" }] } }, { name: "http" }],
    });
  });
});
