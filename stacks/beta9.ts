/** Beta9 in an environment: from its section and secrets to the component's arguments, and what the plan says of it. */
import type { Beta9Args } from "../components/beta9/beta9";
import type { CapacityProblem, DeploymentPlan, PoolPlan } from "../planner/types";
import type { Beta9Config, EnvironmentSecrets, SecretKey } from "./config";

/** What Beta9's backends and pools are in this environment. */
export function beta9Args(
  config: Beta9Config,
  secrets: EnvironmentSecrets,
  { pools, stage }: Pick<DeploymentPlan, "pools" | "stage">,
): Omit<Beta9Args, "cluster" | "certManager" | "gpuAccess"> {
  const { redis, juicefsRedis } = config;
  const { beta9RedisPassword, beta9JuicefsRedisPassword } = secrets;
  return {
    backends: {
      postgres: { ...config.postgres, password: required(secrets, "beta9PostgresPassword") },
      redis: { ...redis, ...(beta9RedisPassword && { password: beta9RedisPassword }) },
      juicefsRedis: { ...juicefsRedis, ...(beta9JuicefsRedisPassword && { password: beta9JuicefsRedisPassword }) },
      s3: { ...config.s3, secretKey: required(secrets, "beta9S3SecretKey") },
    },
    cpuPool: poolNamed(pools, config.cpuPool),
    gpuPools: config.gpuPools.map((name) => poolNamed(pools, name)),
    tolerations: config.tolerations,
    containerRuntime: config.containerRuntime,
    stage,
  };
}

/** What a reader of the plan must know of Beta9, and the consent without which it is not installed. */
export function beta9Problems(config: Beta9Config | undefined): CapacityProblem[] {
  if (config === undefined) {
    return [];
  }
  const licence: CapacityProblem = {
    severity: "advisory",
    rule: "beta9-licence",
    subject: "beta9",
    message:
      "Beta9 is licensed under AGPL-3.0: whoever lets others use a changed Beta9 over a network must offer them its source. The rest of the platform is not affected.",
  };
  if (config.acknowledgeClusterAdmin) {
    return [licence];
  }
  return [
    {
      severity: "mandatory",
      rule: "beta9-cluster-admin",
      subject: "beta9.acknowledgeClusterAdmin",
      message:
        'the chart of Beta9 gives its gateway the ClusterRole "beta9-role": get, list, watch, create, update, patch and delete on every resource of every API group, Secrets of all namespaces included. Who takes over the gateway has the cluster. Set acknowledgeClusterAdmin: true to accept that, or remove the section beta9.',
    },
    licence,
  ];
}

function required(secrets: EnvironmentSecrets, key: SecretKey) {
  const secret = secrets[key];
  if (!secret) {
    throw new Error(`the secret ${key} is not set: validation should have refused it`);
  }
  return secret;
}

function poolNamed(pools: readonly PoolPlan[], name: string): PoolPlan {
  const pool = pools.find((candidate) => candidate.name === name);
  if (!pool) {
    throw new Error(`beta9 names the pool "${name}", which the plan does not have: validation should have refused it`);
  }
  return pool;
}
