import { z } from "zod";
import { httpUrl, port, seconds } from "../config-fields";
import { checkFile } from "../config-file";

/** Bodies of requests are read whole, to find the model and take out what would change the worker. */
const MOST_BODY_BYTES = 128 * 2 ** 20;

const worker = z.strictObject({
  /** As the model control API names it. */
  name: z.string().min(1).max(63),
  /** Ollama's address, without a path. */
  url: httpUrl,
  /** Names that it has and that are others' to answer: a canary's planned models. */
  except: z.array(z.string().min(1)).default([]),
});

const tenant = z.strictObject({
  /** Names that it may call. Not set: all, those included that come at run time. */
  models: z.array(z.string().min(1)).optional(),
  /** Whether it may speak Ollama's own API. */
  ollamaApi: z.boolean().default(true),
});

/** The configuration of the relay. Durations are in seconds, sizes in bytes. */
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
  /** Who may call, by the name that the gateway gives them. */
  tenants: z.record(z.string().min(1), tenant),
  /** Whether Ollama's own API is answered, beside OpenAI's. */
  ollamaApi: z.boolean().default(false),
  limits: z
    .strictObject({
      /** Of one request. */
      bodyBytes: z
        .int()
        .min(1024)
        .max(MOST_BODY_BYTES)
        .default(4 * 2 ** 20),
      /** Of all requests together that have not been handed to a worker; those of one tenant have half of it at most. */
      heldBytes: z
        .int()
        .min(1024)
        .default(64 * 2 ** 20),
      parallelRequests: z.int().min(1).max(10_000).default(512),
      /** For a request to arrive. */
      receiveSeconds: seconds.default(60),
      /** Silence of a worker, or of a client that does not read, after which an answer is cut. */
      idleSeconds: seconds.default(600),
      /** For a whole answer. */
      requestSeconds: seconds.default(3600),
      /** For running answers after the process was told to end. */
      drainSeconds: seconds.default(120),
    })
    .prefault({}),
});

export type RelayConfig = z.infer<typeof relaySchema>;
export type RelayLimits = RelayConfig["limits"];

/** @throws ConfigError that lists every problem at once. */
export function readRelayConfig(path: string): RelayConfig {
  return checkFile(path, relaySchema);
}
