import { readFileSync } from "node:fs";
import { Redis, type RedisOptions } from "ioredis";
import type { ControlConfig } from "../config";
import { ConfigError } from "../config-file";
import { messageOf } from "../errors";
import { defineEvenWhenFull } from "./full-server";

/** A request never waits longer for Redis than this, in milliseconds. */
export const REDIS_PATIENCE = 1_500;

/** The longest pause between two attempts to connect again, in milliseconds. */
const LONGEST_PAUSE = 2_000;

/** Why a command fails whose connection ended. */
export const CONNECTION_LOST = "the connection was lost";

/** The two connections of a process, both to the same server. */
export interface RedisConnections {
  /** For requests: a command fails at once while there is no connection, and soon when there is no answer. */
  readonly requests: Redis;
  /** For work in the background: a command waits until there is a connection. */
  readonly work: Redis;
  /** Without anything secret, for messages. */
  readonly address: string;
  close(): void;
}

/** Connects, again and again if need be. @throws ConfigError when the password's file cannot be read. */
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

/** What a failed command is told as. A connection that ends under a command is told by ioredis in words for programmers. */
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
    // After a failover the old primary says that it takes no writes: connect again, and repeat the command.
    reconnectOnError: (error) => (error.message.startsWith("READONLY") ? 2 : false),
  });
  defineEvenWhenFull(redis);
  // Without a listener an error would end the process; who uses the connection tells of it.
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
