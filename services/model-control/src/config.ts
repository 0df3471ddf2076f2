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

/** A registry as names write it: its host in small letters, with the port where it is not the default one. */
const registry = z
  .string()
  .regex(/^[a-z0-9_][a-z0-9_.-]{0,252}(:[0-9]{1,5})?$/, "a host such as hf.co or 127.0.0.1:5000");

const loopbackRegistry = registry.refine(
  (host) => /^(127(\.[0-9]{1,3}){3}|localhost)(:[0-9]+)?$/.test(host),
  "a loopback host such as 127.0.0.1:5000: pulls without TLS stay on this machine",
);

const kubernetesName = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/, "a Kubernetes object's name");

const worker = z.strictObject({
  /** How people and tasks name it. */
  name: z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "small letters, digits and hyphens, at most 63"),
  backend: z.enum(BACKENDS),
  /** The engine's address, without a path. */
  url: httpUrl,
  /** Memory that its models may take together, in bytes: of the GPUs, or of the machine where there is none. */
  memoryBytes: bytes,
  /** Disk that its models may take together, in bytes. Not set: no bound. */
  diskBytes: bytes.optional(),
  /** The models that the engine serves from its start, in its own spelling. */
  models: z.array(z.string().min(1)).default([]),
  /** Models that never leave to make room. */
  pins: z.array(z.string().min(1)).default([]),
  /** Models that may leave memory, and never the disk. What is pinned need not be named again. */
  keeps: z.array(z.string().min(1)).optional(),
  /** What stopping scales to zero. Not set: stopping only unloads the models. */
  scale: z
    .strictObject({
      namespace: kubernetesName,
      kind: z.enum(["StatefulSet", "Deployment"]),
      name: kubernetesName,
      /** What starting scales to where nobody remembers what it was. */
      replicas: z.int().min(1).max(1000).default(1),
      /** What scales it by demand besides: KEDA's is told to leave it alone while it is stopped. Not set: nothing does. */
      autoscaler: z.strictObject({ kind: z.enum(AUTOSCALER_KINDS), name: kubernetesName }).optional(),
      /** Which replica of a StatefulSet the worker is, where each is one: it is away while no more than so many run. */
      ordinal: z.int().min(0).max(999).default(0),
    })
    .optional(),
});

/** Asynchronous inference. Prompts and answers are kept for a time, encrypted, in the server of the queue. */
const inference = z.strictObject({
  /** The keys that prompts and answers are encrypted with: see `src/inference/key-file.ts`. Read again whenever it changes. */
  keyFile: file,
  /** Answers at the same time, over all replicas of the API: about as many as the engines write at once. One of them is kept for other callers, where there are several. */
  concurrency: z.int().min(1).max(256).default(4),
  /** How long an answer is kept after its end. */
  keepSeconds: seconds.default(3600),
  /** A task that has not ended by then is forgotten, and its prompts with it. */
  lifeSeconds: seconds.default(24 * 3600),
  /** The longest answer: where the request does not say, and what it may ask for at most. */
  tokens: allowance(500, 8192, 1024 * 1024),
  /** The longest time for one answer, from the moment that the engine is asked. */
  seconds: allowance(120, 600, 24 * 3600),
  /** An engine that began an answer, and is silent for this long, is cut off. */
  idleSeconds: seconds.default(30),
  /** How often a prompt is put to an engine in all; after the first token of an answer never again. */
  attempts: z.int().min(1).max(20).default(3),
  /** A request with all of its prompts. */
  promptBytes: z
    .int()
    .min(1024)
    .max(64 * 1024 * 1024)
    .default(1024 * 1024),
  /** Prompts of one request. */
  prompts: z.int().min(1).max(10_000).default(100),
  /** One answer. */
  answerBytes: z
    .int()
    .min(1024)
    .max(16 * 1024 * 1024)
    .default(256 * 1024),
  /** Unfinished tasks of one caller, and of all callers together. */
  queuedPerCaller: z.int().min(1).max(100_000).default(500),
  queued: z.int().min(1).max(100_000).default(5_000),
  /** How often, and after how long each time, a task looks whether its model is loaded by now. */
  wait: z.strictObject({ polls: z.int().min(1).max(100_000).default(60), seconds: seconds.default(5) }).prefault({}),
  /** What answers that have begun have for their end when the API ends. */
  drainSeconds: z.number().positive().max(600).default(8),
});

function allowance(usual: number, most: number, bound: number) {
  const number = z.int().min(1).max(bound);
  return z
    .strictObject({ default: number.default(Math.min(usual, most)), max: number.default(most) })
    .refine((value) => value.default <= value.max, "a default that is no more than the max")
    .prefault({});
}

/** The configuration of the model control API. All durations are in seconds, all sizes in bytes. */
export const configSchema = z
  .strictObject({
    listen: z
      .strictObject({
        /** This machine alone; in a container `0.0.0.0`. */
        host: z.string().min(1).default("127.0.0.1"),
        port: port.default(1994),
        metricsPort: port.default(9464),
        /** Proxies that every request comes through: callers are told apart by the address that the farthest of them saw. */
        proxies: z.int().min(0).max(5).default(0),
      })
      .prefault({}),
    redis: z.strictObject({ url: redisUrl, passwordFile: file.optional() }),
    /** The callers' tokens: see `src/auth/token-file.ts`. Read again whenever it changes. */
    tokensFile: file,
    registries: z
      .strictObject({
        allowed: z.array(registry).default([DEFAULT_REGISTRY]),
        /** Spoken to without TLS. They are allowed, too. */
        insecure: z.array(loopbackRegistry).default([]),
      })
      .prefault({}),
    workers: z.array(worker).min(1, "at least one worker"),
    idle: z
      .strictObject({
        /** Time without use after which a model leaves memory. Pinned ones never do. */
        seconds: idleTime.default("never"),
        /** The same of single models, by their names. */
        models: z.record(z.string(), idleTime).default({}),
      })
      .prefault({}),
    pulls: z
      .strictObject({
        /** Pulls at the same time, over all replicas of the API. */
        concurrency: z.int().min(1).max(64).default(3),
        /** Unfinished pulls of one caller, and of all callers together; of loads and wakings as many again. */
        queuedPerCaller: z.int().min(1).max(10_000).default(50),
        queued: z.int().min(1).max(10_000).default(500),
        /** How often a pull is tried in all. */
        attempts: z.int().min(1).max(20).default(5),
        /** The pause before the second try; it doubles with every further one. */
        backoffSeconds: seconds.default(5),
        /** After this long a pull makes room for one of another caller that waits, and goes on at its next turn. */
        turnSeconds: seconds.default(600),
        /** The longest that one try of any task may take. */
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
        /** The longest that a request may take to arrive, and to be answered. */
        requestTimeoutSeconds: seconds.default(15),
        /** For each token, and for each replica of the API. */
        requestsPerMinute: z.int().min(1).default(600),
        /** For each address that gives no valid token. */
        anonymousRequestsPerMinute: z.int().min(1).default(120),
      })
      .prefault({}),
    /** Not set: there is no asynchronous inference. */
    inference: inference.optional(),
    /** Traces go nowhere unless this is set. */
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
        issue(["models"], `nothing: ${backend} tells its models itself`);
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
  // From here on there is one spelling of each model.
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

/** Which model names the configuration allows. */
export function nameRules(config: Pick<ControlConfig, "registries" | "workers">): NameRules {
  return {
    registries: [...new Set([...config.registries.allowed, ...config.registries.insecure])],
    fixed: [...new Set(config.workers.flatMap(({ models }) => models))],
  };
}

/**
 * Reads a configuration file, YAML or JSON.
 *
 * @throws ConfigError that lists every problem at once.
 */
export function readConfig(path: string): ControlConfig {
  return checkFile(path, configSchema);
}
