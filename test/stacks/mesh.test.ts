import { describe, expect, it } from "vitest";
import { environments, sharedRun } from "./run";

interface Guarded {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly mtls?: { readonly mode: string };
    readonly portLevelMtls?: Readonly<Record<string, object>>;
  };
}

interface Labelled {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

const LABEL = {
  ambient: ["istio.io/dataplane-mode", "ambient"],
  sidecar: ["istio-injection", "enabled"],
} as const;

async function guards(environment: (typeof environments)[number], mode: "ambient" | "sidecar", kind: string) {
  const { resources } = await sharedRun(environment, { mesh: { mode } });
  const [label, value] = LABEL[mode];
  const inside = resources
    .filter(({ type }) => type === "kubernetes:core/v1:Namespace")
    .map(({ inputs }) => (inputs as unknown as Labelled).metadata)
    .flatMap(({ name, labels }) => (labels[label] === value ? name : []));
  const found = resources
    .filter(({ type }) => type.endsWith(`:${kind}`))
    .map(({ inputs }) => inputs as unknown as Guarded);
  return { inside, found };
}

/** Ports at which somebody outside of the mesh connects, by the pods' policy. */
const PLAIN = {
  "cert-manager/plain-at-webhook": ["10250"],
  "envoy-ai-gateway-system/plain-at-ai-gateway-helm": ["9443"],
  "inference-gateway/plain-at-inference-gateway": ["10080", "10443"],
  "keda/plain-at-keda-admission-webhooks": ["9443"],
  "keda/plain-at-keda-operator-metrics-apiserver": ["6443"],
  "observability/plain-at-kube-prometheus-stack-prometheus-operator": ["10250"],
};

describe.each(environments)("a mesh around %s", (environment) => {
  it.each(["ambient", "sidecar"] as const)("asks all of its namespaces for mutual TLS: %s", async (mode) => {
    const { inside, found } = await guards(environment, mode, "PeerAuthentication");
    expect(inside.length).toBeGreaterThan(3);
    const whole = found.filter(({ metadata }) => metadata.name === "default");
    expect(whole.map(({ metadata }) => metadata.namespace).sort()).toEqual([...inside].sort());
    expect(found.map(({ spec }) => spec.mtls?.mode)).toEqual(found.map(() => "STRICT"));
  });
});

it("waives mutual TLS where the API server and clients connect, and nowhere else", async () => {
  const { found } = await guards("aws-prod", "ambient", "PeerAuthentication");
  const plain = found.flatMap(({ metadata: { namespace, name }, spec: { portLevelMtls } }) =>
    portLevelMtls ? [[`${namespace}/${name}`, Object.keys(portLevelMtls)]] : [],
  );
  expect(Object.fromEntries(plain)).toEqual(PLAIN);
});

const GATEWAY = {
  hostname: "inference.example.com",
  tls: { kind: "acme", email: "platform@example.com" },
  consumers: ["web-app"],
  auth: { oidc: { issuer: "https://login.example.com/realms/platform", audience: "inference" } },
};
const OPEN_SIDECARS = { mesh: { mode: "sidecar", egressHosts: ["api.example.com"] }, gateway: GATEWAY };

it("opens to sidecars the servers that the platform calls, and those that the environment names", async () => {
  const { deployment, resources } = await sharedRun("aws-prod", OPEN_SIDECARS);
  const hosts = resources
    .filter(({ type }) => type.endsWith(":ServiceEntry"))
    .flatMap(
      ({ inputs }) => (inputs as unknown as { readonly spec: { readonly hosts: readonly string[] } }).spec.hosts,
    );
  expect(hosts).toEqual([
    "*.hf.co",
    "*.huggingface.co",
    "*.r2.cloudflarestorage.com",
    "acme-v02.api.letsencrypt.org",
    "api.example.com",
    "huggingface.co",
    "inference.example.com",
    "login.example.com",
    "registry.ollama.ai",
  ]);
  expect(deployment.ofType("kubernetes:networking.istio.io/v1:ServiceEntry").length).toBe(hosts.length);
});

it("closes no names in ambient mode, where nothing would hold pods to them", async () => {
  const { deployment } = await sharedRun("aws-prod", { mesh: { mode: "ambient" } });
  expect(deployment.ofType("kubernetes:networking.istio.io/v1:ServiceEntry")).toEqual([]);
});

describe("rules about requests to models", () => {
  const kindsIn = async (namespace: string, changes: Readonly<Record<string, unknown>>) => {
    const { resources } = await sharedRun("aws-prod", changes);
    return resources
      .filter(({ type, inputs }) => {
        const { metadata } = inputs as unknown as Guarded;
        return /istio|gateway\.networking/.test(type) && metadata?.namespace === namespace;
      })
      .map(({ inputs }) => {
        const { kind, metadata } = inputs as unknown as Guarded & { readonly kind: string };
        return `${kind} ${metadata.name}`;
      });
  };

  it("stand at a waypoint in front of a model, where tokens count in ambient mode", async () => {
    expect(await kindsIn("model-llama-70b", { mesh: { mode: "ambient" }, gateway: GATEWAY })).toEqual([
      "PeerAuthentication default",
      "AuthorizationPolicy default-deny",
      "AuthorizationPolicy allow-vllm-model-llama-70b",
      "AuthorizationPolicy allow-through-waypoint",
      "RequestAuthentication tokens",
      "AuthorizationPolicy allow-tokens",
      "EnvoyFilter limit",
      // Its pods come after what guards them.
      "Gateway waypoint",
    ]);
  });

  it("take a waypoint for a limit that the environment writes, and none for one that it does not", async () => {
    const { auth: _, ...gateway } = GATEWAY;
    const limited = await kindsIn("model-llama-70b", { mesh: { mode: "ambient", requestsPerSecond: 500 }, gateway });
    expect(limited).toContain("Gateway waypoint");
    expect(limited).not.toContain("RequestAuthentication tokens");
    expect(await kindsIn("model-llama-70b", { mesh: { mode: "ambient" }, gateway })).not.toContain("Gateway waypoint");
  });

  it("stand at sidecars, in sidecar mode", async () => {
    expect(await kindsIn("model-llama-70b", OPEN_SIDECARS)).toEqual([
      "PeerAuthentication default",
      "PeerAuthentication plain-at-vllm-model-llama-70b",
      "AuthorizationPolicy default-deny",
      "AuthorizationPolicy allow-vllm-model-llama-70b",
      "RequestAuthentication tokens-vllm-model-llama-70b",
      "AuthorizationPolicy allow-tokens-vllm-model-llama-70b",
      "EnvoyFilter limit-vllm-model-llama-70b",
    ]);
  });

  it("have no waypoint where pods of a model connect to each other on ports of their choice", async () => {
    const { auth: _, ...gateway } = GATEWAY;
    const kinds = await kindsIn("model-llama-8b", { mesh: { mode: "ambient", requestsPerSecond: 500 }, gateway });
    expect(kinds).toContain("PeerAuthentication default");
    expect(kinds).not.toContain("Gateway waypoint");
  });
});
