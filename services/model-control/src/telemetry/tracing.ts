import type { ControlConfig } from "../config";
import type { Server } from "../routes/surroundings";

export interface Tracing {
  /** Adds spans for requests. Register it before routes. */
  instrument(server: Server): Promise<void>;
  /** Flushes pending spans. */
  close(): Promise<void>;
}

/** Loads and sends nothing unless `tracing` is configured. */
export async function startTracing(config: ControlConfig["tracing"], version: string): Promise<Tracing> {
  if (config === undefined) {
    return { instrument: async () => {}, close: async () => {} };
  }
  return (await import("./otlp")).startOtlp(config.otlpEndpoint, version);
}
