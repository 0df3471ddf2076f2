import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "../../names/repository-root";
import { frozen } from "../harness/frozen";
import { changedRun, type EnvironmentName, environments, type ProgramRun, programRun } from "./run";

/** A secret of an environment file, which nothing here decrypts. */
const SECRET = { secure: "v1:AAAAAAAAAAAAAAAA:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" };

/** A section of a shipped environment, as its file has it. */
function section(name: EnvironmentName, key: string): object {
  const { config } = parse(readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8"));
  return config[`inference-stacks:${key}`];
}

/** Shipped environments with what none of them has, so that between all runs everything of the program is there. */
const WIDER = {
  /** Tenants with rights and limits, tokens, external models, a mirror with credentials, Beta9. */
  "oci-h100 with all of the gateway": () =>
    changedRun("oci-h100", {
      gateway: {
        hostname: "inference.example.com",
        tls: { kind: "acme", email: "platform@example.com" },
        consumers: {
          "web-app": {},
          batch: { models: ["llama-8b"], requestsPerMinute: 60 },
          trial: { priority: "free", requestsPerMinute: 10 },
        },
        auth: { oidc: { issuer: "https://login.example.com/realms/platform", audience: "inference" } },
      },
      models: {
        ...section("oci-h100", "models"),
        split: { model: "qwen2.5-7b-instruct", pools: ["a10"], vllm: { prefillDecode: { prefill: 1, decode: 1 } } },
        outside: { engine: "external", external: { url: "https://api.example.com/v1", secretKey: "partnerApiKey" } },
      },
      nodes: {
        cluster: {
          model: "qwen-7b",
          registrar: { url: "https://registrar.example.com", secretKey: "registrarApiKey" },
        },
      },
      registrarApiKey: SECRET,
      partnerApiKey: SECRET,
      alertWebhookUrl: SECRET,
      images: { mirror: "registry.example.com/mirror" },
      registryCredentials: SECRET,
      modelControl: { enabled: true, image: "ghcr.io/example/inference-model-control:1.0.0" },
      beta9: {
        acknowledgeClusterAdmin: true,
        cpuPool: "system",
        gpuPools: ["a10"],
        clients: ["team-vision"],
        postgres: { host: "postgres.example.com", database: "beta9", username: "beta9" },
        redis: { host: "redis.example.com" },
        juicefsRedis: { host: "files.redis.example.com" },
        s3: { endpoint: "https://minio.model-store.svc:9000", accessKeyId: "beta9" },
      },
      mesh: { mode: "ambient" },
      gitops: {
        engine: "argo-cd",
        acknowledgeClusterAdmin: true,
        repository: "https://git.example.com/platform/gitops.git",
        path: "clusters/oci-h100",
      },
      beta9PostgresPassword: SECRET,
      beta9S3SecretKey: SECRET,
    }),
  /** Replicas over two machines with EFA, in a mesh of sidecars. */
  "aws-prod with EFA": () =>
    changedRun("aws-prod", {
      pools: {
        system: { shape: "m7i.2xlarge", minNodes: 3, maxNodes: 6 },
        wide: { shape: "p5.48xlarge", minNodes: 2, maxNodes: 2, zones: ["us-east-1a"], rdma: { access: "efa" } },
      },
      models: {
        "llama-405b": { model: "llama-3.1-405b-instruct", contextTokens: 16384, concurrency: 16 },
      },
      mesh: { mode: "sidecar" },
      budget: { monthlyUsd: 500_000 },
    }),
} as const;

const widerRuns = new Map<keyof typeof WIDER, Promise<ProgramRun>>();

/** The shipped environments, and those with what none of them has. */
export const WIDER_ENVIRONMENTS = [...environments, ...(Object.keys(WIDER) as (keyof typeof WIDER)[])];

/** Runs one of them once for all tests of a worker, which get it frozen. One run at a time: await it. */
export function widerRun(name: (typeof WIDER_ENVIRONMENTS)[number]): Promise<ProgramRun> {
  if (!isWider(name)) {
    return programRun(name);
  }
  const found = widerRuns.get(name) ?? WIDER[name]().then(frozen);
  widerRuns.set(name, found);
  return found;
}

function isWider(name: (typeof WIDER_ENVIRONMENTS)[number]): name is keyof typeof WIDER {
  return name in WIDER;
}
