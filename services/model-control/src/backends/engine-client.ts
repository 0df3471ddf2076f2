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

/** Seconds that an engine has for an answer it only needs to look up. */
const LOOK_UP_SECONDS = 10;
/** The longest answer that is read. As JSON it takes some twenty times that in memory while it is checked. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Lines that are read without a pause, and the pause, in milliseconds: an engine that floods leaves time for the others. */
const LINES_AT_ONCE = 100;
const PAUSE = 50;
/** Of an answer that refuses, no more than this is read. */
const MAX_REFUSAL_BYTES = 16 * 1024;

export interface EngineRequest {
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal: AbortSignal;
  /** For whom: engines that keep consumers apart in their caches read it in `x-consumer-id`. @default nobody */
  readonly consumer?: string | undefined;
  /** Until the answer begins; for `answer`, until it has ended. Default: 10. */
  readonly timeoutSeconds?: number;
}

export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
}

/**
 * HTTP to one engine. node:http rather than fetch: fetch gives up on an answer that begins, or pauses, for more than
 * five minutes, and loading or verifying a large model is silent for longer. Redirects are not followed.
 */
export class EngineClient {
  private readonly base: string;
  /** A kept connection that the engine has closed would fail the next request. */
  private readonly agent: HttpAgent;
  private readonly secure: boolean;

  /** @param url base address, without credentials; a path before the engine's own is kept. */
  constructor(url: string) {
    this.base = url.replace(/\/+$/, "");
    this.secure = new URL(url).protocol === "https:";
    this.agent = this.secure ? new HttpsAgent({ keepAlive: false }) : new HttpAgent({ keepAlive: false });
  }

  /**
   * The answer, whatever its status.
   *
   * @throws EngineUnavailable when there is none in time.
   */
  async answer(method: string, path: string, options: EngineRequest): Promise<EngineAnswer> {
    const { signal, timeoutSeconds = LOOK_UP_SECONDS } = options;
    return this.within(signal, timeoutSeconds, `${method} ${path}`, async (both) => {
      const response = await this.send(method, path, { ...options, signal: both });
      const status = response.statusCode ?? 0;
      return { status, text: isGood(status) ? await textOf(response) : await beginningOf(response) };
    });
  }

  /** The status of an answer that is not read. @throws EngineUnavailable */
  async status(method: string, path: string, options: EngineRequest): Promise<number> {
    const { signal, timeoutSeconds = LOOK_UP_SECONDS } = options;
    return this.within(signal, timeoutSeconds, `${method} ${path}`, async (both) => {
      const response = await this.send(method, path, { ...options, signal: both });
      response.destroy();
      return response.statusCode ?? 0;
    });
  }

  /**
   * Sends a request of which only the success counts.
   *
   * @throws EngineUnavailable, EngineRefusal with the engine's words.
   */
  async done(method: string, path: string, options: EngineRequest): Promise<void> {
    const answer = await this.answer(method, path, options);
    if (!isGood(answer.status)) {
      throw this.refusal(method, path, answer);
    }
  }

  /**
   * The JSON of a 2xx answer, as far as `schema` reads it.
   *
   * @throws EngineUnavailable, EngineRefusal with the engine's words, or for an answer of another shape.
   */
  async json<T>(method: string, path: string, schema: z.ZodType<T>, options: EngineRequest): Promise<T> {
    const answer = await this.answer(method, path, options);
    if (!isGood(answer.status)) {
      throw this.refusal(method, path, answer);
    }
    return this.checked(`${method} ${path}`, answer.text, schema);
  }

  /** @throws EngineRefusal for what is no JSON, or of another shape. */
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
   * The lines of a 2xx answer as they come. Ends the request when the caller stops reading or `signal` aborts.
   *
   * @throws EngineUnavailable when the answer does not begin in time, or breaks off; EngineRefusal.
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

  /** What the engine said, as an error of ours. */
  refusal(method: string, path: string, { status, text }: EngineAnswer): EngineRefusal | EngineUnavailable {
    const message = `${this.base} answered ${method} ${path} with ${status}: ${wordsOf(text)}`;
    return [502, 503, 504].includes(status)
      ? new EngineUnavailable(message)
      : new EngineRefusal(message, { answered: status });
  }

  private send(method: string, path: string, { body, signal, consumer }: EngineRequest): Promise<IncomingMessage> {
    const text = body === undefined ? "" : JSON.stringify(body);
    // Node gives a DELETE no length of its own, and its body would not be read.
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

/** A refused connection on several addresses has an empty message of its own. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
}

function isGood(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Enough of it for a message; the rest is not waited for. */
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

/** Engines put their words in `error`, vLLM in `error.message`; proxies answer with anything. */
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
    // Not JSON, or cut off: shown as it is.
  }
  return shortened(text.trim(), 300) || "no reason given";
}
