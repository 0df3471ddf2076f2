import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { findShape } from "../../../catalog/shapes";
import type { Backends } from "../../../components/beta9/backends";
import { Beta9, type Beta9Args } from "../../../components/beta9/beta9";
import { repositoryRoot } from "../../../names/repository-root";
import { type EnvironmentRun, runEnvironment } from "../../../offline/environment";
import type { PoolPlan } from "../../../planner/types";
import { formatProblems } from "../../../stacks/config";
import { type Deployment, deploy, type RecordedResource } from "../../harness/deploy";
import { parseWith } from "../../stacks/config/samples";

export const passwords = { postgres: "pg-5f1c", redis: "redis-81aa", files: "files/+7", store: "store-93be" };

const taints = [
  { key: "nvidia.com/gpu", effect: "NoSchedule" },
  { key: "dedicated", value: "inference", effect: "NoSchedule" },
] as const;

/** A pool of the plan with these machines. */
export function gpuPool(name: string, shapeName: string): PoolPlan {
  const shape = findShape(shapeName);
  if (!shape) {
    throw new Error(`no shape ${shapeName}`);
  }
  return {
    name,
    role: "gpu",
    shape,
    minNodes: 1,
    maxNodes: 1,
    usdPerNodeHour: 4,
    hourlyUsd: 4,
    monthlyUsd: 2920,
    maxMonthlyUsd: 2920,
    scheduledNodeHours: 0,
    hoursPerDay: 24,
    selector: { "node.kubernetes.io/instance-type": shapeName },
    labels: { "inference-stacks.io/pool": name },
    taints,
    startupTaints: [],
    localDisks: false,
    confidential: false,
    gpusClaimed: 0,
    gpusTotal: shape.gpu?.count ?? 0,
  };
}

export interface BackendChanges {
  /** Whether both Redis ask for a password. @default true */
  readonly redisPasswords?: boolean;
  /** @default the model store */
  readonly endpoint?: string;
}

export function backends({
  redisPasswords = true,
  endpoint = "https://minio.model-store.svc:9000",
}: BackendChanges): Backends {
  const passwordOf = (value: string) => (redisPasswords ? { password: pulumi.secret(value) } : {});
  return {
    postgres: {
      host: "postgres.example.com",
      port: 5432,
      tls: true,
      database: "beta9",
      username: "beta9",
      password: pulumi.secret(passwords.postgres),
    },
    redis: { host: "state.redis.svc", port: 6379, tls: false, ...passwordOf(passwords.redis) },
    juicefsRedis: { host: "files.redis.example.com", port: 6380, tls: true, ...passwordOf(passwords.files) },
    s3: {
      endpoint,
      region: "us-east-1",
      accessKeyId: "beta9",
      secretKey: pulumi.secret(passwords.store),
      filesBucket: "files",
      imagesBucket: "images",
      workspaceBucketPrefix: "workspace",
    },
  };
}

/** Beta9 on databases of a cloud and the model store of the platform. */
export function deployBeta9(changes: Partial<Beta9Args> & BackendChanges = {}): Promise<Deployment> {
  const { redisPasswords, endpoint, ...args } = changes;
  return deploy(() => {
    new Beta9("beta9", {
      backends: backends({ redisPasswords, endpoint }),
      cpuPool: { selector: { "node.kubernetes.io/instance-type": "VM.Standard.E5.Flex" } },
      gpuPools: [gpuPool("vision", "VM.GPU.A10.2"), gpuPool("large", "BM.GPU.H100.8")],
      tolerations: "inject",
      containerRuntime: "gvisor",
      cluster: { storageClass: "encrypted" },
      stage: "production",
      certManager: { namespace: "cert-manager", ready: [] },
      gpuAccess: { nvidia: { runtimeClass: "nvidia" } },
      ...args,
    });
  });
}

/** The section of an environment that has Beta9. */
export const section = {
  acknowledgeClusterAdmin: true,
  cpuPool: "system",
  gpuPools: ["gpu"],
  postgres: { host: "postgres.example.com" },
  redis: { host: "redis.example.com" },
  juicefsRedis: { host: "files.redis.example.com" },
  s3: { endpoint: "https://minio.model-store.svc:9000", accessKeyId: "beta9" },
};

/** Sections and secrets that turn Beta9 on in the sample environment. */
export const turnedOn = {
  pools: {
    system: { shape: "VM.Standard.E5.Flex", ocpus: 4, memoryGiB: 48 },
    gpu: { shape: "VM.GPU.A10.2", maxNodes: 4 },
  },
  beta9: section,
  beta9PostgresPassword: { secure: "v1:encrypted" },
  beta9S3SecretKey: { secure: "v1:encrypted" },
};

/** Runs the sample environment with Beta9. */
export function runWithBeta9(changes: Readonly<Record<string, unknown>> = {}): Promise<EnvironmentRun> {
  const file = parseWith({ ...turnedOn, ...changes });
  if (!file.ok) {
    throw new Error(formatProblems(file.problems));
  }
  return runEnvironment({ name: "test", file, baseDirectory: repositoryRoot() });
}

export type Settings = Readonly<Record<string, unknown>>;

/** A YAML document that a resource holds under `property`, such as `data`. */
export function documentIn(resource: RecordedResource, property: string, key: string): Settings {
  const files = resource.inputs[property] as Readonly<Record<string, string>>;
  return parse(files[key] ?? "") as Settings;
}

/** What stands at a dotted path; undefined where it ends early. */
export function at(settings: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      settings,
    );
}
