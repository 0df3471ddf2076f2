/** How long a request may take, and everything that stops waits for it: proxies and engines follow one number. */
export interface RequestTimes {
  /** Seconds until a whole response, streamed or not, must be done. */
  readonly requestTimeoutSeconds: number;
  /**
   * Seconds without a byte in either direction after which a request is cut. That covers the wait for the first token,
   * and the whole answer when it is not streamed.
   */
  readonly streamIdleTimeoutSeconds: number;
  /** Seconds in which a proxy or a replica that is told to leave finishes the requests that run there. */
  readonly drainSeconds: number;
}

/** An hour: a 32k-token answer at 10 tokens/s. Ten minutes of silence: what OpenAI's own clients wait for an answer. */
const DEFAULTS = { requestTimeoutSeconds: 3600, streamIdleTimeoutSeconds: 600 };

/**
 * What an environment asks for, and the rest. Nothing that may run is cut: whoever leaves waits for as long as a request may
 * take, and for no longer than one does. What cannot wait does not: a spot instance goes after its two minutes, and the
 * cluster autoscaler after ten (`--max-graceful-termination-sec`), whatever pods ask for.
 */
export function requestTimes(asked: { readonly [K in keyof RequestTimes]?: number | undefined }): RequestTimes {
  const requestTimeoutSeconds = asked.requestTimeoutSeconds ?? DEFAULTS.requestTimeoutSeconds;
  return {
    requestTimeoutSeconds,
    streamIdleTimeoutSeconds: asked.streamIdleTimeoutSeconds ?? DEFAULTS.streamIdleTimeoutSeconds,
    drainSeconds: asked.drainSeconds ?? requestTimeoutSeconds,
  };
}
