/** From the plan's engines, tenants and gateway. */
import type { z } from "zod";
import { BYTES_PER_MIB } from "../../names/units";
import type { GatewayLimits } from "../../planner/gateway-limits";
import type { RequestTimes } from "../../planner/request-times";
import { mayName, type Tenant } from "../../planner/tenants";
import type { BackendKind } from "../../services/model-control/src/backends/backend";
import type { relaySchema } from "../../services/model-control/src/relay/config";
import { type ModelEndpoint, namesOf } from "../serving/endpoint";
import { workersOf } from "./api-settings";
import { MODEL_RELAY_PORTS } from "./names";
import type { OutsideWorker } from "./outside-worker";

export type RelaySettings = z.input<typeof relaySchema>;

/** Engine whose models change at run time; others have fixed models that the gateway knows. */
const RELAYED: BackendKind = "ollama";

/**
 * Bodies are parsed whole, and Node strings are limited to some hundred MiB: same limit as the
 * relay's schema.
 */
const MOST_BODY_BYTES = 128 * BYTES_PER_MIB;
/** Memory for concurrent bodies of usual size. */
const LEAST_HELD_BYTES = 64 * BYTES_PER_MIB;
/** Concurrent answers per replica. */
const PARALLEL_REQUESTS = 256;

export interface RelayArgs {
  readonly endpoints: readonly ModelEndpoint[];
  /** Engines outside the cluster. @default none */
  readonly workers?: readonly OutsideWorker[];
  readonly tenants: readonly Tenant[];
  readonly ollamaApi: boolean;
  readonly limits: Pick<GatewayLimits, "maxRequestBytes">;
  readonly times: RequestTimes;
}

/** Models whose engines the relay queries. */
export function relayedEndpoints(endpoints: readonly ModelEndpoint[]): ModelEndpoint[] {
  return endpoints.filter(({ control }) => control?.backend === RELAYED);
}

export function relayedWorkers(workers: readonly OutsideWorker[]): OutsideWorker[] {
  return workers.filter(({ backend }) => backend === RELAYED);
}

/** Whether an engine has models that change at run time. */
export function needsRelay(engines: readonly string[], workers: readonly OutsideWorker[]): boolean {
  return engines.includes(RELAYED) || relayedWorkers(workers).length > 0;
}

export function relaySettings({
  endpoints,
  workers = [],
  tenants,
  ollamaApi,
  limits,
  times,
}: RelayArgs): RelaySettings {
  const { http, admin } = MODEL_RELAY_PORTS;
  const bodyBytes = Math.min(limits.maxRequestBytes, MOST_BODY_BYTES);
  return {
    listen: { host: "0.0.0.0", port: http, adminPort: admin },
    workers: [
      ...relayedEndpoints(endpoints).flatMap((endpoint) =>
        workersOf(endpoint).map(({ name, url, pins: planned = [] }) => ({
          name,
          url,
          // The gateway gives it its share of the planned model's requests.
          ...(endpoint.revisionOf && { except: [...planned] }),
        })),
      ),
      ...relayedWorkers(workers).map(({ name, address }) => ({ name, url: address.url })),
    ],
    tenants: Object.fromEntries(tenants.map((tenant) => [tenant.name, rightsOf(tenant, endpoints)])),
    ollamaApi,
    limits: {
      bodyBytes,
      heldBytes: Math.max(LEAST_HELD_BYTES, 2 * bodyBytes),
      parallelRequests: PARALLEL_REQUESTS,
      idleSeconds: times.streamIdleTimeoutSeconds,
      requestSeconds: times.requestTimeoutSeconds,
      drainSeconds: times.drainSeconds,
    },
  };
}

/**
 * Tenants limited to some models reach no others here, so none loaded at run time. Tenants with
 * token quotas may use only the API whose tokens are counted.
 */
function rightsOf(tenant: Tenant, endpoints: readonly ModelEndpoint[]): RelaySettings["tenants"][string] {
  const { models, tokensPerMinute } = tenant;
  const own = models && endpoints.filter(({ model, revisionOf }) => models.includes(revisionOf?.model ?? model));
  return {
    ...(own && { models: [...new Set(own.flatMap((each) => namesFor(each, tenant)))] }),
    ollamaApi: tokensPerMinute === undefined,
  };
}

function namesFor(endpoint: ModelEndpoint, tenant: Tenant): readonly string[] {
  const { model, revisionOf } = endpoint;
  return namesOf(endpoint).filter((name) => mayName(tenant, revisionOf?.model ?? model, name));
}

/**
 * Memory of a replica, GiB: Node, running answers, each waiting body twice (raw and forwarded), and
 * one being parsed at about six times its bytes.
 */
export function relayMemoryGiB({ limits }: Pick<RelaySettings, "limits">): number {
  const { bodyBytes = 0, heldBytes = 0 } = limits ?? {};
  const MIB = BYTES_PER_MIB;
  const mib = 256 + (2 * heldBytes + 6 * bodyBytes) / MIB;
  return Math.ceil(mib / 256) / 4;
}
