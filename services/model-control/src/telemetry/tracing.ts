import type { ControlConfig } from "../config";
import type { Server } from "../routes/surroundings";

export interface Tracing {
  /** Spans for the server's requests. Comes before its routes. */
  instrument(server: Server): Promise<void>;
  /** Sends what is still here. */
  close(): Promise<void>;
}

/** Without `tracing` in the configuration nothing is loaded, made or sent. */
export async function startTracing(config: ControlConfig["tracing"], version: string): Promise<Tracing> {
  if (config === undefined) {
    return { instrument: async () => {}, close: async () => {} };
  }
  return (await import("./otlp")).startOtlp(config.otlpEndpoint, version);
}
