/** How proxies find out that a replica answers nothing, while no request to it has failed yet. */
import type { ModelEndpoint } from "../serving/endpoint";
import type { BackendPart } from "./backend-policies";
import type { OutsideAccess } from "./published";

/**
 * A replica that takes connections and never answers fails no request before `requestTimeoutSeconds`, so counting failures
 * (`towardsBackends`) does not find it. The kubelet does, and its Service then drops it: three probes of 10 s, and the next look
 * at DNS. This is three times 6 s, and one replica that is slow to answer three times is spared while another is not. Until a
 * minute after a proxy's first request to a model it may take that minute more: Envoy asks what no request has reached every
 * 60 s (no_traffic_interval, which Envoy Gateway 1.9 has no field for). Measured: docs/operations.md.
 */
const CHECK = { interval: "3s", timeout: "3s", unhealthyThreshold: 3, healthyThreshold: 1 } as const;

/**
 * Path on which everything that answers a model's requests says that it has its model. Undefined where it has revisions on
 * another engine, which says so elsewhere: proxies ask all of them on one path.
 */
export function readyPath(
  { model, readyPath: path }: Pick<ModelEndpoint, "model" | "readyPath">,
  endpoints: readonly Pick<ModelEndpoint, "readyPath" | "revisionOf">[],
): string | undefined {
  const revisions = endpoints.filter(({ revisionOf }) => revisionOf?.model === model);
  return revisions.every((revision) => revision.readyPath === path) ? path : undefined;
}

/**
 * Asks each replica on that path; nothing is asked without one. Where fewer than half are well, Envoy asks them all as
 * before (its panic threshold of 50 %): of a single replica, or of all that are too busy to answer in time, none
 * could take the requests.
 */
export function healthPart(path: string | undefined): BackendPart | undefined {
  return path === undefined
    ? undefined
    : { healthCheck: { active: { ...CHECK, type: "HTTP", http: { path, expectedStatuses: [200] } } } };
}

/** Of a server outside: as many proxies as there are ask it, and its owner counts that. */
const OUTSIDE_CHECK = { ...CHECK, interval: "30s", timeout: "5s" } as const;

/** The same of a server outside, whose only address stays in use whatever it says; the proxies' series have what it said. */
export function outsideHealthPart({
  outside: { health },
}: {
  readonly outside: Pick<OutsideAccess, "health">;
}): BackendPart | undefined {
  return (
    health && {
      healthCheck: {
        active: {
          ...OUTSIDE_CHECK,
          type: "HTTP",
          http: { path: health.path, expectedStatuses: [...health.healthy] },
        },
      },
    }
  );
}

/** The same over gRPC, of servers with gRPC's own health service, which Triton has since 22.10: it answers for the whole server. */
export function grpcHealthPart(): BackendPart & Required<Pick<BackendPart, "healthCheck">> {
  return { healthCheck: { active: { ...CHECK, type: "GRPC" } } };
}
