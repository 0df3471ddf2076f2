import { describe, expect, it } from "vitest";
import { gatewayConnections } from "../../../components/gateway/connections";
import { gatewayProxies } from "../../../components/gateway/names";
import { byName, INTERNET, NETWORKS } from "../../harness/connections";
import { ENDPOINTS } from "./fixture";

type Settings = Parameters<typeof gatewayConnections>[0];

const SETTINGS: Settings = {
  endpoints: ENDPOINTS,
  services: [],
  networks: NETWORKS,
  certManager: "platform",
  acme: undefined,
};

const connections = (changes: Partial<Settings> = {}) => byName(gatewayConnections({ ...SETTINGS, ...changes }));
const namesOf = (changes: Partial<Settings> = {}) => Object.keys(connections(changes));

const ANYWHERE = { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] };
const controller = {
  namespace: "cert-manager",
  podLabels: { "app.kubernetes.io/name": "cert-manager", "app.kubernetes.io/component": "controller" },
  serviceAccount: "cert-manager",
};

describe("gatewayConnections", () => {
  it("lets the proxies out to the keys of the issuer of tokens alone, at their port", () => {
    const jwks = { url: "https://keys.example.com:8443/certs", networks: ["10.1.2.3/32"] };
    const tokenIssuer = { issuer: "https://login.example.com", audience: "inference", tenantClaim: "client_id", jwks };
    expect(namesOf()).not.toContain("gateway-to-token-issuer");
    expect(connections({ tokenIssuer })["gateway-to-token-issuer"]).toMatchObject({
      from: [gatewayProxies],
      to: [{ cidr: "10.1.2.3/32" }],
      ports: [{ port: 8443 }],
    });
  });

  it("let proxies reach the nodes of groups, and no other pod, on the nodes' port", () => {
    const [first, ...rest] = ENDPOINTS;
    if (first === undefined) {
      throw new Error("no endpoint");
    }
    const node = { group: "inference-cluster", port: 9080, metrics: [] };
    const name = `gateway-to-model-${first.model}`;
    const ports = (endpoints: Settings["endpoints"]) => connections({ endpoints })[name]?.ports;
    expect(ports([{ ...first, node }, ...rest])).toEqual([...(ports(ENDPOINTS) ?? []), { port: 9080 }]);
    expect(JSON.stringify(connections())).not.toContain("9080");
  });

  it("let each controller reach only what it needs", () => {
    expect(namesOf().filter((name) => !name.startsWith("gateway-to-model-"))).toEqual([
      "envoy-gateway-to-kubernetes-api",
      "ai-gateway-to-kubernetes-api",
      "kubernetes-api-to-ai-gateway",
      "envoy-gateway-to-ai-gateway",
      "cert-manager-to-kubernetes-api",
      "kubernetes-api-to-cert-manager",
      "clients-to-gateway",
      "gateway-to-envoy-gateway",
    ]);
    expect(connections()["envoy-gateway-to-ai-gateway"]).toEqual({
      from: [{ namespace: "envoy-gateway-system", podLabels: {} }],
      to: [{ namespace: "envoy-ai-gateway-system", podLabels: { "app.kubernetes.io/name": "ai-gateway-helm" } }],
      ports: [{ port: 1063 }],
    });
  });

  it("let proxies ask for quotas, and the service that counts reach its store, only where there are quotas", () => {
    const added = namesOf({ countsQuotas: true }).filter((name) => !namesOf().includes(name));
    expect(added).toEqual(["gateway-to-rate-limiter", "rate-limiter-to-envoy-gateway", "rate-limiter-to-store"]);
    const limiter = {
      namespace: "envoy-gateway-system",
      podLabels: {
        "app.kubernetes.io/name": "envoy-ratelimit",
        "app.kubernetes.io/component": "ratelimit",
        "app.kubernetes.io/managed-by": "envoy-gateway",
      },
    };
    expect(connections({ countsQuotas: true })).toMatchObject({
      "gateway-to-rate-limiter": { from: [gatewayProxies], to: [limiter], ports: [{ port: 8081 }] },
      "rate-limiter-to-envoy-gateway": {
        from: [limiter],
        to: [{ namespace: "envoy-gateway-system", podLabels: {} }],
        ports: [{ port: 18001 }],
      },
      "rate-limiter-to-store": { from: [limiter], ports: [{ port: 6379 }] },
    });
  });

  it("let everybody in to the proxies, and these out to the pods of each model at its port", () => {
    expect(connections()["clients-to-gateway"]).toEqual({
      from: [{ anyone: true }],
      to: [gatewayProxies],
      ports: [{ port: 10443 }, { port: 10080 }],
    });
    expect(namesOf().filter((name) => name.startsWith("gateway-to-model-"))).toEqual([
      "gateway-to-model-legal",
      "gateway-to-model-embeddings",
      "gateway-to-model-ranking",
    ]);
    expect(connections()["gateway-to-model-embeddings"]).toEqual({
      from: [gatewayProxies],
      to: [
        {
          namespace: "model-embeddings",
          podLabels: { "app.kubernetes.io/name": "vllm", "app.kubernetes.io/instance": "embeddings" },
        },
      ],
      ports: [{ port: 11434 }],
    });
  });

  it("let the proxies out to services beside the models", () => {
    const pods = { namespace: "model-control", podLabels: { app: "api" } };
    const service = { name: "model-control", hostname: "control.example.com", service: "api", pods, port: 1994 };
    expect(connections({ services: [service] })["gateway-to-model-control"]).toEqual({
      from: [gatewayProxies],
      to: [pods],
      ports: [{ port: 1994 }],
    });
  });

  it("let cert-manager's controller alone order certificates and look at its challenges, only with ACME", () => {
    const acme = connections({ acme: {} });
    expect(Object.keys(acme).filter((name) => !namesOf().includes(name))).toEqual([
      "cert-manager-to-acme-server",
      "cert-manager-to-challenge",
      "cert-manager-to-gateway",
      "gateway-to-acme-solver",
    ]);
    expect(acme["cert-manager-to-acme-server"]).toEqual({ from: [controller], to: [INTERNET], ports: [{ port: 443 }] });
    expect(acme["cert-manager-to-challenge"]).toEqual({ from: [controller], to: [ANYWHERE], ports: [{ port: 80 }] });
  });

  it("reach an ACME server of one's own at its port, in private networks too", () => {
    const acme = { server: "https://ca.example.com:9443/directory" };
    expect(connections({ acme })["cert-manager-to-acme-server"]).toEqual({
      from: [controller],
      to: [ANYWHERE],
      ports: [{ port: 9443 }],
    });
  });

  it("leave somebody else's cert-manager to its own policies", () => {
    const present = namesOf({ acme: {}, certManager: "present" });
    expect(present.filter((name) => name.includes("cert-manager"))).toEqual([]);
    expect(present).toContain("gateway-to-acme-solver");
  });
});
