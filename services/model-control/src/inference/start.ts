import type { Redis } from "ioredis";
import type { Logger } from "pino";
import type { InferenceConfig } from "../config";
import type { Fleet } from "../fleet/fleet";
import type { Wanted } from "../tasks/caretaker";
import { FairQueue } from "../tasks/fair-queue";
import type { RedisConnections } from "../tasks/redis";
import { Slots } from "../tasks/slots";
import type { Tasks } from "../tasks/task";
import { turnKeys } from "../tasks/turn-keys";
import type { Metrics } from "../telemetry/metrics";
import { Inferences } from "./inferences";
import { KeyFile } from "./key-file";
import { Sealer } from "./sealing";
import { InferenceStore } from "./store";
import { Turns } from "./turns";

interface Surroundings {
  readonly config: InferenceConfig;
  readonly redis: RedisConnections;
  readonly fleet: Fleet;
  readonly tasks: Tasks;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/**
 * Starts asynchronous inference: its API and its queue worker.
 * @throws ConfigError for the key file.
 */
export function startInference({ config, redis, fleet, tasks, metrics, log }: Surroundings): {
  readonly inferences: Inferences;
  readonly turns: Turns;
  /** Models and workers that unfinished tasks wait for. */
  readonly wanted: () => Promise<Wanted>;
} {
  const keys = new KeyFile(config.keyFile, (problem) => {
    if (problem === undefined) {
      log.info("keys read again");
    } else {
      log.error({ problem }, "the changed key file cannot be used: the old keys stay valid");
    }
  });
  const sealer = new Sealer(keys);
  const asked = new InferenceStore(redis.requests, sealer, config);
  const observer = metrics.observeInference(asked, tasks);
  // Background work waits for Redis; requests do not.
  const store = new InferenceStore(redis.work, sealer, config);
  const places = turnKeys("inference");
  const on = (connection: Redis) => ({
    fair: new FairQueue(connection, places),
    slots: new Slots(connection, config.concurrency, places),
  });
  const turns = new Turns({ store, ...on(redis.work), fleet, tasks, config, observer });
  const ofRequests = on(redis.requests);
  const forRequests = new Turns({ store: asked, ...ofRequests, fleet, tasks, config, observer });
  const { fair } = ofRequests;
  const wanted = () => asked.wanted();
  return {
    turns,
    wanted,
    inferences: new Inferences({ store: asked, sealer, fair, tasks, turns: forRequests, config }),
  };
}
