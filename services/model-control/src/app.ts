import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Logger } from "pino";
import packageFile from "../package.json";
import { TokenFile } from "./auth/token-file";
import type { ControlConfig } from "./config";
import { createFleet } from "./fleet/create";
import type { FleetEvent } from "./fleet/events";
import type { Fleet } from "./fleet/fleet";
import { KubernetesScaler } from "./fleet/kubernetes-scaler";
import { again, startObserver, startSweeper, startWaker } from "./fleet/observer";
import { RedisFleetState } from "./fleet/redis-state";
import { startInference } from "./inference/start";
import { buildServer } from "./server";
import { Caretaker } from "./tasks/caretaker";
import { type RedisConnections, redisConnections } from "./tasks/redis";
import { TaskQueue } from "./tasks/task-queue";
import { TaskRunner } from "./tasks/task-runner";
import { Metrics } from "./telemetry/metrics";
import { metricsServer } from "./telemetry/metrics-server";
import { startTracing } from "./telemetry/tracing";

/** Intervals of the queue's maintenance, in seconds. */
const CARETAKING = { everySeconds: 5, longestSeconds: 60 } as const;

/** The running API. */
export interface App {
  readonly url: string;
  readonly metricsUrl: string;
  /** Answers requests in progress, returns running tasks to the queue, and stops. */
  close(): Promise<void>;
}

/**
 * Starts the API. It reports as missing what is not yet reachable, such as Redis or an engine.
 *
 * @throws ConfigError for an unusable configuration file; a system error for a port in use.
 */
export async function startApp(config: ControlConfig, log: Logger): Promise<App> {
  const tokens = new TokenFile(config.tokensFile, (problem) => {
    if (problem === undefined) {
      log.info("tokens read again");
    } else {
      log.error({ problem }, "the changed tokens file cannot be used: the old tokens stay valid");
    }
  });
  const tracing = await startTracing(config.tracing, packageFile.version);
  const redis = redisConnections(config.redis);
  logConnection(redis, log);
  const metrics = new Metrics();
  const fleet = fleetOf(config, redis, metrics, log);
  const tasks = new TaskQueue(redis.requests, config, metrics);
  metrics.observe(tasks, fleet);
  const inference =
    config.inference === undefined
      ? undefined
      : startInference({ config: config.inference, redis, fleet, tasks, metrics, log });
  const { inferences } = inference ?? {};
  const server = await buildServer({
    config,
    fleet,
    tasks,
    inferences,
    tokens,
    log,
    tracing,
    onAnswer: metrics.answered,
  });
  const measuring = metricsServer(metrics, log);
  const { host, port, metricsPort } = config.listen;
  try {
    await server.listen({ host, port });
    await once(measuring.listen(metricsPort, host), "listening");
  } catch (error) {
    await server.close();
    redis.close();
    throw error;
  }
  const runner = new TaskRunner({
    fleet,
    redis: redis.work,
    config,
    turns: inference?.turns,
    observer: metrics,
    log,
  });
  const caretaker = new Caretaker({ tasks, wanted: inference?.wanted, log });
  const stopCaretaker = again(() => caretaker.look(), {
    ...CARETAKING,
    end: new Error("the caretaker ends"),
    onError: (error) => log.debug({ error }, "the periodic check of the queue failed"),
  });
  const stopObserver = startObserver(fleet, (error) => log.debug({ error }, "not all workers could be queried"));
  const stopSweeper = startSweeper(fleet, config.idle, (error) =>
    log.warn({ error }, "not all idle models were unloaded"),
  );
  const stopWaker = startWaker(fleet, config.idle, (error) =>
    log.warn({ error }, "not all requested models were woken"),
  );

  return {
    url: urlOf(server.server.address()),
    metricsUrl: urlOf(measuring.address()),
    close: async () => {
      measuring.close();
      await Promise.allSettled([
        server.close(),
        runner.close(),
        stopCaretaker(),
        stopObserver(),
        stopSweeper(),
        stopWaker(),
      ]);
      await Promise.allSettled([tasks.close(), tracing.close()]);
      redis.close();
    },
  };
}

function fleetOf(config: ControlConfig, redis: RedisConnections, metrics: Metrics, log: Logger): Fleet {
  const scales = config.workers.some(({ scale }) => scale !== undefined);
  return createFleet({
    workers: config.workers,
    idle: config.idle,
    state: new RedisFleetState(
      redis.requests,
      onceInAMinute((key) => log.error({ key }, "an entry of the fleet's state is unreadable: it counts as absent")),
    ),
    scaler: scales ? KubernetesScaler.ofEnvironment() : undefined,
    insecureRegistries: config.registries.insecure,
    onEvent: eventLog(metrics, log),
  });
}

function eventLog(metrics: Metrics, log: Logger): (event: FleetEvent) => void {
  const problems = new Map<string, string>();
  const unreachable = onceInAMinute((worker) =>
    log.warn({ worker, problem: problems.get(worker) }, "fleet: unreachable"),
  );
  const stays = onceInAMinute((text) => log.warn({ event: JSON.parse(text) as unknown }, "fleet: an idle model stays"));
  return (event) => {
    if (event.type === "evicted") {
      metrics.evicted(event.worker, event.from);
    }
    if (event.type === "unloaded") {
      metrics.unloaded(event.worker, event.reason);
    }
    if (event.type === "unreachable") {
      problems.set(event.worker, event.problem);
      unreachable(event.worker);
    } else if (event.type === "stays") {
      stays(JSON.stringify(event));
    } else {
      log.info({ event }, `fleet: ${event.type}`);
    }
  };
}

/** Logs each subject once a minute, as many requests hit the same problem. */
function onceInAMinute(tell: (subject: string) => void): (subject: string) => void {
  const told = new Map<string, number>();
  return (subject) => {
    if (Date.now() - (told.get(subject) ?? 0) < 60_000) {
      return;
    }
    told.set(subject, Date.now());
    tell(subject);
  };
}

/** Logs lost and restored connections, not every attempt. */
function logConnection({ requests, address }: RedisConnections, log: Logger): void {
  let lost: boolean | undefined;
  requests.on("ready", () => {
    if (lost !== false) {
      log.info({ redis: address }, "the task queue is connected");
    }
    lost = false;
  });
  requests.on("error", (error) => {
    if (lost !== true) {
      log.error({ redis: address, reason: error.message || String(error) }, "the task queue is unreachable");
    }
    lost = true;
  });
}

function urlOf(address: AddressInfo | string | null): string {
  if (address === null || typeof address === "string") {
    return String(address);
  }
  return address.family === "IPv6"
    ? `http://[${address.address}]:${address.port}`
    : `http://${address.address}:${address.port}`;
}
