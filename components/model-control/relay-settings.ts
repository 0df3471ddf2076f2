/** The configuration file of the relay, from what the plan gave the engines, the tenants and the gateway. Pure. */
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

/** What the relay reads, by its own schema. */
export type RelaySettings = z.input<typeof relaySchema>;

/** The engine whose models come and go at run time; others serve what they were started with, which the gateway knows. */
const RELAYED: BackendKind = "ollama";

/** Bodies are parsed whole, and a text of more than some hundred MiB is more than Node can hold: as the relay's own schema. */
const MOST_BODY_BYTES = 128 * BYTES_PER_MIB;
/** Room for bodies that arrive at the same time, of the size that most have. */
const LEAST_HELD_BYTES = 64 * BYTES_PER_MIB;
/** Answers under way at one replica. */
const PARALLEL_REQUESTS = 256;

export interface RelayArgs {
  readonly endpoints: readonly ModelEndpoint[];
  /** Engines outside of the cluster. @default none */
  readonly workers?: readonly OutsideWorker[];
  readonly tenants: readonly Tenant[];
  /** Whether clients may speak Ollama's own API. */
  readonly ollamaApi: boolean;
  readonly limits: Pick<GatewayLimits, "maxRequestBytes">;
  readonly times: RequestTimes;
}

/** Models of the environment whose engines the relay asks. */
export function relayedEndpoints(endpoints: readonly ModelEndpoint[]): ModelEndpoint[] {
  return endpoints.filter(({ control }) => control?.backend === RELAYED);
}

/** Engines outside that the relay asks. */
export function relayedWorkers(workers: readonly OutsideWorker[]): OutsideWorker[] {
  return workers.filter(({ backend }) => backend === RELAYED);
}

/** Whether there is an engine whose models come at run time. */
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
          // Its share of the planned model's requests is the gateway's to give.
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
 * Who is kept to some models reaches no others here, and so none that comes at run time. Who has a quota of tokens speaks the API
 * whose tokens are counted.
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
 * Memory of a replica, GiB: Node itself and answers under way, all bodies that wait twice (as they came, and as they go), and one that is
 * being read, whose text and values take some six times its bytes.
 */
export function relayMemoryGiB({ limits }: Pick<RelaySettings, "limits">): number {
  const { bodyBytes = 0, heldBytes = 0 } = limits ?? {};
  const MIB = BYTES_PER_MIB;
  const mib = 256 + (2 * heldBytes + 6 * bodyBytes) / MIB;
  return Math.ceil(mib / 256) / 4;
}
