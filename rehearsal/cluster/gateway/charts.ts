/**
 * Pods of gateway-helm and ai-gateway-helm with our values. Without Helm, relevant template lines
 * are replicated: templates/{_helpers.tpl,envoy-gateway-config,envoy-gateway-deployment,certgen} of
 * gateway-helm 1.9.1 and templates/{deployment,admission_webhook}.yaml of ai-gateway-helm 1.0.0.
 * Defaults are read from the modules.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { KubernetesObject } from "../../../kubernetes/object";
import { AI_GATEWAY_NAMESPACE, ENVOY_GATEWAY_NAMESPACE } from "../../../names/namespaces";
import { moduleFolder } from "../../parts/find";

type Values = Readonly<Record<string, unknown>>;

const EG_LABELS = { "control-plane": "envoy-gateway" };
const AI_LABELS = { "app.kubernetes.io/name": "ai-gateway-helm", "app.kubernetes.io/instance": "ai-gateway" };
const CONFIG = "envoy-gateway-config";
/** Name of the AI gateway's Service and of its webhook's Secret (values.yaml of the chart). */
export const AI_CONTROLLER = "ai-gateway-controller";
export const WEBHOOK_CERTIFICATE = "self-signed-cert-for-mutating-webhook";

const podNamespace = { fieldRef: { fieldPath: "metadata.namespace" } };

/** Pods of gateway-helm without certificates: prerequisites, Job pod and controller pod. */
export interface ControllerPods {
  readonly objects: readonly KubernetesObject[];
  readonly certgen: KubernetesObject;
  readonly controller: KubernetesObject;
}

/** @param namespace of the release */
export async function envoyGatewayPods(ours: Values, namespace = ENVOY_GATEWAY_NAMESPACE): Promise<ControllerPods> {
  const folder = join(await moduleFolder("github.com/envoyproxy/gateway"), "charts/gateway-helm");
  const defaults = parse(readFileSync(join(folder, "values.tmpl.yaml"), "utf8")) as Values;
  const values = merged(defaults, ours) as {
    readonly config: { readonly envoyGateway: Values & { readonly extensionApis?: object } };
    readonly deployment: {
      readonly ports: readonly object[];
      readonly envoyGateway: { readonly securityContext: object };
    };
    readonly kubernetesClusterDomain: string;
  };
  const { config, deployment, kubernetesClusterDomain } = values;
  const image = "docker.io/envoyproxy/gateway:1.9.1";
  const base = {
    provider: {
      type: "Kubernetes",
      kubernetes: {
        rateLimitDeployment: { container: { image: "docker.io/envoyproxy/ratelimit:8fe6ea42" } },
        shutdownManager: { image },
      },
    },
  };
  const settings = merged(
    { apiVersion: "gateway.envoyproxy.io/v1alpha1", kind: "EnvoyGateway", ...base },
    config.envoyGateway,
  );
  const env = [
    { name: "ENVOY_GATEWAY_NAMESPACE", valueFrom: podNamespace },
    { name: "KUBERNETES_CLUSTER_DOMAIN", value: kubernetesClusterDomain },
  ];
  const { securityContext } = deployment.envoyGateway;
  const pod = (name: string, container: object, volumes: readonly object[]): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: name === "envoy-gateway" ? EG_LABELS : { app: name } },
    spec: {
      serviceAccountName: "envoy-gateway",
      terminationGracePeriodSeconds: 10,
      containers: [{ name: "envoy-gateway", image, env, securityContext, ...container }],
      volumes,
    },
  });
  const mounts = [
    { mountPath: "/config", name: CONFIG },
    { mountPath: "/certs", name: "certs" },
    { mountPath: "/var/lib/eg/wasm", name: "wasm-cache" },
  ];
  const controller = pod(
    "envoy-gateway",
    {
      args: ["server", "--config-path=/config/envoy-gateway.yaml"],
      readinessProbe: { httpGet: { path: "/readyz", port: 8081 } },
      volumeMounts: mounts,
    },
    [
      { name: CONFIG, configMap: { name: CONFIG } },
      { name: "certs", secret: { secretName: "envoy-gateway" } },
      { name: "wasm-cache", emptyDir: {} },
    ],
  );
  return {
    objects: [
      ...administrator("envoy-gateway", namespace),
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: CONFIG, namespace },
        data: { "envoy-gateway.yaml": stringify(settings) },
      },
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "envoy-gateway", namespace },
        spec: { selector: EG_LABELS, ports: deployment.ports },
      },
      // Owner of the controller's other objects, required for the rate limit service.
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "envoy-gateway", namespace },
        spec: {
          selector: { matchLabels: EG_LABELS },
          template: { metadata: { labels: EG_LABELS }, spec: controller.spec },
        },
      },
    ],
    certgen: pod("certgen", { command: ["envoy-gateway", "certgen"], args: ["--disable-topology-injector"] }, []),
    controller,
  };
}

interface AiValues {
  readonly envoyGateway: { readonly namespace: string };
  readonly endpointConfig: Readonly<Record<"rootPrefix" | "openai" | "cohere" | "anthropic", string>>;
  readonly extProc: {
    readonly logLevel: string;
    readonly extraEnvVars: readonly { readonly name: string; readonly value: string }[];
  };
  readonly controller: Readonly<
    Record<
      "logLevel" | "requestHeaderAttributes" | "metricsRequestHeaderAttributes" | "quotaRateLimitServiceAddr",
      string
    >
  > & {
    readonly spanRequestHeaderAttributes: string | null;
    readonly logRequestHeaderAttributes: string | null;
    readonly quotaRateLimitTimeout: number;
    readonly quotaRateLimitFailureModeDeny: boolean;
    readonly watch: { readonly namespaces: readonly string[]; readonly cacheSyncTimeout: string };
    readonly mcp: { readonly sessionEncryption: { readonly seed: string; readonly iterations: number } };
    readonly extraEnvVars: readonly object[];
    readonly podSecurityContext: object;
    readonly securityContext: object;
    readonly mutatingWebhook: {
      readonly port: number;
      readonly objectSelector: object;
      readonly namespaceSelector?: object;
    };
    readonly service: { readonly ports: readonly object[] };
  };
}

export async function aiGatewayPods(ours: Values): Promise<Omit<ControllerPods, "certgen">> {
  const folder = join(await moduleFolder("github.com/envoyproxy/ai-gateway"), "manifests/charts/ai-gateway-helm");
  const defaults = parse(readFileSync(join(folder, "values.yaml"), "utf8")) as Values;
  const values = merged(defaults, ours) as unknown as AiValues;
  const { controller } = values;
  const namespace = AI_GATEWAY_NAMESPACE;
  const { port, objectSelector, namespaceSelector } = controller.mutatingWebhook;
  const webhook = {
    name: `${AI_CONTROLLER}.${namespace}.svc.cluster.local`,
    clientConfig: { service: { name: AI_CONTROLLER, namespace, port, path: "/mutate" } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    objectSelector,
    namespaceSelector,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    timeoutSeconds: 10,
    failurePolicy: "Fail",
  };
  return {
    objects: [
      ...administrator(AI_CONTROLLER, namespace),
      // Cluster addresses are not routed here: the API server reaches the pod by name.
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: AI_CONTROLLER, namespace },
        spec: { type: "ExternalName", externalName: "not-yet", selector: AI_LABELS, ports: controller.service.ports },
      },
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "MutatingWebhookConfiguration",
        metadata: { name: `envoy-ai-gateway-gateway-pod-mutator.${namespace}` },
        webhooks: [webhook],
      },
    ],
    controller: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: AI_CONTROLLER, namespace, labels: AI_LABELS },
      spec: {
        serviceAccountName: AI_CONTROLLER,
        securityContext: controller.podSecurityContext,
        containers: [
          {
            name: "ai-gateway-helm",
            image: "docker.io/envoyproxy/ai-gateway-controller:v1.0.0",
            args: aiGatewayArgs(values),
            securityContext: controller.securityContext,
            env: [{ name: "POD_NAMESPACE", valueFrom: podNamespace }, ...controller.extraEnvVars],
            volumeMounts: [{ mountPath: "/certs", name: "certs" }],
          },
        ],
        volumes: [{ name: "certs", secret: { secretName: WEBHOOK_CERTIFICATE } }],
      },
    },
  };
}

function aiGatewayArgs({ controller, extProc, endpointConfig, envoyGateway }: AiValues): string[] {
  const { mcp, watch, mutatingWebhook } = controller;
  const given = (flag: string, value: string | null) => (value === null || value === "" ? [] : [`--${flag}=${value}`]);
  const nullable = (flag: string, value: string | null) => (value === null ? [] : [`--${flag}=${value}`]);
  const prefixes = (["openai", "cohere", "anthropic"] as const).map((name) => `${name}:${endpointConfig[name]}`);
  return [
    `-logLevel=${controller.logLevel}`,
    "--extProcImage=docker.io/envoyproxy/ai-gateway-extproc:v1.0.0",
    "--extProcImagePullPolicy=IfNotPresent",
    `--extProcLogLevel=${extProc.logLevel}`,
    `--envoyGatewayNamespace=${envoyGateway.namespace}`,
    ...given("requestHeaderAttributes", controller.requestHeaderAttributes),
    ...nullable("spanRequestHeaderAttributes", controller.spanRequestHeaderAttributes),
    ...given("metricsRequestHeaderAttributes", controller.metricsRequestHeaderAttributes),
    ...nullable("logRequestHeaderAttributes", controller.logRequestHeaderAttributes),
    `--endpointPrefixes=${prefixes.join(",")}`,
    `--extProcExtraEnvVars=${extProc.extraEnvVars.map(({ name, value }) => `${name}=${value}`).join(";")}`,
    "--tlsCertDir=/certs",
    "--tlsCertName=tls.crt",
    "--tlsKeyName=tls.key",
    `--webhookPort=${mutatingWebhook.port}`,
    `--rootPrefix=${endpointConfig.rootPrefix}`,
    `--cacheSyncTimeout=${watch.cacheSyncTimeout}`,
    `--watchNamespaces=${watch.namespaces.join(",")}`,
    `--quotaRateLimitServiceAddr=${controller.quotaRateLimitServiceAddr}`,
    `--quotaRateLimitTimeout=${controller.quotaRateLimitTimeout}`,
    `--quotaRateLimitFailureModeDeny=${controller.quotaRateLimitFailureModeDeny}`,
    `--mcpSessionEncryptionSeed=${mcp.sessionEncryption.seed}`,
    `--mcpSessionEncryptionIterations=${mcp.sessionEncryption.iterations}`,
  ];
}

/** Service account with all rights: the charts' roles are not under test. */
function administrator(name: string, namespace: string): KubernetesObject[] {
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: `${namespace}-${name}` },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}

/** Helm's merge: objects merge by key; other values are replaced. */
function merged(base: Values, over: Values): Values {
  const entries = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isObject(below) && isObject(value) ? merged(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
