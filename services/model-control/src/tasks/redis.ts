import { readFileSync } from "node:fs";
import { Redis, type RedisOptions } from "ioredis";
import type { ControlConfig } from "../config";
import { ConfigError } from "../config-file";
import { messageOf } from "../errors";
import { defineEvenWhenFull } from "./full-server";

/** Timeout of Redis for a request, in milliseconds. */
export const REDIS_PATIENCE = 1_500;

/** Maximum pause between reconnects, in milliseconds. */
const LONGEST_PAUSE = 2_000;

/** Error of a command whose connection ended. */
export const CONNECTION_LOST = "the connection was lost";

/** Two connections to the same server. */
export interface RedisConnections {
  /** For requests: commands fail at once without a connection, and soon without an answer. */
  readonly requests: Redis;
  /** For background work: commands wait for a connection. */
  readonly work: Redis;
  /** For messages, without secrets. */
  readonly address: string;
  close(): void;
}

/**
 * Connects, with retries.
 * @throws ConfigError for an unreadable password file.
 */
export function redisConnections(config: ControlConfig["redis"]): RedisConnections {
  const requests = connect(config, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: REDIS_PATIENCE,
  });
  const work = connect(config, { maxRetriesPerRequest: null });
  return {
    requests,
    work,
    address: redisAddress(config),
    close: () => {
      requests.disconnect();
      work.disconnect();
    },
  };
}

/** Message for a failed command; replaces ioredis' message for lost connections. */
export function redisFailure(error: unknown): string {
  const isCutOff = error instanceof Error && error.name === "MaxRetriesPerRequestError";
  return isCutOff ? CONNECTION_LOST : messageOf(error);
}

/** `redis://host:port`. */
export function redisAddress(config: ControlConfig["redis"]): string {
  const { protocol, host } = new URL(config.url);
  return `${protocol}//${host}`;
}

function connect({ url, passwordFile }: ControlConfig["redis"], options: RedisOptions): Redis {
  const password = passwordFile === undefined ? undefined : readSecret(passwordFile);
  const redis = new Redis(url, {
    ...options,
    password,
    connectTimeout: REDIS_PATIENCE,
    keepAlive: 10_000,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_PAUSE),
    // A demoted primary refuses writes after a failover: reconnects and repeats the command.
    reconnectOnError: (error) => (error.message.startsWith("READONLY") ? 2 : false),
  });
  defineEvenWhenFull(redis);
  // Without a listener an error would end the process; users of the connection report it.
  redis.on("error", () => undefined);
  return redis;
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    throw new ConfigError(`redis.passwordFile: ${messageOf(error)}`);
  }
}
