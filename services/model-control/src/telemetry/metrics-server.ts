import { createServer, type Server } from "node:http";
import type { Logger } from "pino";
import type { Metrics } from "./metrics";

/** Serves `GET /metrics` for Prometheus on a port that no gateway exposes. */
export function metricsServer(metrics: Metrics, log: Logger): Server {
  return createServer((request, response) => {
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    metrics.read().then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      (error) => {
        log.error({ error }, "metrics could not be read");
        response.writeHead(500).end();
      },
    );
  });
}
