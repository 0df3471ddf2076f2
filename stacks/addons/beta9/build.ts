import { Beta9 } from "../../../components/beta9/beta9";
import type { PoolPlan } from "../../../planner/types";
import type { AddonSecrets, Built, Foundation, Given } from "../contract";
import type { Beta9Config, Beta9Secret } from "./config";

export function build({
  settings,
  secrets,
  plan: { pools, stage },
  cluster,
  certManager,
  gpuAccess,
  store,
  name,
  options,
}: Given<Foundation, Beta9Config, Beta9Secret>): Built<Beta9> {
  const { beta9RedisPassword, beta9JuicefsRedisPassword } = secrets;
  const component = new Beta9(
    name,
    {
      backends: {
        postgres: { ...settings.postgres, password: required(secrets, "beta9PostgresPassword") },
        redis: { ...settings.redis, ...(beta9RedisPassword && { password: beta9RedisPassword }) },
        juicefsRedis: {
          ...settings.juicefsRedis,
          ...(beta9JuicefsRedisPassword && { password: beta9JuicefsRedisPassword }),
        },
        s3: { ...settings.s3, secretKey: required(secrets, "beta9S3SecretKey") },
      },
      cpuPool: poolNamed(pools, settings.cpuPool),
      gpuPools: settings.gpuPools.map((pool) => poolNamed(pools, pool)),
      tolerations: settings.tolerations,
      containerRuntime: settings.containerRuntime,
      stage,
      cluster,
      certManager,
      gpuAccess,
    },
    // Its files may be in the model store.
    options(...(store ? [store] : [])),
  );
  return { component, stackOutputs: { beta9: { address: component.address, health: component.health } } };
}

function required(secrets: AddonSecrets<Beta9Secret>, key: Beta9Secret) {
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
