import { beforeAll, describe, expect, it } from "vitest";
import { chartValueProblems } from "../../../catalog/chart-values";
import { imageEntry } from "../../../catalog/images";
import type { Deployment } from "../../harness/deploy";
import { at, deployBeta9, documentIn, gpuPool, passwords, type Settings } from "./fixture";

const RELEASE = "kubernetes:helm.sh/v3:Release";
const ADMISSION_POLICY = "kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy";
const PASSWORD = "random:index/randomPassword:RandomPassword";

/** What pkg/common/config.default.yaml of beam-cloud/beta9@0b79dfebd publishes. */
const PUBLIC_DEFAULTS: readonly (readonly [path: string, value: string])[] = [
  ["database.postgres.password", "password"],
  ["database.postgres.encryptionKey", "sk_pKz38fK8v7lz01AneJI8MJnR70akmP2CtDNf1IufKcY="],
  ["storage.juicefs.awsAccessKey", "test"],
  ["storage.juicefs.awsSecretKey", "test"],
  ["storage.workspaceStorage.defaultAccessKey", "test"],
  ["storage.workspaceStorage.defaultSecretKey", "test"],
  ["fileService.accessKey", "test"],
  ["fileService.secretKey", "test-test-test"],
  ["imageService.registries.s3.accessKey", "test"],
  ["imageService.registries.s3.secretKey", "test"],
];

let deployment: Deployment;
let settings: Settings;
let credentials: Settings;
let values: Settings;

beforeAll(async () => {
  deployment = await deployBeta9();
  settings = documentIn(deployment.resource("kubernetes:core/v1:ConfigMap", "beta9-settings"), "data", "settings.yaml");
  const secret = deployment.resource("kubernetes:core/v1:Secret", "beta9-credentials");
  credentials = documentIn(secret, "stringData", "settings-credentials.yaml");
  values = deployment.resource(RELEASE, "beta9-release").inputs.values as Settings;
});

describe("credentials", () => {
  it.each(PUBLIC_DEFAULTS)("%s does not keep its public default", (path, published) => {
    expect(at(credentials, path)).toEqual(expect.stringMatching(/.{5,}/));
    expect(at(credentials, path)).not.toBe(published);
  });

  it("come from the backends, or are generated", () => {
    expect(at(credentials, "database")).toMatchObject({
      postgres: { password: passwords.postgres },
      redis: { password: passwords.redis },
    });
    expect(at(credentials, "storage.juicefs.redisURI")).toBe("rediss://:files%2F%2B7@files.redis.example.com:6380/0");
    expect(at(credentials, "storage.workspaceStorage.defaultSecretKey")).toBe(passwords.store);
    expect(at(credentials, "fileService.secretKey")).toBe("offline-beta9-file-service-key");
    expect(at(credentials, "cache.coordinator.token")).toBe("offline-beta9-coordinator-token");
  });

  it("have an encryption key of 256 bits, kept in production", async () => {
    const key = String(at(credentials, "database.postgres.encryptionKey"));
    expect(Buffer.from(key.replace(/^sk_/, ""), "base64").toString()).toBe("offline-beta9-encryption-key");
    const password = deployment.resource(PASSWORD, "beta9-encryption-key");
    expect(password.inputs).toMatchObject({ length: 32, special: false });
    expect(password.options.protect).toBe(true);
    const development = await deployBeta9({ stage: "development" });
    expect(development.resource(PASSWORD, "beta9-encryption-key").options.protect).toBe(false);
  });

  it("stand in the Secret alone, as Pulumi secrets", () => {
    const secret = deployment.resource("kubernetes:core/v1:Secret", "beta9-credentials");
    expect(secret.secretInputs).toContain("stringData");
    const elsewhere = JSON.stringify([settings, values]);
    for (const value of [...Object.values(passwords), "offline-"]) {
      expect(elsewhere).not.toContain(value);
    }
  });

  it("leave out passwords that a Redis does not have", async () => {
    const open = await deployBeta9({ redisPasswords: false });
    const secret = open.resource("kubernetes:core/v1:Secret", "beta9-credentials");
    const document = documentIn(secret, "stringData", "settings-credentials.yaml");
    expect(at(document, "database.redis.password")).toBe("");
    expect(at(document, "storage.juicefs.redisURI")).toBe("rediss://files.redis.example.com:6380/0");
  });
});

describe("settings", () => {
  it("say where the backends are", () => {
    expect(at(settings, "database.postgres")).toEqual({
      host: "postgres.example.com",
      port: 5432,
      name: "beta9",
      username: "beta9",
      enableTLS: true,
    });
    expect(at(settings, "database.redis")).toEqual({
      mode: "single",
      addrs: ["state.redis.svc:6379"],
      enableTLS: false,
    });
    expect(at(settings, "storage.juicefs.awsS3Bucket")).toBe("https://minio.model-store.svc:9000/files");
    expect(at(settings, "imageService.registries.s3.bucketName")).toBe("images");
    expect(JSON.stringify(settings)).not.toMatch(/localstack|registry\.localhost|127\.0\.0\.1/);
  });

  it("make one worker pool of each GPU pool, by its own name and Beta9's name of the GPU", () => {
    const pools = at(settings, "worker.pools") as Settings;
    expect(Object.keys(pools)).toEqual(["default", "build", "vision", "large"]);
    expect(pools.large).toMatchObject({
      mode: "local",
      gpuType: "H100",
      runtime: "nvidia",
      containerRuntime: "gvisor",
      jobSpec: { nodeSelector: { "node.kubernetes.io/instance-type": "BM.GPU.H100.8" } },
      hourlyCostCents: 400,
    });
    expect(at(pools.vision, "gpuType")).toBe("A10");
  });

  it("keep no worker waiting, claim GPUs, and send everything else to the CPU pool", () => {
    const pools = Object.values(at(settings, "worker.pools") as Settings);
    for (const pool of pools) {
      expect(at(pool, "poolSizing")).toMatchObject({ minFreeCpu: "0", minFreeGpu: "0", minFreeMemory: "0" });
    }
    expect(at(settings, "worker.jobResourcesEnforced")).toBe(true);
    for (const own of ["default", "build"]) {
      const selector = at(settings, `worker.pools.${own}.jobSpec.nodeSelector`);
      expect(selector).toEqual({
        "kubernetes.io/arch": "amd64",
        "node.kubernetes.io/instance-type": "VM.Standard.E5.Flex",
      });
    }
  });

  it("pin the worker's image, whose own default is latest", () => {
    const { repository, tag } = imageEntry("beta9-worker");
    const { imageRegistry, imageName, imageTag } = at(settings, "worker") as Record<string, string>;
    expect(`${imageRegistry}/${imageName}:${imageTag}`).toBe(`${repository}:${tag}`);
  });

  it("refuse a GPU that Beta9 has no name for", async () => {
    const pool = gpuPool("radeon", "BM.GPU.MI300X.8");
    await expect(deployBeta9({ gpuPools: [pool] })).rejects.toThrow(/"radeon" has no GPU that Beta9 has a name for/);
  });
});

describe("the release", () => {
  it("sets only values that the pinned chart knows", () => {
    expect(chartValueProblems("beta9-chart", values)).toEqual([]);
  });

  it("switches the chart's databases off and pins both images", () => {
    expect(values).toMatchObject({
      postgresql: { enabled: false },
      redis: { enabled: false },
      "juicefs-redis": { enabled: false },
      images: { gateway: { tag: imageEntry("beta9-gateway").tag }, worker: { tag: imageEntry("beta9-worker").tag } },
    });
    expect(deployment.resource(RELEASE, "beta9-release").inputs).toMatchObject({
      chart: "oci://public.ecr.aws/n4e0e1y0/beta9-chart",
      version: "0.1.762",
      namespace: "beta9",
    });
  });

  it("waits for the backends at their ports, by the chart's names for them", () => {
    const command = at(values, "controllers.gateway.initContainers.wait-on-backends.command") as string[];
    expect(command.at(-1)?.match(/nc -z \S+ \d+/g)).toEqual([
      "nc -z postgresql 5432",
      "nc -z redis-master 6379",
      "nc -z juicefs-redis-master 6380",
    ]);
    const aliases = deployment
      .ofType("kubernetes:core/v1:Service")
      .map(({ inputs }) => [at(inputs, "metadata.name"), at(inputs, "spec")]);
    expect(Object.fromEntries(aliases)).toEqual({
      postgresql: { type: "ExternalName", externalName: "postgres.example.com" },
      "redis-master": { type: "ExternalName", externalName: "state.redis.svc.cluster.local" },
      "juicefs-redis-master": { type: "ExternalName", externalName: "files.redis.example.com" },
    });
  });

  it("comes after what it mounts and after its workers' admission", () => {
    const needs = deployment.resource(RELEASE, "beta9-release").dependsOn.map((urn) => urn.split("::").at(-1));
    expect(needs).toEqual(
      expect.arrayContaining(["beta9-settings", "beta9-credentials", "beta9-postgresql", "beta9-tolerations"]),
    );
  });
});

describe("the namespace", () => {
  it("is privileged: workers make containers", () => {
    const { inputs } = deployment.resource("kubernetes:core/v1:Namespace", "beta9-ns-namespace");
    const labels = at(inputs, "metadata.labels") as Settings;
    expect(labels["pod-security.kubernetes.io/enforce"]).toBe("privileged");
  });

  it("trusts the model store where that holds its files", async () => {
    expect(at(values, "controllers.gateway.containers.main.env.SSL_CERT_FILE")).toBe("/etc/model-store/ca.crt");
    expect(at(settings, "worker.pools.vision.jobSpec.volumes.0.secret.secretName")).toBe("model-store-trust");
    const elsewhere = await deployBeta9({ endpoint: "https://s3.example.com" });
    expect(elsewhere.ofKind("Certificate")).toEqual([]);
  });
});

describe("tolerations", () => {
  it("are each taint of the GPU pools, once", () => {
    const { inputs } = deployment.resource(ADMISSION_POLICY, "beta9-tolerations-policy");
    const expression = String(at(inputs, "spec.mutations.0.jsonPatch.expression"));
    const [, appended = "", created = ""] = /^has\(object\.spec\.tolerations\) \? (.*) : (.*)$/.exec(expression) ?? [];
    for (const list of [appended, created]) {
      expect(list.match(/Object\.spec\.tolerations\{[^}]*\}/g)).toEqual([
        'Object.spec.tolerations{key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule"}',
        'Object.spec.tolerations{key: "dedicated", operator: "Equal", value: "inference", effect: "NoSchedule"}',
      ]);
    }
  });

  it("are left alone where the nodes are untainted", async () => {
    const untainted = await deployBeta9({ tolerations: "none" });
    expect(untainted.ofType(ADMISSION_POLICY)).toEqual([]);
  });
});
