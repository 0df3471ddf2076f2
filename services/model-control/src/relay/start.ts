import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import { messageOf } from "../errors";
import { shortened } from "../words";
import type { RelayConfig } from "./config";
import { Directory } from "./directory";
import { RelayMetrics } from "./metrics";
import { RelayServer } from "./relay-server";
import { WorkerView } from "./worker-view";

/** The running relay. */
export interface Relay {
  readonly url: string;
  /** Serves `/metrics`, `/livez` and `/readyz`. */
  readonly adminUrl: string;
  /** Stops accepting requests, drains running ones, and cuts them after `drainSeconds`. */
  close(): Promise<void>;
}

/**
 * Starts the relay. Workers may become available later.
 *
 * @param now monotonic clock, in milliseconds.
 * @throws a system error for a port in use.
 */
export async function startRelay(config: RelayConfig, log: Logger, now = () => performance.now()): Promise<Relay> {
  const end = new AbortController();
  const { host, port, adminPort } = config.listen;
  const metrics = new RelayMetrics(config.workers.map(({ name }) => name));
  const views = config.workers.map(
    (worker) => new WorkerView(worker, end.signal, (problem) => tell(worker.name, problem), now),
  );
  function tell(worker: string, problem: unknown): void {
    metrics.workerAway(worker, problem !== undefined);
    if (!end.signal.aborted) {
      const words = problem === undefined ? undefined : shortened(messageOf(problem));
      log.info({ worker, problem: words }, words ? "a worker does not answer" : "a worker answers");
    }
  }
  const server = new RelayServer({ config, directory: new Directory(views), log, onAnswer: metrics.answered });
  metrics.watch(() => server.running);
  let ending = false;
  const admin = adminServer(metrics, () => ending, log);
  try {
    await once(server.http.listen(port, host), "listening");
    await once(admin.listen(adminPort, host), "listening");
  } catch (error) {
    server.http.close();
    throw error;
  }
  return {
    url: urlOf(server.http),
    adminUrl: urlOf(admin),
    close: async () => {
      ending = true;
      const cut = setTimeout(() => server.http.closeAllConnections(), config.limits.drainSeconds * 1000);
      await server.close();
      clearTimeout(cut);
      end.abort(new Error("the relay ends"));
      admin.close();
      admin.closeAllConnections();
    },
  };
}

/** For Prometheus and probes, on a port that no gateway exposes. */
function adminServer(metrics: RelayMetrics, ending: () => boolean, log: Logger): Server {
  return createServer((request, response) => {
    switch (`${request.method} ${request.url}`) {
      case "GET /livez":
        response.writeHead(200).end();
        return;
      case "GET /readyz":
        response.writeHead(ending() ? 503 : 200).end();
        return;
      case "GET /metrics":
        metrics.read().then(
          (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
          (error) => {
            log.error({ error }, "metrics could not be read");
            response.writeHead(500).end();
          },
        );
        return;
      default:
        response.writeHead(404).end();
    }
  });
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}
