/** One environment in one stack, and the same in two: the cluster's, and the platform's on it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterOutputs } from "../../components/cluster/cluster-outputs";
import { useFolder } from "../cli/run";
import { contentOf, render, shippedRendering } from "../render/run";
import { changedRun, type ProgramRun, programRun } from "./run";
import { changedText } from "./texts";

const ENVIRONMENT = "oci-a10";
const STACK = "acme/inference-stacks/oci-a10-cluster";
const KEY = "ocid1.key.oc1.eu-frankfurt-1.vault.volumes";
const TO_PLATFORM = { scope: "platform", cluster: { kind: "oci", provision: "stack", stackReference: STACK } };
const KUBERNETES = "kubernetes:";

const folder = useFolder();
const ofPlatform = ({ resources }: ProgramRun) =>
  resources
    .filter(({ type }) => !type.startsWith("oci:") && type.includes(":"))
    .filter(({ name }) => name.startsWith("platform"));

let all: ProgramRun;
let cluster: ProgramRun;
let platform: ProgramRun;
beforeAll(async () => {
  all = await programRun(ENVIRONMENT);
  cluster = await changedRun(ENVIRONMENT, { scope: "cluster" });
  platform = await changedRun(ENVIRONMENT, TO_PLATFORM);
}, 60_000);

describe("scope: cluster", () => {
  it("makes the cluster alone, as scope: all makes it, with the pools of the plan", () => {
    const made = ({ resources }: ProgramRun) =>
      resources.filter(({ name }) => name === "cluster" || name.startsWith("cluster-"));
    expect(made(cluster)).toEqual(made(all));
    expect(cluster.resources).toHaveLength(made(cluster).length + 1);
    expect(cluster.plan.pools).toEqual(all.plan.pools);
  });

  it("tells others of it in one output, which a reader understands", () => {
    const { cluster: said, ...others } = cluster.recording.outputs;
    expect(Object.keys(others)).toEqual(["kubeconfig"]);
    const plain = { ...(said as object), kubeconfig: "secret" };
    expect(clusterOutputs.parse(plain)).toMatchObject({ version: 1, kind: "oci", loadBalancer: "oke" });
    expect(Object.keys(clusterOutputs.parse(plain).pools)).toEqual(all.plan.pools.map(({ name }) => name));
  });

  it("is advised on the cluster alone", () => {
    const advised = cluster.plan.problems.map(({ rule }) => rule);
    expect(advised).toEqual(expect.arrayContaining(["private-endpoint", "cloud-capacity"]));
    expect(advised).not.toContain("gated-models");
  });

  it("renders nothing, and says what to render", async () => {
    const { status, err } = await render(
      ENVIRONMENT,
      "--config",
      file("cluster", { scope: "cluster" }),
      "--out",
      out("c"),
    );
    expect(status).toBe(1);
    expect(err).toContain("scope: cluster makes no Kubernetes object");
  });
});

describe("scope: platform", () => {
  it("makes the objects that scope: all makes, and no cluster", () => {
    expect(platform.resources.filter(({ type }) => type.startsWith("oci:"))).toEqual([]);
    const objects = (run: ProgramRun) =>
      ofPlatform(run)
        .filter(({ type }) => type.startsWith(KUBERNETES))
        .filter(({ inputs }) => inputs.kind !== "StorageClass")
        .map(({ urn, inputs, options, secretInputs }) => ({ urn, inputs, options, secretInputs }));
    expect(objects(platform)).toEqual(objects(all));
    expect(objects(platform).length).toBeGreaterThan(150);
  });

  it("assumes of the other stack what a stack of ours says of a cluster that it made", () => {
    const shape = (said: unknown) => {
      // Nothing of the platform asks for rights in the cloud, so that nobody assumes how to get them.
      const { kubeconfig, clusterIdentifier, identityGround, volumeClass, ...rest } = said as Record<string, unknown>;
      const { parameters, provisioner } = volumeClass as { parameters: object; provisioner: string };
      return { ...rest, provisioner, parameters: { ...parameters, "kms-key-id": "" } };
    };
    expect(shape(platform.clusterOutputs)).toEqual(shape(all.clusterOutputs));
  });
});

describe("both", () => {
  it("give the files of scope: all, byte by byte, without what only the deployment knows", async () => {
    const [one, two] = await rendered();
    expect(objects(two.files)).toEqual(objects(one.files));
    const why = "StorageClass inference-encrypted is in no file: parameters.kms-key-id is known once the stack";
    expect([...one.files.keys()].filter((path) => path.includes("storageclass"))).toEqual([]);
    expect(one.files.get("README.md")).toContain(why);
    expect(two.files.get("README.md")).toContain(why);
    expect(one.out).toContain(why);
  }, 60_000);

  it("give the files of scope: all with the outputs of the cluster's stack too", async () => {
    const outputs = join(folder, "outputs.json");
    const said = JSON.parse(
      JSON.stringify(cluster.recording.outputs.cluster, (key, value) => (key === "kubeconfig" ? "[secret]" : value)),
    );
    said.volumeClass.parameters["kms-key-id"] = KEY;
    writeFileSync(outputs, JSON.stringify({ cluster: said }));
    const [one, two] = await rendered("--outputs", outputs);
    expect(objects(two.files)).toEqual(objects(one.files));
    const made = parse(one.files.get("cluster/00-storageclass-inference-encrypted.yaml") ?? "");
    expect(made).toMatchObject({
      provisioner: "blockvolume.csi.oraclecloud.com",
      parameters: {
        "attachment-type": "paravirtualized",
        "csi.storage.k8s.io/fstype": "ext4",
        "kms-key-id": KEY,
        vpusPerGB: "10",
      },
      allowVolumeExpansion: true,
      volumeBindingMode: "WaitForFirstConsumer",
      reclaimPolicy: "Retain",
    });
    expect(made.metadata.annotations["argocd.argoproj.io/sync-options"]).toBe("Delete=false,Prune=false");
    expect(one.out).not.toContain("is in no file");
    for (const text of one.files.values()) {
      expect(text).not.toMatch(/offline-/);
    }
  }, 60_000);

  it.each([
    ["no JSON", "{", "cannot read the outputs in"],
    ["a list", "[]", "holds no outputs"],
    ["another stack's outputs", "{}", 'it has no output "cluster"'],
    ["another cluster's", '{"cluster":{"version":1,"kind":"aws","pools":{}}}', "pools.system: the plan has this pool"],
  ])("refuse a file of %s", async (_, text, message) => {
    const outputs = join(folder, "wrong.json");
    writeFileSync(outputs, text);
    const { status, err } = await render(ENVIRONMENT, "--out", out("wrong"), "--outputs", outputs);
    expect([status, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it("refuse outputs where no stack made the cluster", async () => {
    const { status, err } = await render("dev", "--out", out("dev"), "--outputs", "outputs.json");
    expect([status, err]).toEqual([
      2,
      expect.stringContaining("with cluster.provision: existing no stack made the cluster"),
    ]);
  });
});

/** All but the page for whoever applies them, which also has what the plan advises: each stack on what it makes. */
function objects(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...files].filter(([path]) => path !== "README.md"));
}

async function rendered(...argv: string[]) {
  const one = argv.length === 0 ? await shippedRendering(ENVIRONMENT) : await renderTo("all", ...argv);
  const two = await renderTo("platform", "--config", file("platform", TO_PLATFORM), ...argv);
  expect([one.status, one.err, two.status, two.err]).toEqual([0, "", 0, ""]);
  return [one, two] as const;
}

async function renderTo(name: string, ...argv: string[]) {
  return { ...(await render(ENVIRONMENT, "--out", out(name), ...argv)), files: contentOf(out(name)) };
}

function out(name: string): string {
  return join(folder, name);
}

/** The environment with sections of its own, in a file. */
function file(name: string, changes: Readonly<Record<string, unknown>>): string {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, changedText(ENVIRONMENT, changes));
  return path;
}
