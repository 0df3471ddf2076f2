import { ENVOY_GATEWAY_NAMESPACE } from "../../names/namespaces";
import { RESTRICTED_CONTAINER } from "../../names/pod-security";
import { serviceFqdn } from "../../names/service-host";
import { VALKEY_PORT } from "../../names/services";
import type { Stage } from "../../planner/types";
import type { HelmValues } from "../core/chart-release";
import { ENVOY_GATEWAY_BUDGET } from "../core/disruption-budget";
import { spread } from "../core/hardened-pod";
import { PRIORITY } from "../core/priority-classes";
import { replicasOf } from "../core/replicas";
import { burstable, quantities } from "../core/resources";
import { PASSWORD_KEY } from "../core/valkey";
import { RATE_LIMIT_STORE, rateLimiterPods } from "./names";

/**
 * What happens to requests of tenants with quotas while the counter is down. In production they pass: a counter that is away must not
 * become an outage of all models, which have limits of their own, and an alert reports that quotas are not enforced. In development
 * they answer 500, so that a mistake here is seen at once. Requests of tenants without quotas always pass.
 */
const FAIL_CLOSED: Readonly<Record<Stage, boolean>> = { production: false, development: true };

/**
 * How long a proxy waits for an answer. Envoy's default of 20 ms is less than a store in another zone takes in a bad moment, and
 * each miss would be an uncounted request; compared to the time to a first token this is little.
 */
const TIMEOUT = "250ms";

/**
 * Part of Envoy Gateway's configuration that makes it run the rate limit service: `EnvoyGateway.rateLimit` and
 * `provider.kubernetes.rateLimit*` of 1.9.0. Its image comes with the chart.
 */
export function rateLimiterConfig(stage: Stage): { readonly rateLimit: HelmValues; readonly kubernetes: HelmValues } {
  return {
    rateLimit: {
      backend: {
        type: "Redis",
        redis: { url: `${serviceFqdn(RATE_LIMIT_STORE, ENVOY_GATEWAY_NAMESPACE)}:${VALKEY_PORT}` },
      },
      timeout: TIMEOUT,
      failClosed: FAIL_CLOSED[stage],
    },
    kubernetes: {
      rateLimitDeployment: {
        replicas: replicasOf(stage),
        container: {
          env: [{ name: "REDIS_AUTH", valueFrom: { secretKeyRef: { name: RATE_LIMIT_STORE, key: PASSWORD_KEY } } }],
          resources: quantities(burstable({ cpu: 0.05, memoryGiB: 0.0625 }, { cpu: 1, memoryGiB: 0.25 })),
          securityContext: SECURITY_CONTEXT,
        },
        pod: { topologySpreadConstraints: spread(rateLimiterPods.podLabels).map((each) => ({ ...each })) },
        // Fields of a pod that Envoy Gateway has no setting for; of `pod.priorityClassName` it makes nothing here.
        patch: {
          type: "StrategicMerge",
          value: {
            spec: {
              template: {
                spec: {
                  enableServiceLinks: false,
                  priorityClassName: PRIORITY.platform.name,
                  // A call takes milliseconds, and Envoy Gateway's default is 300 s.
                  terminationGracePeriodSeconds: 30,
                },
              },
            },
          },
        },
      },
      ...(replicasOf(stage) > 1 && { rateLimitPDB: ENVOY_GATEWAY_BUDGET }),
    },
  };
}

/** As Pod Security `restricted` asks; user and group are Envoy Gateway's defaults for it. */
const SECURITY_CONTEXT = {
  ...RESTRICTED_CONTAINER,
  privileged: false,
  runAsGroup: 65534,
  runAsNonRoot: true,
  runAsUser: 65534,
  seccompProfile: { type: "RuntimeDefault" },
};
