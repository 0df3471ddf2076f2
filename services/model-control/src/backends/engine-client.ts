import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { CONSUMER_HEADER } from "../consumer-header";
import { EngineRefusal, EngineUnavailable } from "../errors";
import { traceHeaders } from "../telemetry/trace-headers";
import { shortened } from "../words";
import { linesOf } from "./lines";
import { withTimeLimit } from "./time-limit";

/** Timeout of lookups, in seconds. */
const LOOK_UP_SECONDS = 10;
/** Size limit of an answer; parsed JSON takes about 20 times as much memory. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/**
 * Lines read between pauses, and the pause in milliseconds: leaves time for others when an engine
 * floods.
 */
const LINES_AT_ONCE = 100;
const PAUSE = 50;
/** Bytes read of an error response. */
const MAX_REFUSAL_BYTES = 16 * 1024;

export interface EngineRequest {
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal: AbortSignal;
  /** Sent as `x-consumer-id`, which isolates prompt caches. @default none */
  readonly consumer?: string | undefined;
  /** Until the answer starts; for `answer`, until it ends. @default 10 */
  readonly timeoutSeconds?: number;
}

export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * HTTP client of one engine. Uses node:http, as fetch gives up after five silent minutes, which
 * loading a large model exceeds. Does not follow redirects.
 */
export class EngineClient {
  private readonly base: string;
  /** A kept connection that the engine closed would fail the next request. */
  private readonly agent: HttpAgent;
  private readonly secure: boolean;

  /** @param url base URL without credentials; may contain a path. */
  constructor(url: string) {
    this.base = url.replace(/\/+$/, "");
    this.secure = new URL(url).protocol === "https:";
    this.agent = this.secure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  }

  /**
   * Answer with any status.
   *
   * @throws EngineUnavailable after the timeout.
   */
  async answer(method: string, path: string, options: EngineRequest): Promise<EngineAnswer> {
    const { signal, timeoutSeconds = LOOK_UP_SECONDS } = options;
    return this.within(signal, timeoutSeconds, `${method} ${path}`, async (both) => {
      const response = await this.send(method, path, { ...options, signal: both });
      const status = response.statusCode ?? 0;
      return { status, text: isGood(status) ? await textOf(response) : await beginningOf(response) };
    });
  }

  /**
   * Status, without reading the body.
   * @throws EngineUnavailable
   */
  async status(method: string, path: string, options: EngineRequest): Promise<number> {
    const { signal, timeoutSeconds = LOOK_UP_SECONDS } = options;
    return this.within(signal, timeoutSeconds, `${method} ${path}`, async (both) => {
      const response = await this.send(method, path, { ...options, signal: both });
      response.destroy();
      return response.statusCode ?? 0;
    });
  }

  /**
   * Sends a request without reading a 2xx body.
   *
   * @throws EngineUnavailable, or EngineRefusal with the engine's message.
   */
  async done(method: string, path: string, options: EngineRequest): Promise<void> {
    const answer = await this.answer(method, path, options);
    if (!isGood(answer.status)) {
      throw this.refusal(method, path, answer);
    }
  }

  /**
   * Parsed JSON of a 2xx answer.
   *
   * @throws EngineUnavailable, or EngineRefusal with the engine's message or for a schema
   *   violation.
   */
  async json<T>(method: string, path: string, schema: z.ZodType<T>, options: EngineRequest): Promise<T> {
    const answer = await this.answer(method, path, options);
    if (!isGood(answer.status)) {
      throw this.refusal(method, path, answer);
    }
    return this.checked(`${method} ${path}`, answer.text, schema);
  }

  /** @throws EngineRefusal for invalid JSON or a schema violation. */
  checked<T>(what: string, text: string, schema: z.ZodType<T>): T {
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch {
      throw new EngineRefusal(`${this.base} answered ${what} with something that is not JSON`);
    }
    const result = schema.safeParse(content);
    if (result.success) {
      return result.data;
    }
    const [issue] = result.error.issues;
    const problem = shortened(`${issue?.path.join(".")}: ${issue?.message}`);
    throw new EngineRefusal(`${this.base} answered ${what} with JSON of another shape: ${problem}`);
  }

  /**
   * Streams the lines of a 2xx answer. Cancels when the caller stops reading or `signal` aborts.
   *
   * @throws EngineUnavailable when the answer starts late or breaks off; EngineRefusal.
   */
  async *lines(method: string, path: string, options: EngineRequest): AsyncGenerator<string> {
    const { signal, timeoutSeconds = LOOK_UP_SECONDS } = options;
    const response = await this.within(signal, timeoutSeconds, `${method} ${path}`, (both) =>
      this.send(method, path, { ...options, signal: both }),
    );
    try {
      const status = response.statusCode ?? 0;
      if (!isGood(status)) {
        throw this.refusal(method, path, { status, text: await beginningOf(response) });
      }
      let count = 0;
      for await (const line of linesOf(response)) {
        signal.throwIfAborted();
        yield line;
        count += 1;
        if (count % LINES_AT_ONCE === 0) {
          await sleep(PAUSE);
        }
      }
      if (!response.complete) {
        throw new Error("the connection broke");
      }
    } catch (error) {
      throw this.problem(error, signal, `${method} ${path}`);
    } finally {
      response.destroy();
    }
  }

  refusal(method: string, path: string, { status, text }: EngineAnswer): EngineRefusal | EngineUnavailable {
    const message = `${this.base} answered ${method} ${path} with ${status}: ${wordsOf(text)}`;
    return [502, 503, 504].includes(status)
      ? new EngineUnavailable(message)
      : new EngineRefusal(message, { answered: status });
  }

  private send(method: string, path: string, { body, signal, consumer }: EngineRequest): Promise<IncomingMessage> {
    const text = body === undefined ? "" : JSON.stringify(body);
    // Node sets no length on DELETE, so engines would ignore its body.
    const headers = {
      accept: "*/*",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
      ...traceHeaders(),
      ...(consumer !== undefined && { [CONSUMER_HEADER]: encodeURIComponent(consumer) }),
    };
    const request = this.secure ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.base}${path}`, { method, headers, signal, agent: this.agent }, resolve);
      outgoing.once("error", reject);
      outgoing.end(text);
    });
  }

  private async within<T>(
    signal: AbortSignal,
    seconds: number,
    what: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    try {
      return await withTimeLimit(signal, seconds, work);
    } catch (error) {
      throw this.problem(error, signal, what);
    }
  }

  private problem(error: unknown, signal: AbortSignal, what: string): unknown {
    if (signal.aborted) {
      return signal.reason;
    }
    if (error instanceof EngineRefusal || error instanceof EngineUnavailable) {
      return error;
    }
    return new EngineUnavailable(`${this.base} did not answer ${what}: ${shortened(messageOf(error))}`);
  }
}

/** A connection refused on several addresses has an empty message. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
}

function isGood(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Reads enough for a message. */
async function beginningOf(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response) {
    text += (chunk as Buffer).toString("utf8");
    if (text.length > MAX_REFUSAL_BYTES) {
      break;
    }
  }
  response.destroy();
  return text;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const buffer = chunk as Buffer;
    bytes += buffer.length;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The message is in `error`, or for vLLM in `error.message`; proxies answer in any format. */
function wordsOf(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === "string") {
      return shortened(error);
    }
    const message = (error as { readonly message?: unknown } | undefined)?.message;
    if (typeof message === "string") {
      return shortened(message);
    }
  } catch {
    // Not JSON, or truncated: used verbatim.
  }
  return shortened(text.trim(), 300) || "no reason given";
}
