import { z } from "zod";
import { BACKENDS, isToldItsModels } from "./backends/backend";
import { hasCredentials, httpUrl, idleTime, port, seconds } from "./config-fields";
import { checkFile } from "./config-file";
import { messageOf } from "./errors";
import { AUTOSCALER_KINDS } from "./fleet/workers";
import { DEFAULT_REGISTRY, type NameRules, parseModelName } from "./model-name";

const bytes = z.int().positive();
const file = z.string().min(1, "a file's path");

const redisUrl = z
  .url({ protocol: /^rediss?$/, error: "a redis or rediss address such as redis://127.0.0.1:6379" })
  .refine((url) => !hasCredentials(url), 'an address without a password in it; put the password in "passwordFile"');

/** Registry as in model names: host in lower case, port unless it is the default. */
const registry = z
  .string()
  .regex(/^[a-z0-9_][a-z0-9_.-]{0,252}(:[0-9]{1,5})?$/, "a host such as hf.co or 127.0.0.1:5000");

const loopbackRegistry = registry.refine(
  (host) => /^(127(\.[0-9]{1,3}){3}|localhost)(:[0-9]+)?$/.test(host),
  "a loopback host such as 127.0.0.1:5000: pulls without TLS stay on this machine",
);

const kubernetesName = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, "a Kubernetes object's name");

const worker = z.strictObject({
  /** Name in the API and in tasks. */
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "small letters, digits and hyphens, at most 63"),
  backend: z.enum(BACKENDS),
  /** Base URL of the engine, without a path. */
  url: httpUrl,
  /** Memory limit of its models, in bytes: GPU memory, or system memory without a GPU. */
  memoryBytes: bytes,
  /** Disk limit of its models, in bytes. @default unlimited */
  diskBytes: bytes.optional(),
  /** Models served from startup, in the engine's spelling. */
  models: z.array(z.string().min(1)).default([]),
  /** Models that are never evicted. */
  pins: z.array(z.string().min(1)).default([]),
  /** Models that may be unloaded, but never deleted from disk. Includes pinned models. */
  keeps: z.array(z.string().min(1)).optional(),
  /** Workload that stopping scales to zero. @default none: stopping only unloads models */
  scale: z
    .strictObject({
      namespace: kubernetesName,
      kind: z.enum(["StatefulSet", "Deployment"]),
      name: kubernetesName,
      /** Replica count for a start when the previous count is unknown. */
      replicas: z.int().min(1).max(1000).default(1),
      /** Autoscaler of the workload. A stop pauses KEDA's. @default none */
      autoscaler: z.strictObject({ kind: z.enum(AUTOSCALER_KINDS), name: kubernetesName }).optional(),
      /**
       * Ordinal of the worker's pod in a StatefulSet: the pod is absent at this replica count or
       * below.
       */
      ordinal: z.int().min(0).max(999).default(0),
    })
    .optional(),
});

/**
 * Asynchronous inference. The queue's server keeps prompts and answers encrypted, for a limited
 * time.
 */
const inference = z.strictObject({
  /**
   * Encryption keys of prompts and answers: see `src/inference/key-file.ts`. Reloaded on change.
   */
  keyFile: file,
  /**
   * Parallel answers over all API replicas: about what the engines generate at once. With several,
   * one is reserved for other callers.
   */
  concurrency: z.int().min(1).max(256).default(4),
  /** Retention of a finished answer. */
  keepSeconds: seconds.default(3600),
  /** Expiry of an unfinished task and its prompts. */
  lifeSeconds: seconds.default(24 * 3600),
  /** Length of an answer: default and maximum of a request. */
  tokens: allowance(500, 8192, 1024 * 1024),
  /** Time limit of an answer, from the call to the engine. */
  seconds: allowance(120, 600, 24 * 3600),
  /** Silence within an answer after which the call is cancelled. */
  idleSeconds: seconds.default(30),
  /** Attempts per prompt; none after an answer's first token. */
  attempts: z.int().min(1).max(20).default(3),
  /** All prompts of a request. */
  promptBytes: z
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(1024 * 1024),
  /** Prompts per request. */
  prompts: z.int().min(1).max(10_000).default(100),
  /** One answer. */
  answerBytes: z
    .int()
    .min(1024)
    .max(16 * 1024 * 1024)
    .default(256 * 1024),
  /** Unfinished tasks per caller, and in total. */
  queuedPerCaller: z.int().min(1).max(100_000).default(500),
  queued: z.int().min(1).max(100_000).default(5_000),
  /** Polls until a task's model is loaded: maximum count and interval. */
  wait: z.strictObject({ polls: z.int().min(1).max(100_000).default(60), seconds: seconds.default(5) }).prefault({}),
  /** Time for running answers to end at shutdown. */
  drainSeconds: z.number().positive().max(600).default(8),
});

function allowance(usual: number, most: number, bound: number) {
  const number = z.int().min(1).max(bound);
  return z
    .strictObject({ default: number.default(Math.min(usual, most)), max: number.default(most) })
    .refine((value) => value.default <= value.max, "a default that is no more than the max")
    .prefault({});
}

/** Configuration of the model control API. Durations are in seconds, sizes in bytes. */
export const configSchema = z
  .strictObject({
    listen: z
      .strictObject({
        /** Loopback only; containers need `0.0.0.0`. */
        host: z.string().min(1).default("127.0.0.1"),
        port: port.default(1994),
        metricsPort: port.default(9464),
        /** Number of trusted proxies: the farthest of them reports the caller's address. */
        proxies: z.int().min(0).max(5).default(0),
      })
      .prefault({}),
    redis: z.strictObject({ url: redisUrl, passwordFile: file.optional() }),
    /** Tokens of callers: see `src/auth/token-file.ts`. Reloaded on change. */
    tokensFile: file,
    registries: z
      .strictObject({
        allowed: z.array(registry).default([DEFAULT_REGISTRY]),
        /** Allowed registries without TLS. */
        insecure: z.array(loopbackRegistry).default([]),
      })
      .prefault({}),
    workers: z.array(worker).min(1, "at least one worker"),
    idle: z
      .strictObject({
        /** Idle time after which a model is unloaded. Pinned models stay loaded. */
        seconds: idleTime.default("never"),
        /** Overrides per model name. */
        models: z.record(z.string(), idleTime).default({}),
      })
      .prefault({}),
    pulls: z
      .strictObject({
        /** Parallel pulls over all API replicas. */
        concurrency: z.int().min(1).max(64).default(3),
        /** Unfinished pulls per caller, and in total; same again for loads and wakes. */
        queuedPerCaller: z.int().min(1).max(10_000).default(50),
        queued: z.int().min(1).max(10_000).default(500),
        /** Attempts per pull. */
        attempts: z.int().min(1).max(20).default(5),
        /** Delay before the second attempt; doubles after each failure. */
        backoffSeconds: seconds.default(5),
        /** Time after which a pull yields to another caller's, and continues at its next turn. */
        turnSeconds: seconds.default(600),
        /** Time limit per attempt, for all tasks. */
        timeoutSeconds: seconds.default(2 * 3600),
      })
      .refine(({ queuedPerCaller, queued }) => queuedPerCaller <= queued, {
        path: ["queuedPerCaller"],
        error: 'no more than "queued": one caller would keep all others out',
      })
      .prefault({}),
    limits: z
      .strictObject({
        bodyBytes: z
          .int()
          .min(1024)
          .max(1024 * 1024)
          .default(64 * 1024),
        /** Time limit for receiving a request, and for answering it. */
        requestTimeoutSeconds: seconds.default(15),
        /** Per token and API replica. */
        requestsPerMinute: z.int().min(1).default(600),
        /** Per address without a valid token. */
        anonymousRequestsPerMinute: z.int().min(1).default(120),
      })
      .prefault({}),
    /** Asynchronous inference. @default none */
    inference: inference.optional(),
    /** Receiver of traces. @default none */
    tracing: z.strictObject({ otlpEndpoint: httpUrl }).optional(),
  })
  .superRefine((config, context) => {
    const names = config.workers.map(({ name }) => name);
    config.workers.forEach(({ name, backend, models, pins, keeps = [] }, index) => {
      const issue = (path: (string | number)[], message: string) =>
        context.addIssue({ code: "custom", path: ["workers", index, ...path], message });
      if (names.indexOf(name) !== index) {
        issue(["name"], "a name that no other worker has");
      }
      const told = isToldItsModels(backend);
      if (told && models.length === 0) {
        issue(["models"], `the models that this ${backend} serves`);
      }
      if (!told && models.length > 0) {
        issue(["models"], `no models: ${backend} reports its models`);
      }
      for (const [field, named] of Object.entries({ pins, keeps })) {
        named.forEach((model, at) => {
          try {
            parseModelName(model, nameRules(config));
          } catch (error) {
            issue([field, at], `a model's name: ${messageOf(error)}`);
          }
        });
      }
    });
    for (const name of Object.keys(config.idle.models)) {
      try {
        parseModelName(name, nameRules(config));
      } catch (error) {
        const message = `a model's name: ${messageOf(error)}`;
        context.addIssue({ code: "custom", path: ["idle", "models", name], message });
      }
    }
    if (config.listen.port === config.listen.metricsPort) {
      context.addIssue({ code: "custom", path: ["listen", "metricsPort"], message: 'another port than "listen.port"' });
    }
  })
  // Normalizes model names.
  .transform((config) => {
    const rules = nameRules(config);
    const workers = config.workers.map((entry) => ({
      ...entry,
      pins: entry.pins.map((pin) => parseModelName(pin, rules)),
      ...(entry.keeps && { keeps: entry.keeps.map((kept) => parseModelName(kept, rules)) }),
    }));
    const times = Object.entries(config.idle.models).map(
      ([name, time]) => [parseModelName(name, rules), time] as const,
    );
    return { ...config, workers, idle: { ...config.idle, models: Object.fromEntries(times) } };
  });

export type ControlConfig = z.infer<typeof configSchema>;
export type InferenceConfig = NonNullable<ControlConfig["inference"]>;
export type WorkerConfig = ControlConfig["workers"][number];

export function nameRules(config: Pick<ControlConfig, "registries" | "workers">): NameRules {
  return {
    registries: [...new Set([...config.registries.allowed, ...config.registries.insecure])],
    fixed: [...new Set(config.workers.flatMap(({ models }) => models))],
  };
}

/**
 * Reads a YAML or JSON configuration file.
 *
 * @throws ConfigError with all problems.
 */
export function readConfig(path: string): ControlConfig {
  return checkFile(path, configSchema);
}
