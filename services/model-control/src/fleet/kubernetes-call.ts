import { ApiException } from "@kubernetes/client-node";
import { messageOf } from "../backends/engine-client";
import { withTimeLimit } from "../backends/time-limit";
import { EngineRefusal, EngineUnavailable } from "../errors";
import { shortened } from "../words";

const TIMEOUT_SECONDS = 10;

/**
 * Asks the API server; its client takes no signal, and has no time limit of its own.
 *
 * @param what for messages: `scale to 0 StatefulSet ollama/ollama`.
 * @throws EngineUnavailable when it does not answer; EngineRefusal with its words for what it refuses; the signal's reason.
 */
export async function call<T>(what: string, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  const failed = `Kubernetes did not ${what}`;
  try {
    return await withTimeLimit(signal, TIMEOUT_SECONDS, (both) => Promise.race([ask(), aborted(both)]));
  } catch (error) {
    if (signal.aborted) {
      throw signal.reason;
    }
    if (!(error instanceof ApiException)) {
      throw new EngineUnavailable(`${failed}: ${shortened(messageOf(error))}`);
    }
    const message = `${failed}: ${error.code} ${wordsOf(error.body)}`;
    throw error.code >= 500 || error.code === 429 ? new EngineUnavailable(message) : new EngineRefusal(message);
  }
}

/** Undefined for what is not there. */
export async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiException && error.code === 404) {
      return undefined;
    }
    throw error;
  }
}

/** Rejects when the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The message of a Kubernetes Status. */
function wordsOf(body: unknown): string {
  try {
    const status = (typeof body === "string" ? JSON.parse(body) : body) as { readonly message?: unknown } | undefined;
    if (typeof status?.message === "string") {
      return shortened(status.message);
    }
  } catch {
    // Not JSON: a proxy's answer.
  }
  return shortened(String(body), 300);
}
