import { selectorLabels } from "../../names/labels";
import { BETA9_NAMESPACE } from "../../names/namespaces";
import type { PodSelection } from "../core/connections";

/** Helm release; the chart names its objects after it. */
export const BETA9_RELEASE = "beta9";

/** Service of the gateway: a dedicated one, so that its ports do not collide. */
export const GATEWAY_SERVICE = `${BETA9_RELEASE}-gateway`;

/** gRPC for clients and workers, HTTP for API and invocations. */
export const GATEWAY_PORTS = { grpc: 1993, http: 1994 };

/** 200 without a token if database and Redis are reachable. */
export const HEALTH_PATH = "/api/v1/health";

/** The gateway's pods, by labels that the chart gives them. */
export const gatewayPods: PodSelection = {
  namespace: BETA9_NAMESPACE,
  podLabels: selectorLabels("beta9", BETA9_RELEASE),
};

/** Label that Beta9 gives the pods of its worker Jobs. */
export const workerPods = { "run.beam.cloud/role": "worker" };

/** Gateway configuration, in `/etc/beta9.d`. */
export const SETTINGS = { configMap: "beta9-settings", file: "settings.yaml" };
export const CREDENTIALS = { secret: "beta9-credentials", file: "settings-credentials.yaml" };

/** Chart names of disabled databases, as aliases of the real hosts. */
export const BACKEND_ALIASES = {
  postgres: "postgresql",
  redis: "redis-master",
  juicefsRedis: "juicefs-redis-master",
} as const;
