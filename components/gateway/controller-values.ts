import { GATEWAY_CONTROLLER, NEEDED_SETTINGS } from "../../names/envoy-gateway";
import { ENVOY_GATEWAY_NAMESPACE, GATEWAY_NAMESPACE } from "../../names/namespaces";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { ONE_AT_A_TIME } from "../core/disruption-budget";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";
import { CONSUMER_HEADER } from "./names";
import { rateLimiterConfig } from "./rate-limiter";

const controller = burstable({ cpu: 0.1, memoryGiB: 0.25 }, { cpu: 1, memoryGiB: 1 });
const helper = burstable({ cpu: 0.05, memoryGiB: 0.0625 }, { cpu: 0.5, memoryGiB: 0.5 });

/**
 * Values of gateway-helm.
 * @param countsQuotas whether a tenant has a quota: without one, no rate limit service runs.
 */
export function envoyGatewayValues(stage: Stage, countsQuotas: boolean): HelmValues {
  const limiter = countsQuotas ? rateLimiterConfig(stage) : undefined;
  return {
    deployment: {
      replicas: replicasOf(stage),
      priorityClassName: PRIORITY.platform.name,
      envoyGateway: { resources: quantities(controller) },
    },
    podDisruptionBudget: { ...ONE_AT_A_TIME },
    certgen: { job: { resources: quantities(helper) } },
    // Zone labels on proxy pods serve zone-aware routing only, and cost a webhook on every pod binding.
    topologyInjector: { enabled: false },
    config: {
      envoyGateway: {
        ...NEEDED_SETTINGS,
        gateway: { controllerName: GATEWAY_CONTROLLER },
        provider: {
          ...NEEDED_SETTINGS.provider,
          kubernetes: {
            ...NEEDED_SETTINGS.provider.kubernetes,
            // Again: templates/_helpers.tpl of 1.9.0 writes this at the root of the config, where it is ignored, and
            // the controller would wait for a webhook certificate that does not exist.
            proxyTopologyInjector: { disabled: true },
            ...limiter?.kubernetes,
          },
        },
        ...(limiter && { rateLimit: limiter.rateLimit }),
        logging: { level: { default: "info" } },
      },
    },
  };
}

/** Labels of the AI gateway's pods (ai-gateway-helm 1.0, _helpers.tpl). */
export const AI_GATEWAY_PODS = { "app.kubernetes.io/name": "ai-gateway-helm" } as const;

/** Where the AI gateway's controller finds the seed of its sessions. */
export const SESSION_SEED = { secret: "ai-gateway-session", variable: "MCP_SESSION_ENCRYPTION_SEED" } as const;

/**
 * Values of ai-gateway-helm. MCP is not used, but the chart's default for the seed of its sessions is public. The
 * chart knows the seed only as an argument of its container; the kubelet puts the variable there (templates/deployment.yaml
 * of v1.0.0), so that no value shows in the Deployment or in Helm's record.
 */
export function aiGatewayValues(stage: Stage, envoyGatewayNamespace = ENVOY_GATEWAY_NAMESPACE): HelmValues {
  const { secret, variable } = SESSION_SEED;
  return {
    controller: {
      replicaCount: replicasOf(stage),
      resources: quantities(controller),
      // The chart's defaults are empty.
      podSecurityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: "RuntimeDefault" } },
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      metricsRequestHeaderAttributes: `${CONSUMER_HEADER}:consumer`,
      mutatingWebhook: {
        certManager: { enable: true },
        // It answers for proxies of its own Gateway: those of others in the cluster start without it.
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": GATEWAY_NAMESPACE } },
      },
      mcp: { sessionEncryption: { seed: `$(${variable})` } },
      extraEnvVars: [{ name: variable, valueFrom: { secretKeyRef: { name: secret, key: variable } } }],
    },
    // Its errors quote requests that it cannot parse (internal/extproc/processor_impl.go of 1.0.0): prompts. The access log has their status.
    extProc: { logLevel: "error+1", extraEnvVars: [{ name: "DISABLE_PPROF", value: "true" }] },
    envoyGateway: { namespace: envoyGatewayNamespace },
  };
}
