import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { repositoryRoot } from "../../../names/repository-root";
import type { EnvironmentRun } from "../../../offline/environment";
import { judge } from "../../../report/judge";
import { parseEnvironmentFile } from "../../../stacks/config";
import { assertDeployable } from "../../../stacks/program";
import { parseWith, problemsWith } from "../../stacks/config/samples";
import { environments } from "../../stacks/run";
import { runWithBeta9, section, turnedOn } from "./fixture";

describe("Beta9 is off", () => {
  it.each(environments)("in %s", (name) => {
    const file = parseEnvironmentFile(readFileSync(join(repositoryRoot(), `Pulumi.${name}.yaml`), "utf8"));
    expect(file.ok && file.environment.beta9 === undefined).toBe(true);
  });

  it("unless an environment has its section", () => {
    const parsed = parseWith();
    expect(parsed.ok && parsed.environment.beta9 === undefined).toBe(true);
  });
});

describe("an environment with Beta9", () => {
  let run: EnvironmentRun;
  beforeAll(async () => {
    run = await runWithBeta9();
  }, 30_000);

  it("passes every policy, and says what its chart may do and under which licence it is", () => {
    const { violations, policies } = judge(run);
    expect(policies.failed).toBe(0);
    expect(violations.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    const said = violations.map(({ policy, message }) => `${policy}: ${message}`);
    expect(said).toContainEqual(expect.stringMatching(/^no-cluster-admin: .*"beta9-role" in it: get, list, watch/));
    expect(said).toContainEqual(expect.stringMatching(/^beta9-licence: .*AGPL-3\.0/));
  });

  it("is deployable and shows where the gateway answers", () => {
    expect(() => assertDeployable(run.plan)).not.toThrow();
    expect(run.recording.outputs.beta9).toEqual({
      address: "http://beta9-gateway.beta9.svc:1994",
      health: "http://beta9-gateway.beta9.svc:1994/api/v1/health",
    });
  });

  it("takes all of its images from a mirror, those of the workers that it starts included", async () => {
    const mirror = "registry.example.com/mirror";
    const { recording } = await runWithBeta9({ images: { mirror }, registryCredentials: { secure: "v1:never-read" } });
    const release = recording.resources.find(({ name }) => name.endsWith("beta9-release"));
    const settings = recording.resources.find(({ name }) => name.endsWith("beta9-settings"));
    const worker = `${mirror}/public.ecr.aws/n4e0e1y0`;
    expect(release?.inputs.values).toMatchObject({
      images: { gateway: { repository: `${worker}/beta9-gateway` }, worker: { repository: `${worker}/beta9-worker` } },
      controllers: {
        gateway: {
          initContainers: { "wait-on-backends": { image: { repository: `${mirror}/docker.io/library/busybox` } } },
        },
      },
      defaultPodOptions: { imagePullSecrets: [{ name: "image-pull" }] },
    });
    const [file = ""] = Object.values(settings?.inputs.data as Record<string, string>);
    expect(parse(file)).toMatchObject({
      worker: { imageRegistry: worker, imageName: "beta9-worker", imagePullSecrets: ["image-pull"] },
    });
  });

  it("places models as it would without Beta9", async () => {
    const without = await runWithBeta9({
      beta9: undefined,
      beta9PostgresPassword: undefined,
      beta9S3SecretKey: undefined,
    });
    expect(run.plan.models).toEqual(without.plan.models);
    expect(without.recording.resources.filter(({ name }) => name.includes("beta9"))).toEqual([]);
  });

  it("is refused, with the reason, until somebody accepts the chart's role", async () => {
    const { plan } = await runWithBeta9({ beta9: { ...section, acknowledgeClusterAdmin: undefined } });
    expect(() => assertDeployable(plan)).toThrow(
      /beta9\.acknowledgeClusterAdmin: .*"beta9-role": .* Secrets of all namespaces .*acknowledgeClusterAdmin: true/,
    );
  });
});

describe("docs/beta9.md", () => {
  it("shows a section that works", () => {
    const page = readFileSync(join(repositoryRoot(), "docs", "beta9.md"), "utf8");
    const [, fragment = ""] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
    const beta9: unknown = parse(fragment)["inference-stacks:beta9"];
    expect(beta9).toHaveProperty("clients");
    expect(problemsWith({ ...turnedOn, beta9 })).toEqual([]);
  });
});

describe("mistakes in the section are told", () => {
  const paths = (changes: Readonly<Record<string, unknown>>) =>
    problemsWith({ ...turnedOn, ...changes }).map(({ path, fix }) => `${path}: ${fix}`);

  it("secrets that Beta9 must not keep at their default", () => {
    expect(paths({ beta9PostgresPassword: undefined, beta9S3SecretKey: undefined })).toEqual([
      "beta9PostgresPassword: run pulumi config set --secret inference-stacks:beta9PostgresPassword",
      "beta9S3SecretKey: run pulumi config set --secret inference-stacks:beta9S3SecretKey",
    ]);
  });

  it("pools that do not exist, have the wrong machines, or a name that Beta9 uses", () => {
    const pools = { ...turnedOn.pools, build: { shape: "VM.GPU.A10.1" }, arm: { shape: "BM.GPU.MI300X.8" } };
    expect(
      paths({ pools, beta9: { ...section, cpuPool: "gpu", gpuPools: ["gqu", "build", "system", "arm"] } }),
    ).toEqual([
      "beta9.cpuPool: write cpuPool: system",
      'beta9.gpuPools[0]: did you mean "gpu"?',
      "beta9.gpuPools[1]: rename the pool under pools and here",
      "beta9.gpuPools[2]: name another pool",
      "beta9.gpuPools[3]: name another pool",
    ]);
  });

  it("a pool named twice", () => {
    expect(paths({ beta9: { ...section, gpuPools: ["gpu", "gpu"] } })).toEqual(["beta9.gpuPools[1]: remove it"]);
  });

  it("an Arm pool for the gateway", () => {
    const pools = { ...turnedOn.pools, arm: { shape: "VM.Standard.A1.Flex", ocpus: 4, memoryGiB: 24 } };
    expect(paths({ pools, beta9: { ...section, cpuPool: "arm" } })).toEqual(["beta9.cpuPool: write cpuPool: system"]);
  });

  it("an address in the place of a name, and storage without TLS", () => {
    const beta9 = {
      ...section,
      redis: { host: "10.0.0.7" },
      s3: { ...section.s3, endpoint: "http://minio.model-store.svc:9000" },
    };
    expect(paths({ beta9 })).toEqual([
      expect.stringMatching(/^beta9\.redis\.host: /),
      expect.stringMatching(/^beta9\.s3\.endpoint: /),
    ]);
  });
});
