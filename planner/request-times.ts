/** Request time limit, common to proxies and engines; shutdown waits for it. */
export interface RequestTimes {
  /** Whole response, streamed or not. */
  readonly requestTimeoutSeconds: number;
  /**
   * Silence in both directions that ends a request; covers the wait for the first token, and whole
   * answers without streaming.
   */
  readonly streamIdleTimeoutSeconds: number;
  /** Drain time of a stopping proxy or replica. */
  readonly drainSeconds: number;
}

/**
 * An hour: a 32k-token answer at 10 tokens/s. Ten minutes of silence: the timeout of OpenAI's own
 * clients.
 */
const DEFAULTS = { requestTimeoutSeconds: 3600, streamIdleTimeoutSeconds: 600 };

/**
 * The environment's times with defaults. Draining lasts as long as a request may take, so that none
 * is cut. Some cannot wait: spot instances stop after two minutes, and the cluster autoscaler after
 * ten (`--max-graceful-termination-sec`), whatever pods ask.
 */
export function requestTimes(asked: { readonly [K in keyof RequestTimes]?: number | undefined }): RequestTimes {
  const requestTimeoutSeconds = asked.requestTimeoutSeconds ?? DEFAULTS.requestTimeoutSeconds;
  return {
    requestTimeoutSeconds,
    streamIdleTimeoutSeconds: asked.streamIdleTimeoutSeconds ?? DEFAULTS.streamIdleTimeoutSeconds,
    drainSeconds: asked.drainSeconds ?? requestTimeoutSeconds,
  };
}
