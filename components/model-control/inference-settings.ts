/** Asynchronous inference in the API's configuration file, and what it takes of memory. Pure. */
import { BYTES_PER_GIB, BYTES_PER_MIB } from "../../names/units";
import { mayName, type Tenant } from "../../planner/tenants";
import { type ModelEndpoint, namesOf } from "../serving/endpoint";
import { type ApiSettings, path } from "./api-settings";

const BYTES_PER_KIB = 1024;

/** What asynchronous inference may take. Durations are in seconds. */
export interface InferenceLimits {
  /** Answers at the same time, over all replicas of the API. */
  readonly concurrency: number;
  /** How long an answer is kept after its end. */
  readonly keepSeconds: number;
  /** A task that has not ended by then is forgotten. */
  readonly lifeSeconds: number;
  /** Tokens of one answer: where the request does not say, and at most. */
  readonly tokens: Allowance;
  /** Seconds of one answer, likewise. */
  readonly answerSeconds: Allowance;
  /** An engine that began an answer and is silent for this long is cut off. */
  readonly silentSeconds: number;
  /** How often a prompt is put to an engine in all. */
  readonly attempts: number;
  /** A request with all of its prompts. */
  readonly promptKiB: number;
  /** Prompts of one request. */
  readonly prompts: number;
  /** One answer. */
  readonly answerKiB: number;
  /** Unfinished tasks of one caller. */
  readonly queuedPerCaller: number;
  /** Unfinished tasks of all callers. */
  readonly queued: number;
  /** How often, and after how long each time, a task looks whether its model is loaded. */
  readonly wait: { readonly polls: number; readonly seconds: number };
  /** What answers that have begun have for their end when a replica leaves. */
  readonly drainSeconds: number;
}

export interface Allowance {
  readonly default: number;
  readonly max: number;
}

export interface InferenceArgs extends InferenceLimits {
  /** Names of the keys that prompts and answers are encrypted with: the first one encrypts, all decrypt. At least one. */
  readonly keys: readonly string[];
  /** Whether its clients may have models fetched. */
  readonly fetch: boolean;
  /** Clients with a token, and a place for answers, of their own. @default none */
  readonly tenants?: readonly InferenceTenant[];
}

/** A consumer of the gateway that may ask for answers. */
export interface InferenceTenant {
  readonly name: string;
  /** The models that it is kept to, by all of their names. @default all */
  readonly models?: readonly string[];
}

/** Seconds that the API takes to leave besides its answers: it hands over its tasks, and closes what is open. */
const LEAVE_SECONDS = 20;

/** The section of the API's configuration. */
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

/** Seconds that the API takes by default for a request to arrive, and the most that the gateway gives it. */
const ARRIVAL_SECONDS = { usual: 15, most: 55 } as const;

/** Large requests need longer to arrive, at 1 MiB a second. */
export function arrivalLimits({ promptKiB }: Pick<InferenceLimits, "promptKiB">): Pick<ApiSettings, "limits"> {
  const seconds = Math.min(ARRIVAL_SECONDS.most, Math.ceil(promptKiB / 1024));
  return seconds > ARRIVAL_SECONDS.usual ? { limits: { requestTimeoutSeconds: seconds } } : {};
}

/** Seconds that a replica needs from the moment that it is told to leave. */
export function leavingSecondsOfApi({ drainSeconds }: Pick<InferenceLimits, "drainSeconds">): number {
  return LEAVE_SECONDS + drainSeconds;
}

/** Requests that one replica reads at a time: as many as the gateway lets through to a service beside the models. */
const PARALLEL_REQUESTS = 64;

/** A body as it came, as text and as values; a prompt and its answer besides as they go to the engine and into the queue. */
const COPIES = { request: 3, answer: 4 } as const;

/** Memory that a replica of the API needs for requests and answers, GiB, in steps of a quarter. */
export function inferenceMemoryGiB({ promptKiB, answerKiB, concurrency }: InferenceLimits): number {
  const kib = PARALLEL_REQUESTS * COPIES.request * promptKiB + concurrency * COPIES.answer * (promptKiB + answerKiB);
  return Math.ceil((4 * kib * BYTES_PER_KIB) / BYTES_PER_GIB) / 4;
}

/**
 * Who may ask for answers with a token of its own. Consumers with limits per minute may not: nobody counts them there.
 *
 * @param endpoints whose names stand for the models that a consumer is kept to.
 */
export function inferenceTenants(tenants: readonly Tenant[], endpoints: readonly ModelEndpoint[]): InferenceTenant[] {
  return tenants.filter(isUncounted).map((tenant) => {
    const { name, models } = tenant;
    const own = models && endpoints.filter(({ model, revisionOf }) => models.includes(revisionOf?.model ?? model));
    return { name, ...(own && { models: [...new Set(own.flatMap((each) => modelNames(each, tenant)))] }) };
  });
}

/** Whether the gateway counts nothing of the tenant's, so that a way beside it goes round no limit. */
export function isUncounted({ requestsPerMinute, tokensPerMinute }: Tenant): boolean {
  return requestsPerMinute === undefined && tokensPerMinute === undefined;
}

/** A guest has its host's engine, which knows it by its own name. */
function modelNames(endpoint: ModelEndpoint, tenant: Tenant): readonly string[] {
  const { model, revisionOf, control } = endpoint;
  const planned = control?.planned.find((each) => each.model === model);
  return [...namesOf(endpoint), ...(planned?.names ?? [])].filter((name) =>
    mayName(tenant, revisionOf?.model ?? model, name),
  );
}

/** Bytes in Valkey of one prompt beside its text and its answer: its state, its fence, its seals. */
const BYTES_PER_ITEM = 512;
/** Of one task: its record, its places in the lists, its entry in the queue. */
const BYTES_PER_TASK = 4096;
/**
 * Bytes that one stream of answers adds in a second, sealed: 200 tokens of six bytes, which few engines give to one caller, and what is
 * kept of each prompt. Answers are bounded by how fast they can be written, long before each is as large as it may be.
 */
const ANSWER_BYTES_PER_SECOND = 2048;

/** While a prompt is written, the server has it so many times more: `QueueRoom` of the service counts on that. */
const COPIES_WHILE_WRITTEN = 2;

/**
 * Bytes that prompts and answers take in Valkey at most: all tasks that may wait at once, all answers that are kept, and prompts that
 * are being written.
 */
export function inferenceBytes({ queued, promptKiB, prompts, concurrency, keepSeconds }: InferenceLimits): number {
  const promptBytes = promptKiB * BYTES_PER_KIB;
  const task = promptBytes + prompts * BYTES_PER_ITEM + BYTES_PER_TASK;
  const burst = PARALLEL_REQUESTS * COPIES_WHILE_WRITTEN * promptBytes;
  return queued * task + concurrency * keepSeconds * ANSWER_BYTES_PER_SECOND + burst;
}

/** The same in MiB, for people. */
export function inferenceMiB(limits: InferenceLimits): number {
  return Math.ceil(inferenceBytes(limits) / BYTES_PER_MIB);
}
