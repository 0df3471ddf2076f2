import { describe, expect, it } from "vitest";
import { imageEntry } from "../../../catalog/images";
import { syncDeadlineSeconds } from "../../../components/storage/model-sync";
import { modelPlan } from "../../harness/plans";
import { container, literals, podTemplate } from "../serving/fixture";
import { deployed, models } from "./fixture";

const JOB = "kubernetes:batch/v1:Job";
const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";

describe("ModelSync", () => {
  it("copies each Hugging Face model to its prefix, with the writer's keys", async () => {
    const deployment = await deployed();
    expect(deployment.ofType(JOB).map((r) => r.name)).toEqual(
      expect.arrayContaining(["storage-sync-llama-8b-copy-job", "storage-setup-provision-job"]),
    );
    expect(deployment.ofType(JOB)).toHaveLength(2);
    const job = deployment.resource(JOB, "storage-sync-llama-8b-copy-job");
    expect(job.inputs.metadata).toMatchObject({ name: "sync-llama-8b", namespace: "model-store" });
    const sync = container(podTemplate(job).spec, "sync");
    expect(sync.command).toEqual(["node", "/scripts/sync.ts"]);
    expect(literals(sync)).toMatchObject({
      RUN: "sync",
      REPOSITORY: "meta-llama/Llama-3.1-8B-Instruct",
      REVISION: "main",
      BUCKET: "models",
      PREFIX: "legal/llama-8b",
      SAFETENSORS_ONLY: "false",
      WITH_CODE: "false",
    });
    expect(literals(sync)).toMatchObject({ AWS_SHARED_CREDENTIALS_FILE: "/etc/model-store-keys/credentials" });
    expect(sync.volumeMounts).toContainEqual({
      name: "model-store-keys",
      mountPath: "/etc/model-store-keys",
      readOnly: true,
    });
    const { volumes } = podTemplate(job).spec;
    expect(volumes).toContainEqual({ name: "model-store-keys", secret: { secretName: "sync-keys" } });
    expect(sync.env.map((e) => e.name)).not.toContain("HF_TOKEN_PATH");
  });

  it("looks for a chat template in weights outside the catalogue alone", async () => {
    const source = { kind: "huggingface", repository: "acme/llama-ft", revision: "main" } as const;
    const own = modelPlan({ name: "own", task: "chat", source });
    const deployment = await deployed({ models: [...models, own] });
    const told = (model: string) =>
      literals(container(podTemplate(deployment.resource(JOB, `storage-sync-${model}-copy-job`)).spec, "sync"));
    expect(JSON.parse(told("own").TEMPLATE_WANTED ?? "")).toMatchObject({ model: "models.own" });
    expect(told("llama-8b").TEMPLATE_WANTED).toBeUndefined();
  });

  it("may report what it copied, and nothing else, to the model's namespace alone", async () => {
    const another = modelPlan({ name: "qwen-8b" });
    const deployment = await deployed({ models: [...models, another] });
    for (const model of ["llama-8b", "qwen-8b"]) {
      const metadata = { name: "weights-manifest", namespace: `model-${model}` };
      const role = deployment.resource(
        "kubernetes:rbac.authorization.k8s.io/v1:Role",
        `weights-${model}-manifest-role`,
      );
      expect(role.inputs).toMatchObject({
        metadata,
        rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["weights-manifest"], verbs: ["patch"] }],
      });
      const binding = deployment.resource(
        "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding",
        `weights-${model}-manifest-binding`,
      );
      expect(binding.inputs).toMatchObject({
        metadata,
        roleRef: { kind: "Role", name: "weights-manifest" },
        subjects: [{ kind: "ServiceAccount", name: `sync-${model}`, namespace: "model-store" }],
      });
      const { spec } = podTemplate(deployment.resource(JOB, `storage-sync-${model}-copy-job`));
      expect(spec).toMatchObject({ serviceAccountName: `sync-${model}`, automountServiceAccountToken: true });
      expect(literals(container(spec, "sync"))).toMatchObject({
        PIN_NAMESPACE: `model-${model}`,
        PIN_CONFIG_MAP: "weights-manifest",
      });
    }
    const setup = podTemplate(deployment.resource(JOB, "storage-setup-provision-job")).spec;
    expect(setup).toMatchObject({ automountServiceAccountToken: false });
  });

  it("finds the place of its report, and its right to it, when it starts", async () => {
    const job = (await deployed()).resource(JOB, "storage-sync-llama-8b-copy-job");
    const names = job.dependsOn.map((urn) => urn.split("::").at(-1));
    expect(names).toEqual(
      expect.arrayContaining(["weights-llama-8b-manifest-hash", "weights-llama-8b-manifest-binding"]),
    );
  });

  it("keeps what it reported when the platform is deployed again", async () => {
    const pin = (await deployed()).resource(CONFIG_MAP, "weights-llama-8b-manifest-hash");
    expect(pin.inputs.data).toBeUndefined();
    expect(pin.options.ignoreChanges).toEqual(["data"]);
  });

  it("reads the Hugging Face token from a Secret, where there is one", async () => {
    const deployment = await deployed({ huggingFaceToken: "hf_example" });
    const { spec } = podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job"));
    const sync = container(spec, "sync");
    expect(literals(sync)).toMatchObject({ HF_TOKEN_PATH: "/etc/hugging-face/token" });
    expect(sync.volumeMounts).toContainEqual({ name: "hugging-face", mountPath: "/etc/hugging-face", readOnly: true });
    expect(spec.volumes).toContainEqual({ name: "hugging-face", secret: { secretName: "hugging-face" } });
  });

  it("insists on safetensors for models that are streamed", async () => {
    const deployment = await deployed({ models: [modelPlan({ loading: "stream" })] });
    const sync = container(podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job")).spec, "sync");
    expect(literals(sync).SAFETENSORS_ONLY).toBe("true");
  });

  it("copies the repository's code for engines that may run it", async () => {
    const deployment = await deployed({ models: [modelPlan({ args: { "trust-remote-code": true } })] });
    const sync = container(podTemplate(deployment.resource(JOB, "storage-sync-llama-8b-copy-job")).spec, "sync");
    expect(literals(sync).WITH_CODE).toBe("true");
  });

  it("leaves models alone that somebody put into the bucket", async () => {
    const source = { kind: "bucket", uri: "s3://models/own/tuned" } as const;
    const deployment = await deployed({ models: [modelPlan({ source })] });
    expect(deployment.ofType("inference:storage:ModelSync")).toEqual([]);
    expect(deployment.ofType("inference:storage:ManifestPin")).toEqual([]);
  });

  it("has the time that its bytes take on a link that the Jobs of other models share", () => {
    expect(syncDeadlineSeconds(0, 1)).toBe(900);
    expect(syncDeadlineSeconds(16.06, 1)).toBe(Math.ceil((16.06 * 8 * 10) / 0.6) + 900);
    expect(syncDeadlineSeconds(812, 10)).toBeLessThan(syncDeadlineSeconds(812, 1));
  });

  it("runs in an image of the Node version that strips types", () => {
    const major = Number(imageEntry("node").tag.split(".")[0]);
    expect(major).toBeGreaterThanOrEqual(24);
  });
});
