import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { runEnvironment } from "../../offline/environment";
import { parseEnvironmentFile } from "../../stacks/config";
import { gpuAccess } from "../../stacks/gpu-access";
import { Deployment } from "../harness/deploy";

const settings = {
  gpuRuntimeClass: "nvidia",
  gpuDevices: { groups: [992], environment: { HSA_OVERRIDE_GFX_VERSION: "11.0.0" } },
};

describe("the settings of GPU pods", () => {
  it("belong to their vendors where a cluster has cards of both", () => {
    expect(gpuAccess(settings, ["nvidia", "amd", "nvidia"])).toEqual({
      nvidia: { runtimeClass: "nvidia" },
      amd: settings.gpuDevices,
    });
  });

  it.each(["nvidia", "amd"] as const)("are all %s's in a cluster of that vendor", (vendor) => {
    const other = vendor === "nvidia" ? "amd" : "nvidia";
    const access = gpuAccess(settings, [vendor, vendor]);
    expect(access[vendor]).toEqual({ runtimeClass: "nvidia", ...settings.gpuDevices });
    expect(access[other]).toEqual({});
  });

  it("are nobody's in a cluster without GPUs, and nothing where nothing is set", () => {
    expect(gpuAccess(settings, [])).toEqual({ nvidia: {}, amd: {} });
    expect(gpuAccess({ gpuRuntimeClass: undefined, gpuDevices: undefined }, ["nvidia", "amd"])).toEqual({
      nvidia: {},
      amd: {},
    });
  });
});

describe("the runtime class of a machine that k3s is installed on", () => {
  const made = { kind: "edge", provision: "create", gpuRuntimeClass: undefined, gpuDevices: undefined } as const;

  it("is k3s' own for NVIDIA cards, and none for others", () => {
    expect(gpuAccess(made, ["nvidia"]).nvidia).toEqual({ runtimeClass: "nvidia" });
    expect(gpuAccess(made, ["amd"])).toEqual({ nvidia: {}, amd: {} });
  });

  it("is what the environment says where it says one, and none where k3s was there before", () => {
    expect(gpuAccess({ ...made, gpuRuntimeClass: "mine" }, ["nvidia"]).nvidia).toEqual({ runtimeClass: "mine" });
    expect(gpuAccess({ ...made, provision: "existing" }, ["nvidia"]).nvidia).toEqual({});
    expect(gpuAccess({ ...made, kind: "oci" }, ["nvidia"]).nvidia).toEqual({});
  });
});

describe("a cluster with GeForce and Radeon cards", () => {
  const machine = { vcpus: 32, memoryGiB: 128, localNvmeGB: 2000, networkGbps: 10 };
  const sections = {
    stage: "development",
    cluster: { kind: "edge", ...settings },
    pools: {
      geforce: { node: { card: "rtx-4090", gpuCount: 1, ...machine } },
      radeon: { node: { card: "radeon-pro-w7900", gpuCount: 2, ...machine } },
    },
    models: {
      chat: { model: "qwen3-8b", concurrency: 1, pools: ["radeon"] },
      writer: { model: "phi-4", engine: "ollama", concurrency: 1, pools: ["radeon"] },
      coder: { model: "qwen3-4b-awq", concurrency: 1, pools: ["geforce"] },
    },
    gateway: { hostname: "inference.example.internal", tls: { kind: "self-signed" } },
  };

  it("gives no pod the other vendor's runtime class, groups or variables", async () => {
    const config = Object.fromEntries(
      Object.entries(sections).map(([key, value]) => [`inference-stacks:${key}`, value]),
    );
    const file = parseEnvironmentFile(stringify({ config }));
    if (!file.ok) {
      throw new Error(JSON.stringify(file.problems));
    }
    const { recording, plan } = await runEnvironment({ name: "mixed", file, baseDirectory: "." });
    expect(plan.problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    const deployment = new Deployment(recording);
    const podOf = (model: string) => {
      const resource = [
        ...deployment.ofType("kubernetes:apps/v1:Deployment"),
        ...deployment.ofType("kubernetes:apps/v1:StatefulSet"),
      ].find(({ inputs }) => (inputs.metadata as { namespace: string }).namespace === `model-${model}`);
      const spec = resource?.inputs.spec as { template: { spec: PodSpec } };
      const { runtimeClassName, securityContext, containers } = spec.template.spec;
      const variables = containers.flatMap(({ env = [] }) => env.map(({ name }) => name));
      return {
        runtimeClassName,
        groups: securityContext.supplementalGroups,
        override: variables.includes("HSA_OVERRIDE_GFX_VERSION"),
      };
    };
    expect(podOf("coder")).toEqual({ runtimeClassName: "nvidia", groups: undefined, override: false });
    expect(podOf("chat")).toEqual({ runtimeClassName: undefined, groups: [992], override: true });
    expect(podOf("writer")).toEqual({ runtimeClassName: undefined, groups: [992], override: true });
  });
});

interface PodSpec {
  readonly runtimeClassName?: string;
  readonly securityContext: { readonly supplementalGroups?: readonly number[] };
  readonly containers: readonly { readonly env?: readonly { readonly name: string }[] }[];
}
