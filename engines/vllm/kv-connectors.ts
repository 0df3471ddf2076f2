/** KV cache storage besides GPUs: `kv-offloading-*` and `kv-transfer-config`. */
import { parseJson } from "../../names/json-text";
import { BYTES_PER_GIB } from "../../names/units";
import { isPlainObject } from "../../planner/model/config-source";
import type { ArgumentValue } from "../served-model";

/** One connector of `KVTransferConfig` (config/kv_transfer.py of 0.10.2 to 0.33.0). */
export interface KvConnector {
  readonly name: string;
  /** `kv_connector_extra_config`. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/**
 * `LMCacheMPConnector`, selected by `kv-offloading-backend: lmcache` since 0.23.0 (config/vllm.py
 * of 0.22.0 and 0.23.0); older releases select LMCacheConnectorV1.
 */
const NEEDS_SERVER =
  "vLLM 0.23.0 and newer look for LMCache's own server at localhost:5555, which no pod of the platform runs; kv-transfer-config with LMCacheConnectorV1 keeps blocks in the pod's memory";

/**
 * Connectors of `kv-transfer-config`, including those in a MultiConnector (multi_connector.py of
 * 0.10.0 to 0.33.0).
 */
export function kvConnectors(value: ArgumentValue | undefined): readonly KvConnector[] {
  const config = typeof value === "string" ? parseJson(value) : value;
  if (!isPlainObject(config)) {
    return [];
  }
  const { kv_connector: name, kv_connector_extra_config: given } = config;
  const extra = isPlainObject(given) ? given : {};
  const parts: readonly unknown[] = Array.isArray(extra.connectors) ? extra.connectors : [];
  return [
    ...(typeof name === "string" ? [{ name, extra }] : []),
    ...parts.flatMap((part) => (isPlainObject(part) ? kvConnectors(part) : [])),
  ];
}

const CONNECTOR_FLAGS = ["kv-transfer-config", "kv-offloading-size", "kv-offloading-backend", "ec-transfer-config"];

/** Whether options enable a connector, which reads request fields. */
export function asksConnectors(args: Readonly<Record<string, unknown>> | undefined): boolean {
  return CONNECTOR_FLAGS.some((flag) => args?.[flag] !== undefined);
}

/** Allowed values if a flag's value is invalid; undefined if valid. */
export function kvFlagFault(flag: string, value: ArgumentValue): string | undefined {
  switch (flag) {
    case "kv-offloading-size":
      return (amount(value) ?? 0) > 0 ? undefined : "GiB above 0";
    case "kv-offloading-backend":
      return value === "lmcache" ? `native: with lmcache ${NEEDS_SERVER}` : undefined;
    case "kv-transfer-config":
      return kvConnectors(value).flatMap((connector) => connectorFault(connector) ?? [])[0];
    default:
      return undefined;
  }
}

const SIZES = ["cpu_bytes_to_use", "cpu_bytes_to_use_per_rank"];

function connectorFault({ name, extra }: KvConnector): string | undefined {
  if (name === "LMCacheMPConnector") {
    return `a connector other than LMCacheMPConnector: ${NEEDS_SERVER}`;
  }
  if (extra["lmcache.local_disk"] !== undefined && extra["lmcache.local_disk"] !== null) {
    return "mappings without lmcache.local_disk: the plan has no disk for LMCache's blocks; lmcache.max_local_cpu_size is its part of the pod's memory";
  }
  const size = SIZES.find((key) => extra[key] !== undefined && bytes(extra[key]) === undefined);
  return size === undefined ? undefined : `mappings whose ${size} is a number of bytes, such as 8589934592 or 8G`;
}

/** Non-negative number from YAML or text. */
export function amount(value: unknown): number | undefined {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

/**
 * Bytes in vLLM's notation: 8589934592, 8g (decimal), 8G (binary) (utils/argparse_utils.py of
 * 0.33.0).
 */
function bytes(value: unknown): number | undefined {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([kKmMgGtT]?)$/.exec(String(value)) ?? [];
  const base = unit === unit.toLowerCase() ? 1000 : 1024;
  return digits === undefined
    ? undefined
    : Number(digits) * base ** ["", "k", "m", "g", "t"].indexOf(unit.toLowerCase());
}

export function gibOf(value: unknown): number | undefined {
  const size = value === undefined ? undefined : bytes(value);
  return size === undefined ? undefined : size / BYTES_PER_GIB;
}
