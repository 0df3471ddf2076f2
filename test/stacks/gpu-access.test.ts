import * as pulumi from "@pulumi/pulumi";
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

const OVERRIDE = "HSA_OVERRIDE_GFX_VERSION";

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

describe("groups that the machine says", () => {
  const read = pulumi.output([109]);
  const unsaid = { gpuRuntimeClass: undefined, gpuDevices: undefined };
  const groupsOf = (groups: pulumi.Input<number[]> | undefined) =>
    new Promise((resolve) => pulumi.output(groups).apply(resolve));

  it("open AMD's cards where nobody wrote any", async () => {
    const { amd, nvidia } = gpuAccess(unsaid, ["amd"], read);
    expect(await groupsOf(amd?.groups)).toEqual([109]);
    expect(nvidia).toEqual({});
    // As the schema fills in what is left out.
    const defaults = { ...unsaid, gpuDevices: { groups: [], environment: {} } };
    expect(await groupsOf(gpuAccess(defaults, ["amd"], read).amd?.groups)).toEqual([109]);
  });

  it("count less than those that somebody wrote", () => {
    expect(gpuAccess(settings, ["amd"], read).amd?.groups).toEqual([992]);
  });

  it("are not of pods on NVIDIA's cards, which everybody may open", () => {
    expect(gpuAccess(unsaid, ["nvidia"], read)).toEqual({ nvidia: {}, amd: {} });
  });
});

const machine = { vcpus: 32, memoryGiB: 128, localNvmeGB: 2000, networkGbps: 10 };

describe("a cluster with GeForce and Radeon cards", () => {
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
    const { recording, plan } = await runOf(sections);
    expect(plan.problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    const podOf = (model: string) => {
      const { runtimeClassName, groups, variables } = podsOf(recording, model);
      return { runtimeClassName, groups, override: Object.hasOwn(variables, OVERRIDE) };
    };
    expect(podOf("coder")).toEqual({ runtimeClassName: "nvidia", groups: undefined, override: false });
    expect(podOf("chat")).toEqual({ runtimeClassName: undefined, groups: [992], override: true });
    expect(podOf("writer")).toEqual({ runtimeClassName: undefined, groups: [992], override: true });
  });
});

describe("pools of Radeon cards", () => {
  const pools = {
    old: { node: { card: "rx-6700-xt", gpuCount: 1, ...machine } },
    new: { node: { card: "radeon-pro-w7900", gpuCount: 1, ...machine } },
  };
  const model = { model: "llama-3.2-1b-instruct", engine: "ollama", concurrency: 1 };
  const models = {
    "on-old": { ...model, pools: ["old"] },
    "on-new": { ...model, pools: ["new"] },
    own: { ...model, pools: ["old"], env: { [OVERRIDE]: "10.3.1" } },
  };
  const gateway = { hostname: "inference.example.internal", tls: { kind: "self-signed" } };
  const sections = { stage: "development", cluster: { kind: "edge" }, pools, models, gateway };
  const oneMore = { ...pools, old: { node: { card: "rx-6700-xt", gpuCount: 2, ...machine } } };
  const overrides = async (changes: object) => {
    const { recording, plan } = await runOf({ ...sections, pools: oneMore, ...changes });
    expect(plan.problems.filter(({ severity }) => severity === "mandatory")).toEqual([]);
    const of = (name: string) => podsOf(recording, name).variables[OVERRIDE];
    return { old: of("on-old"), new: of("on-new"), own: of("own"), advice: await adviceOf(changes) };
  };
  const adviceOf = async (changes: object) => {
    const { plan } = await runOf({ ...sections, pools: oneMore, ...changes });
    return plan.problems.filter(({ rule }) => rule === "gpu-override").map(({ message }) => message);
  };

  it("get what each card needs by the catalogue, and no text in the environment", async () => {
    expect(await overrides({})).toEqual({ old: "10.3.0", new: undefined, own: "10.3.1", advice: [] });
  });

  it("follow what the environment says instead, with advice on whom it hurts", async () => {
    const cluster = { kind: "edge", gpuDevices: { environment: { [OVERRIDE]: "11.0.0" } } };
    const { advice, ...pods } = await overrides({ cluster });
    expect(pods).toEqual({ old: "11.0.0", new: "11.0.0", own: "10.3.1" });
    expect(advice).toEqual([expect.stringContaining("AMD Radeon RX 6700 XT (pools.old) needs 10.3.0")]);
    expect(advice[0]).toContain("AMD Radeon PRO W7900 (pools.new) needs none");
    expect(advice[0]).toContain("It runs there as gfx1100");
  });

  it("are told where the environment repeats the catalogue", async () => {
    const cluster = { kind: "edge", gpuDevices: { environment: { [OVERRIDE]: "10.3.0" } } };
    const alone = { "on-old": models["on-old"] };
    expect(await adviceOf({ cluster, models: alone, pools: { old: pools.old } })).toEqual([
      "says what the catalogue says of AMD Radeon RX 6700 XT: pods get it by themselves. Remove it.",
    ]);
  });
});

async function runOf(sections: object) {
  const config = Object.fromEntries(Object.entries(sections).map(([key, value]) => [`inference-stacks:${key}`, value]));
  const file = parseEnvironmentFile(stringify({ config }));
  if (!file.ok) {
    throw new Error(JSON.stringify(file.problems));
  }
  return runEnvironment({ name: "mixed", file, baseDirectory: "." });
}

/** What the pods of a model have of their GPUs' driver. */
function podsOf(recording: ConstructorParameters<typeof Deployment>[0], model: string) {
  const deployment = new Deployment(recording);
  const resource = [
    ...deployment.ofType("kubernetes:apps/v1:Deployment"),
    ...deployment.ofType("kubernetes:apps/v1:StatefulSet"),
  ].find(({ inputs }) => (inputs.metadata as { namespace: string }).namespace === `model-${model}`);
  const spec = resource?.inputs.spec as { template: { spec: PodSpec } };
  const { runtimeClassName, securityContext, containers } = spec.template.spec;
  return {
    runtimeClassName,
    groups: securityContext.supplementalGroups,
    variables: Object.fromEntries(
      containers.flatMap(({ env = [] }) => env.map(({ name, value }): [string, string | undefined] => [name, value])),
    ),
  };
}

interface PodSpec {
  readonly runtimeClassName?: string;
  readonly securityContext: { readonly supplementalGroups?: readonly number[] };
  readonly containers: readonly { readonly env?: readonly { readonly name: string; readonly value?: string }[] }[];
}
