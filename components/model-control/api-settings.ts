/** The configuration file of the model control API, from what the plan gave the engines. Pure. */

import type { z } from "zod";
import { MODEL_CONTROL_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { QUEUE, VALKEY_PORT } from "../../names/services";
import { otlpHttp, type TraceReceiver } from "../../names/trace-receiver";
import { BYTES_PER_GIB } from "../../names/units";
import { isToldItsModels } from "../../services/model-control/src/backends/backend";
import type { configSchema } from "../../services/model-control/src/config";
import type { EngineControl, ModelEndpoint } from "../serving/endpoint";
import { MODEL_CONTROL_PORTS } from "./names";
import type { OutsideWorker } from "./outside-worker";

/** Files that are mounted into an API pod. */
export const API_FILES = {
  config: { folder: "/etc/model-control", file: "config.json" },
  tokens: { folder: "/run/model-control/tokens", file: "tokens.json" },
  queue: { folder: "/run/model-control/queue", file: "password" },
  /** Only where there is asynchronous inference. */
  keys: { folder: "/run/model-control/keys", file: "keys.json" },
} as const;

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

/** What the API reads, by its own schema; what is left out has a default there. */
export type ApiSettings = Immutable<z.input<typeof configSchema>>;

/** One engine process that the API drives. */
export type Worker = ApiSettings["workers"][number];

/**
 * Share of a volume that models may fill: the rest is for what the file system keeps to itself, and for the parts of a
 * pull that failed, until they are removed.
 */
const DISK_SHARE = 0.9;

/** When models that nobody uses leave memory. */
export interface IdleArgs {
  /** Time without use, in seconds, of models that are not planned. @default never */
  readonly seconds?: number | undefined;
  /** The same of single models: planned ones by their keys, others by their names. */
  readonly models: Readonly<Record<string, number | "never">>;
}

const NOTHING_IDLE: IdleArgs = { models: {} };

export interface ApiArgs {
  /** Models of the environment; those without `control` are left out. */
  readonly endpoints: readonly ModelEndpoint[];
  /** Engines outside of the cluster. */
  readonly workers: readonly OutsideWorker[];
  readonly allowedRegistries: readonly string[];
  /** Proxies that strangers come through: the gateway, or none. */
  readonly proxies: 0 | 1;
  /** @default no model leaves memory by itself */
  readonly idle?: IdleArgs;
  /** @default there is no asynchronous inference */
  readonly inference?: NonNullable<ApiSettings["inference"]>;
  /** Where spans are reported. @default nowhere */
  readonly traces?: TraceReceiver | undefined;
}

/** The settings of an API in front of these models, and of engines outside. */
export function apiSettings(args: ApiArgs): ApiSettings {
  const { endpoints, workers, allowedRegistries, proxies, idle, inference, traces } = args;
  const { http, metrics } = MODEL_CONTROL_PORTS;
  return {
    listen: { host: "0.0.0.0", port: http, metricsPort: metrics, proxies },
    redis: {
      url: `redis://${serviceHost(QUEUE, MODEL_CONTROL_NAMESPACE)}:${VALKEY_PORT}`,
      passwordFile: path("queue"),
    },
    tokensFile: path("tokens"),
    registries: { allowed: allowedRegistries },
    workers: [...endpoints.flatMap((endpoint) => workersOf(endpoint, idle)), ...workers.map(outsideWorker)],
    ...(idle && hasTimes(idle) && { idle: idleSettings(idle, endpoints) }),
    ...(inference && { inference }),
    ...(traces && { tracing: { otlpEndpoint: otlpHttp(traces) } }),
  };
}

function hasTimes({ seconds, models }: IdleArgs): boolean {
  return seconds !== undefined || Object.keys(models).length > 0;
}

/** By the names that engines know: each planned model under all of its own. */
function idleSettings(
  { seconds, models }: IdleArgs,
  endpoints: readonly ModelEndpoint[],
): NonNullable<ApiSettings["idle"]> {
  const planned = endpoints.flatMap(({ control }) => control?.planned ?? []);
  const times = Object.entries(models).flatMap(([key, time]) => {
    const names = planned.find(({ model }) => model === key)?.names ?? [key];
    return names.map((name) => [name, time] as const);
  });
  return { ...(seconds !== undefined && { seconds }), models: Object.fromEntries(times) };
}

/** An engine outside has nothing planned to keep, and nobody here scales it: stopping it unloads its models. */
function outsideWorker({ name, backend, address, memoryGiB, diskGiB, models }: OutsideWorker): Worker {
  return {
    name,
    backend,
    url: address.url,
    memoryBytes: Math.floor(memoryGiB * BYTES_PER_GIB),
    // No share of it is anybody else's: who names the worker says what models may take.
    ...(diskGiB !== undefined && { diskBytes: Math.floor(diskGiB * BYTES_PER_GIB) }),
    ...(isToldItsModels(backend) && { models: [...models] }),
  };
}

/** Path of a file in an API pod. */
export function path(of: keyof typeof API_FILES): string {
  const { folder, file } = API_FILES[of];
  return `${folder}/${file}`;
}

/**
 * A model's engine processes as workers: named after the model, and numbered where there are several. A planned model is pinned, unless
 * it has an idle time: then it leaves memory, for its time or for others, and never the disk.
 */
export function workersOf(
  { model, servedName, namespace, scale, control }: ModelEndpoint,
  { models: times }: IdleArgs = NOTHING_IDLE,
): Worker[] {
  // The API knows the controllers of Kubernetes itself only.
  if (control === undefined || scale?.apiVersion !== "apps/v1") {
    return [];
  }
  const { backend, engines, memoryGiB, diskGiB, planned, replicas, autoscaler } = control;
  const namesOfAll = (models: EngineControl["planned"]) => [...new Set(models.flatMap(({ names }) => names))];
  const leaving = planned.filter((each) => typeof times[each.model] === "number");
  const keeps = namesOfAll(leaving);
  return engines.map((url, ordinal) => ({
    name: engines.length === 1 ? model : `${model}-${ordinal}`,
    backend,
    url,
    memoryBytes: Math.floor(memoryGiB * BYTES_PER_GIB),
    ...(diskGiB !== undefined && { diskBytes: Math.floor(diskGiB * DISK_SHARE * BYTES_PER_GIB) }),
    ...(isToldItsModels(backend) && { models: [servedName] }),
    pins: namesOfAll(planned.filter((each) => !leaving.includes(each))),
    ...(keeps.length > 0 && { keeps }),
    scale: {
      namespace,
      kind: scale.kind,
      name: scale.name,
      replicas,
      ...(autoscaler && { autoscaler, ordinal }),
    },
  }));
}
