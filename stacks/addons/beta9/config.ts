import { z } from "zod";
import { dnsLabel, text, wholeNumber } from "../../config/core/sections/fields";

/** DNS names only: Services cannot alias an address. */
function host(example: string) {
  return z
    .string()
    .max(253)
    .regex(/^(?!\d+(\.\d+){3}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/)
    .meta({ description: "Its name in DNS.", allowed: "a lower-case DNS name with at least one dot", example });
}

function port(usual: number) {
  return wholeNumber(1, 65_535).default(usual).meta({ description: "Its port.", unit: "TCP port", example: usual });
}

const tls = z.boolean().default(true).meta({
  description: "Whether to connect with TLS; the certificate must be of a public authority.",
  example: true,
});

const redis = z.strictObject({ host: host("redis.example.com"), port: port(6379), tls });

const postgres = z
  .strictObject({
    host: host("postgres.example.com"),
    port: port(5432),
    tls,
    database: text(63).default("beta9").meta({ description: "Name of the database.", example: "beta9" }),
    username: text(63)
      .default("beta9")
      .meta({ description: "Owner of the database: Beta9 makes its tables itself.", example: "beta9" }),
  })
  .meta({
    description: "PostgreSQL for workspaces, deployments and tasks. The password is the secret beta9PostgresPassword.",
    example: { host: "postgres.example.com" },
  });

function bucket(description: string, name: string) {
  return z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/)
    .default(name)
    .meta({ description, allowed: 'lower-case letters, digits and "-", 3 to 63 characters', example: name });
}

const s3 = z
  .strictObject({
    endpoint: z
      .string()
      .max(253)
      .regex(/^https:\/\/[a-z0-9.-]+(:\d+)?$/)
      .meta({
        description: "Address of the S3 API; clients of Beta9 upload there too.",
        allowed: "https://<host>[:<port>], without a path",
        example: "https://minio.model-store.svc:9000",
      }),
    region: text(64).default("us-east-1").meta({ description: "Region to sign requests for.", example: "us-east-1" }),
    accessKeyId: text(128).meta({
      description: "Access key; its secret key is the secret beta9S3SecretKey.",
      example: "beta9",
    }),
    filesBucket: bucket("Existing bucket of the shared file system (JuiceFS).", "beta9-files"),
    imagesBucket: bucket("Existing bucket of container images.", "beta9-images"),
    workspaceBucketPrefix: dnsLabel(20).default("beta9-workspace").meta({
      description: "Prefix of the buckets that Beta9 creates, one per workspace.",
      example: "beta9-workspace",
    }),
  })
  .meta({
    description: "Object storage: the model store's or any other.",
    example: { endpoint: "https://minio.model-store.svc:9000", accessKeyId: "beta9" },
  });

export const beta9Section = z
  .strictObject({
    acknowledgeClusterAdmin: z.boolean().default(false).meta({
      description:
        "You accept that the chart's role may read and change every object of the cluster, Secrets included. Without it the plan is refused.",
      example: true,
    }),
    cpuPool: dnsLabel(40).meta({
      description: "Pool for the gateway, image builds and functions without a GPU: amd64 machines without GPUs.",
      example: "system",
    }),
    gpuPools: z
      .array(dnsLabel(40))
      .min(1)
      .meta({
        description: "Pools whose NVIDIA GPUs functions may use while no model needs them.",
        example: ["gpu"],
      }),
    tolerations: z.enum(["inject", "none"]).default("inject").meta({
      description:
        "How workers get onto tainted GPU nodes. inject: a MutatingAdmissionPolicy adds tolerations (Kubernetes 1.36). none: you leave the nodes untainted.",
      example: "inject",
    }),
    containerRuntime: z
      .enum(["gvisor", "runc"])
      .default("gvisor")
      .meta({ description: "Sandbox of functions on GPU nodes.", example: "gvisor" }),
    clients: z
      .array(dnsLabel())
      .default([])
      .meta({ description: "Namespaces whose pods may call the gateway. Default: none.", example: ["team-vision"] }),
    postgres,
    redis: redis.meta({
      description: "Redis for state and queues. Its password, if any, is the secret beta9RedisPassword.",
      example: { host: "redis.example.com" },
    }),
    juicefsRedis: redis.meta({
      description:
        "Redis for the file system's metadata; it must persist. Its password, if any, is the secret beta9JuicefsRedisPassword.",
      example: { host: "files.redis.example.com" },
    }),
    s3,
  })
  .optional()
  .meta({
    description: "Beta9, a serverless GPU runtime (AGPL-3.0), next to the models. Default: not installed.",
    example: {
      acknowledgeClusterAdmin: true,
      cpuPool: "system",
      gpuPools: ["gpu"],
      postgres: { host: "postgres.example.com" },
      redis: { host: "redis.example.com" },
      juicefsRedis: { host: "files.redis.example.com" },
      s3: { endpoint: "https://minio.model-store.svc:9000", accessKeyId: "beta9" },
    },
  });

export type Beta9Config = NonNullable<z.output<typeof beta9Section>>;

function password(description: string) {
  return z.string().regex(/^\S+$/).optional().meta({ description, allowed: "text without spaces" });
}

export const beta9Secrets = {
  beta9PostgresPassword: password("Password of beta9.postgres; required with the section beta9."),
  beta9RedisPassword: password("Password of beta9.redis. Default: none."),
  beta9JuicefsRedisPassword: password("Password of beta9.juicefsRedis. Default: none."),
  beta9S3SecretKey: password("Secret key of beta9.s3; required with the section beta9."),
};

export type Beta9Secret = keyof typeof beta9Secrets;
