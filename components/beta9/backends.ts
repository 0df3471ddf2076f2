import type * as pulumi from "@pulumi/pulumi";

/** An external server that Beta9 connects to. */
export interface Backend {
  /** Name in DNS. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export interface RedisBackend extends Backend {
  /** Secret. @default none */
  readonly password?: pulumi.Output<string>;
}

export interface PostgresBackend extends Backend {
  readonly database: string;
  readonly username: string;
  /** Secret. */
  readonly password: pulumi.Output<string>;
}

export interface ObjectStore {
  /** `https://host[:port]`. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  /** Secret. */
  readonly secretKey: pulumi.Output<string>;
  /** Existing buckets of the file system and of container images. */
  readonly filesBucket: string;
  readonly imagesBucket: string;
  /** Beta9 creates one bucket per workspace. */
  readonly workspaceBucketPrefix: string;
}

/** What replaces the databases and the storage of the chart. */
export interface Backends {
  readonly postgres: PostgresBackend;
  /** State and queues. */
  readonly redis: RedisBackend;
  /** Metadata of the file system: losing it loses the files. */
  readonly juicefsRedis: RedisBackend;
  readonly s3: ObjectStore;
}

/** Where the object store listens. */
export function storeAddress({ endpoint }: Pick<ObjectStore, "endpoint">): { host: string; port: number } {
  const { hostname, port } = new URL(endpoint);
  return { host: hostname, port: port === "" ? 443 : Number(port) };
}
