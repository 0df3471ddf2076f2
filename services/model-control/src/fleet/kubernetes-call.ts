import { ApiException } from "@kubernetes/client-node";
import { messageOf } from "../backends/engine-client";
import { withTimeLimit } from "../backends/time-limit";
import { EngineRefusal, EngineUnavailable } from "../errors";
import { shortened } from "../words";

const TIMEOUT_SECONDS = 10;

/**
 * Calls the API server with a signal and a timeout, which its client lacks.
 *
 * @param what for messages: `scale to 0 StatefulSet ollama/ollama`.
 * @throws EngineUnavailable without an answer; EngineRefusal with the server's message; the
 *   signal's reason.
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

/** Undefined on 404. */
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

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Message of a Kubernetes Status. */
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
