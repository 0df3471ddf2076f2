/** Asynchronous inference settings of the API, and their memory needs. */
import { BYTES_PER_GIB, BYTES_PER_MIB } from "../../names/units";
import { mayName, type Tenant } from "../../planner/tenants";
import { type ModelEndpoint, namesOf } from "../serving/endpoint";
import { type ApiSettings, path } from "./api-settings";

const BYTES_PER_KIB = 1024;

/** Limits of asynchronous inference. Durations in seconds. */
export interface InferenceLimits {
  /** Concurrent answers over all API replicas. */
  readonly concurrency: number;
  /** Retention of finished answers. */
  readonly keepSeconds: number;
  /** Unfinished tasks are deleted after this. */
  readonly lifeSeconds: number;
  /** Tokens per answer: default and maximum. */
  readonly tokens: Allowance;
  /** Seconds per answer: default and maximum. */
  readonly answerSeconds: Allowance;
  /** Idle timeout of an answer in progress. */
  readonly silentSeconds: number;
  readonly attempts: number;
  /** Size of a request with all prompts. */
  readonly promptKiB: number;
  /** Prompts per request. */
  readonly prompts: number;
  /** One answer. */
  readonly answerKiB: number;
  readonly queuedPerCaller: number;
  readonly queued: number;
  /** How often and at which interval a task checks whether its model is loaded. */
  readonly wait: { readonly polls: number; readonly seconds: number };
  /** Time for answers in progress to end when a replica stops. */
  readonly drainSeconds: number;
}

export interface Allowance {
  readonly default: number;
  readonly max: number;
}

export interface InferenceArgs extends InferenceLimits {
  /**
   * Names of encryption keys for prompts and answers: the first encrypts, all decrypt. At least
   * one.
   */
  readonly keys: readonly string[];
  readonly fetch: boolean;
  /** Clients with their own token and answers. @default none */
  readonly tenants?: readonly InferenceTenant[];
}

export interface InferenceTenant {
  readonly name: string;
  /** Allowed models, by all of their names. @default all */
  readonly models?: readonly string[];
}

/** Shutdown seconds of the API besides answers: hands over tasks, closes connections. */
const LEAVE_SECONDS = 20;

export function inferenceSettings(limits: InferenceLimits): NonNullable<ApiSettings["inference"]> {
  const { concurrency, keepSeconds, lifeSeconds, tokens, attempts, prompts, queuedPerCaller, queued, wait } = limits;
  return {
    keyFile: path("keys"),
    concurrency,
    keepSeconds,
    lifeSeconds,
    tokens,
    seconds: limits.answerSeconds,
    idleSeconds: limits.silentSeconds,
    attempts,
    promptBytes: limits.promptKiB * BYTES_PER_KIB,
    prompts,
    answerBytes: limits.answerKiB * BYTES_PER_KIB,
    queuedPerCaller,
    queued,
    wait,
    drainSeconds: limits.drainSeconds,
  };
}

/** Request arrival timeouts in seconds: the API's default, and the gateway's maximum. */
const ARRIVAL_SECONDS = { usual: 15, most: 55 } as const;

/** Large requests need longer to arrive, at 1 MiB per second. */
export function arrivalLimits({ promptKiB }: Pick<InferenceLimits, "promptKiB">): Pick<ApiSettings, "limits"> {
  const seconds = Math.min(ARRIVAL_SECONDS.most, Math.ceil(promptKiB / 1024));
  return seconds > ARRIVAL_SECONDS.usual ? { limits: { requestTimeoutSeconds: seconds } } : {};
}

/** Seconds for a replica to stop. */
export function leavingSecondsOfApi({ drainSeconds }: Pick<InferenceLimits, "drainSeconds">): number {
  return LEAVE_SECONDS + drainSeconds;
}

/** Concurrent requests per replica, equal to the gateway's limit for such services. */
const PARALLEL_REQUESTS = 64;

/**
 * Copies of a request body: raw, text and values; prompts and answers also in engine and queue
 * format.
 */
const COPIES = { request: 3, answer: 4 } as const;

/** Memory of an API replica for requests and answers, in GiB rounded up to quarters. */
export function inferenceMemoryGiB({ promptKiB, answerKiB, concurrency }: InferenceLimits): number {
  const kib = PARALLEL_REQUESTS * COPIES.request * promptKiB + concurrency * COPIES.answer * (promptKiB + answerKiB);
  return Math.ceil((4 * kib * BYTES_PER_KIB) / BYTES_PER_GIB) / 4;
}

/**
 * Consumers with their own inference token. Excludes those with per-minute limits, not enforced
 * there.
 *
 * @param endpoints whose names identify allowed models.
 */
export function inferenceTenants(tenants: readonly Tenant[], endpoints: readonly ModelEndpoint[]): InferenceTenant[] {
  return tenants.filter(isUncounted).map((tenant) => {
    const { name, models } = tenant;
    const own = models && endpoints.filter(({ model, revisionOf }) => models.includes(revisionOf?.model ?? model));
    return { name, ...(own && { models: [...new Set(own.flatMap((each) => modelNames(each, tenant)))] }) };
  });
}

/**
 * Whether the gateway counts none of the tenant's usage, so that another path bypasses no limit.
 */
export function isUncounted({ requestsPerMinute, tokensPerMinute }: Tenant): boolean {
  return requestsPerMinute === undefined && tokensPerMinute === undefined;
}

/** A guest shares its host's engine, which uses the guest's own name. */
function modelNames(endpoint: ModelEndpoint, tenant: Tenant): readonly string[] {
  const { model, revisionOf, control } = endpoint;
  const planned = control?.planned.find((each) => each.model === model);
  return [...namesOf(endpoint), ...(planned?.names ?? [])].filter((name) =>
    mayName(tenant, revisionOf?.model ?? model, name),
  );
}

/** Valkey bytes per prompt besides text and answer: state, fence, seals. */
const BYTES_PER_ITEM = 512;
/** Per task: record, list entries, queue entry. */
const BYTES_PER_TASK = 4096;
/**
 * Bytes per second of an encrypted answer stream: 200 tokens of six bytes, more than most engines
 * give one caller, and per-prompt data. Generation speed bounds answers before their maximum size.
 */
const ANSWER_BYTES_PER_SECOND = 2048;

/** Copies of a prompt on the server while it is written, as `QueueRoom` of the service assumes. */
const COPIES_WHILE_WRITTEN = 2;

/**
 * Maximum bytes of prompts and answers in Valkey: waiting tasks, retained answers, prompts being
 * written.
 */
export function inferenceBytes({ queued, promptKiB, prompts, concurrency, keepSeconds }: InferenceLimits): number {
  const promptBytes = promptKiB * BYTES_PER_KIB;
  const task = promptBytes + prompts * BYTES_PER_ITEM + BYTES_PER_TASK;
  const burst = PARALLEL_REQUESTS * COPIES_WHILE_WRITTEN * promptBytes;
  return queued * task + concurrency * keepSeconds * ANSWER_BYTES_PER_SECOND + burst;
}

export function inferenceMiB(limits: InferenceLimits): number {
  return Math.ceil(inferenceBytes(limits) / BYTES_PER_MIB);
}
