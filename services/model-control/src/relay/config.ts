import { z } from "zod";
import { httpUrl, port, seconds } from "../config-fields";
import { checkFile } from "../config-file";

/** Bodies are buffered to find the model and remove fields that would modify the worker. */
const MOST_BODY_BYTES = 128 * 2 ** 20;

const worker = z.strictObject({
  /** Name in the model control API. */
  name: z.string().min(1).max(63),
  /** Base URL of Ollama, without a path. */
  url: httpUrl,
  /** Names on its disk that other workers serve, such as a canary's planned models. */
  except: z.array(z.string().min(1)).default([]),
});

const tenant = z.strictObject({
  /** Models it may call. @default all, including those added at run time */
  models: z.array(z.string().min(1)).optional(),
  /** Whether it may use Ollama's native API. */
  ollamaApi: z.boolean().default(true),
});

/** Configuration of the relay. Durations are in seconds, sizes in bytes. */
export const relaySchema = z.strictObject({
  listen: z
    .strictObject({
      host: z.string().min(1).default("127.0.0.1"),
      port: port.default(1995),
      /** Metrics and probes. */
      adminPort: port.default(9464),
    })
    .prefault({}),
  /** Ollama servers that may have a model. */
  workers: z.array(worker).min(1, "at least one worker"),
  /** Allowed callers, by their name at the gateway. */
  tenants: z.record(z.string().min(1), tenant),
  /** Whether to serve Ollama's native API in addition to OpenAI's. */
  ollamaApi: z.boolean().default(false),
  limits: z
    .strictObject({
      /** Of one request. */
      bodyBytes: z
        .int()
        .min(1024)
        .max(MOST_BODY_BYTES)
        .default(4 * 2 ** 20),
      /** Total of requests not yet sent to a worker; one tenant may hold half. */
      heldBytes: z
        .int()
        .min(1024)
        .default(64 * 2 ** 20),
      parallelRequests: z.int().min(1).max(10_000).default(512),
      /** Time limit to receive a request. */
      receiveSeconds: seconds.default(60),
      /** Silence of a worker, or of a client that does not read, that cuts an answer. */
      idleSeconds: seconds.default(600),
      /** Time limit of an answer. */
      requestSeconds: seconds.default(3600),
      /** Time for running answers to end at shutdown. */
      drainSeconds: seconds.default(120),
    })
    .prefault({}),
});

export type RelayConfig = z.infer<typeof relaySchema>;
export type RelayLimits = RelayConfig["limits"];

/** @throws ConfigError with all problems. */
export function readRelayConfig(path: string): RelayConfig {
  return checkFile(path, relaySchema);
}
