import * as pulumi from "@pulumi/pulumi";
import { stringify as toYaml } from "yaml";
import { mirrored } from "../../catalog/image-mirror";
import { imageEntry } from "../../catalog/images";
import { BETA9_NAMESPACE } from "../../names/namespaces";
import { serviceHost } from "../../names/service-host";
import { type ImageSource, PULL_SECRET } from "../core/image-source";
import type { Backends, RedisBackend } from "./backends";
import { GATEWAY_PORTS, GATEWAY_SERVICE } from "./names";
import { type WorkerPoolsArgs, workerPools } from "./worker-pools";

/**
 * Gateway configuration without credentials. Beta9 merges it over its defaults by key
 * (`pkg/common/config.default.yaml`): unwanted defaults must be overridden.
 */
export function settingsFile(backends: Backends, pools: WorkerPoolsArgs, images: ImageSource = {}): string {
  const { postgres, redis, s3 } = backends;
  const gateway = serviceHost(GATEWAY_SERVICE, BETA9_NAMESPACE);
  const worker = imageEntry("beta9-worker");
  // No pod here names it: the gateway starts workers.
  const repository = mirrored(worker.repository, images);
  const slash = repository.lastIndexOf("/");
  return stringify({
    prettyLogs: false,
    database: {
      postgres: {
        host: postgres.host,
        port: postgres.port,
        name: postgres.database,
        username: postgres.username,
        enableTLS: postgres.tls,
      },
      redis: { mode: "single", addrs: [`${redis.host}:${redis.port}`], enableTLS: redis.tls },
    },
    storage: {
      mode: "juicefs",
      juicefs: { awsS3Bucket: `${s3.endpoint}/${s3.filesBucket}` },
      workspaceStorage: {
        defaultBucketPrefix: s3.workspaceBucketPrefix,
        defaultEndpointUrl: s3.endpoint,
        defaultPresignedEndpointUrl: s3.endpoint,
        defaultRegion: s3.region,
      },
    },
    gateway: {
      host: GATEWAY_SERVICE,
      grpc: { externalHost: gateway, externalPort: GATEWAY_PORTS.grpc, port: GATEWAY_PORTS.grpc },
      http: {
        externalHost: gateway,
        externalPort: GATEWAY_PORTS.http,
        port: GATEWAY_PORTS.http,
        enablePrettyLogs: false,
      },
    },
    // The default server is not installed.
    fileService: { enabled: false, endpointUrl: "" },
    imageService: {
      // Format 2 also needs a registry.
      clipVersion: 1,
      buildRegistry: "",
      buildRegistryInsecure: false,
      registryStore: "s3",
      registries: {
        s3: { bucketName: s3.imagesBucket, region: s3.region, endpoint: s3.endpoint, forcePathStyle: true },
      },
    },
    worker: {
      namespace: BETA9_NAMESPACE,
      imageRegistry: repository.slice(0, slash),
      imageName: repository.slice(slash + 1),
      imageTag: worker.tag,
      ...(images.credentials && { imagePullSecrets: [PULL_SECRET] }),
      // Workers on several nodes cannot share a claim.
      imagePVCName: "",
      hostNetwork: false,
      // Otherwise privileged workers use GPUs without a claim.
      jobResourcesEnforced: true,
      pools: workerPools(pools),
    },
  });
}

export interface GeneratedCredentials {
  /** AES-256 key for its database, 32 ASCII characters. */
  readonly encryptionKey: pulumi.Output<string>;
  /** The default is public even if disabled. */
  readonly fileServiceKey: pulumi.Output<string>;
  /** With which cache servers outside of workers would register. */
  readonly coordinatorToken: pulumi.Output<string>;
}

/** One per credential that Beta9 publishes (`password`, `test`, …). */
export function credentialsFile(backends: Backends, generated: GeneratedCredentials): pulumi.Output<string> {
  const { postgres, redis, juicefsRedis, s3 } = backends;
  const values = pulumi.all([
    postgres.password,
    passwordOf(redis),
    passwordOf(juicefsRedis),
    s3.secretKey,
    generated.encryptionKey,
    generated.fileServiceKey,
    generated.coordinatorToken,
  ]);
  const file = values.apply(
    ([postgresPassword, redisPassword, filesPassword, secretKey, encryptionKey, fileServiceKey, coordinatorToken]) =>
      stringify({
        database: {
          postgres: { password: postgresPassword, encryptionKey: `sk_${base64(encryptionKey)}` },
          redis: { password: redisPassword },
        },
        storage: {
          juicefs: {
            redisURI: redisUri(juicefsRedis, filesPassword),
            awsAccessKey: s3.accessKeyId,
            awsSecretKey: secretKey,
          },
          workspaceStorage: { defaultAccessKey: s3.accessKeyId, defaultSecretKey: secretKey },
        },
        fileService: { accessKey: "beta9", secretKey: fileServiceKey },
        imageService: { registries: { s3: { accessKey: s3.accessKeyId, secretKey } } },
        cache: { coordinator: { token: coordinatorToken } },
      }),
  );
  return pulumi.secret(file);
}

function passwordOf({ password }: RedisBackend): pulumi.Output<string> {
  return password ?? pulumi.output("");
}

function redisUri({ host, port, tls }: RedisBackend, password: string): string {
  const user = password === "" ? "" : `:${encodeURIComponent(password)}@`;
  return `${tls ? "rediss" : "redis"}://${user}${host}:${port}/0`;
}

function base64(text: string): string {
  return Buffer.from(text, "ascii").toString("base64");
}

/** Without anchors, for readers. */
function stringify(settings: object): string {
  return toYaml(settings, { aliasDuplicateObjects: false });
}
