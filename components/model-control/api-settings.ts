/** Configuration file of the model control API, from the plan's engines. */

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

export const API_FILES = {
  config: { folder: "/etc/model-control", file: "config.json" },
  tokens: { folder: "/run/model-control/tokens", file: "tokens.json" },
  queue: { folder: "/run/model-control/queue", file: "password" },
  /** Only with asynchronous inference. */
  keys: { folder: "/run/model-control/keys", file: "keys.json" },
} as const;

type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

/** Input of the API's own schema, which has defaults. */
export type ApiSettings = Immutable<z.input<typeof configSchema>>;

export type Worker = ApiSettings["workers"][number];

/** Share of a volume for models: the rest is for the file system and failed pulls. */
const DISK_SHARE = 0.9;

/** When idle models are unloaded. */
export interface IdleArgs {
  /** Idle seconds of unplanned models. @default never */
  readonly seconds?: number | undefined;
  /** Per model: planned ones by key, others by name. */
  readonly models: Readonly<Record<string, number | "never">>;
}

const NOTHING_IDLE: IdleArgs = { models: {} };

export interface ApiArgs {
  /** Models of the environment; those without `control` are skipped. */
  readonly endpoints: readonly ModelEndpoint[];
  readonly workers: readonly OutsideWorker[];
  readonly allowedRegistries: readonly string[];
  /** Trusted proxies for external clients: the gateway, or none. */
  readonly proxies: 0 | 1;
  /** @default models are never unloaded automatically */
  readonly idle?: IdleArgs;
  /** @default no asynchronous inference */
  readonly inference?: NonNullable<ApiSettings["inference"]>;
  /** Where spans are reported. @default none */
  readonly traces?: TraceReceiver | undefined;
}

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

/** By engine model names: each planned model under all of its names. */
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

/**
 * External engines have no planned models, and are not scaled here: stopping one unloads its
 * models.
 */
function outsideWorker({ name, backend, address, memoryGiB, diskGiB, models }: OutsideWorker): Worker {
  return {
    name,
    backend,
    url: address.url,
    memoryBytes: Math.floor(memoryGiB * BYTES_PER_GIB),
    // Exact sizes: the worker's owner states what models may use.
    ...(diskGiB !== undefined && { diskBytes: Math.floor(diskGiB * BYTES_PER_GIB) }),
    ...(isToldItsModels(backend) && { models: [...models] }),
  };
}

export function path(of: keyof typeof API_FILES): string {
  const { folder, file } = API_FILES[of];
  return `${folder}/${file}`;
}

/**
 * Engine processes of a model as workers, numbered if several. A planned model is pinned, unless it
 * has an idle time: then it can be unloaded, but stays on disk.
 */
export function workersOf(
  { model, servedName, namespace, scale, control }: ModelEndpoint,
  { models: times }: IdleArgs = NOTHING_IDLE,
): Worker[] {
  // The API supports only Kubernetes' own controllers.
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
