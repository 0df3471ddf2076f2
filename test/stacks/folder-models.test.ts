/** `source: file:///…` in an environment: what the plan states of it, what pods mount, and where it is refused. */
import { describe, expect, it } from "vitest";
import { onA10 } from "../cli/run";
import { ruleCases } from "./config/rule-cases";
import { planText, refusalsOf } from "./planned";
import { changedRun } from "./run";
import { environmentText, suggestedSections } from "./texts";

const model = "qwen2.5-7b-instruct";
const source = "file:///srv/models/qwen";
const edge = { cluster: { kind: "edge" } };
const pools = { gpu: { node: { card: "a100-80gb", gpuCount: 1, vcpus: 32, memoryGiB: 256 } } };

function planned(models: object) {
  return planText(environmentText({ ...onA10({}, { models }), ...edge, pools }));
}

describe("a model in a folder of the node", () => {
  it("is planned without a copy, and starts from the node's disk", async () => {
    const claimed = await planned({ chat: { model, source: "pvc://weights/qwen", concurrency: 1 } });
    const { plan } = await planned({ chat: { model, source, concurrency: 1 } });
    expect(plan.models).toMatchObject([{ loading: "mount", source: { kind: "folder", path: "/srv/models/qwen" } }]);
    expect(plan.storage.models).toEqual([]);
    expect(plan.models[0]?.resources).toEqual(claimed.plan.models[0]?.resources);
    const told = plan.problems.filter(({ rule }) => rule === "mounted-folder");
    expect(told).toMatchObject([{ severity: "advisory", subject: "models.chat" }]);
    expect(told[0]?.message).toContain("/srv/models/qwen");
  });

  it("and an image as a volume are planned as the page suggests", async () => {
    const mounted = suggestedSections("own-weights.md").filter((fragment) =>
      /file:\/\/|imageVolumes/.test(JSON.stringify(fragment)),
    );
    expect(mounted).toHaveLength(2);
    for (const fragment of mounted) {
      const { plan } = await planText(environmentText({ ...onA10({}), ...edge, pools, ...fragment }));
      expect(plan.models).toMatchObject([{ loading: "mount" }]);
      expect(refusalsOf(plan)).toEqual([]);
    }
  });

  it("is a volume of that folder alone, to read, for one claim; no system folder, and no hostPath", async () => {
    const { deployment } = await changedRun("edge-nvidia", { models: { chat: { model, source } }, pools, ...edge });
    const [volume] = deployment.ofType("kubernetes:core/v1:PersistentVolume").map(({ inputs }) => inputs);
    const [name] = deployment
      .ofType("kubernetes:core/v1:PersistentVolumeClaim")
      .map(({ inputs }) => inputs.metadata as { readonly name: string; readonly namespace: string })
      .flatMap((metadata) => (metadata.namespace === "model-chat" ? [metadata.name] : []));
    expect(volume).toMatchObject({
      spec: {
        accessModes: ["ReadOnlyMany"],
        persistentVolumeReclaimPolicy: "Retain",
        local: { path: "/srv/models/qwen" },
        claimRef: { namespace: "model-chat", name },
      },
    });
    const pods = JSON.stringify(deployment.ofType("kubernetes:apps/v1:Deployment").map(({ inputs }) => inputs));
    expect(pods).toContain(`{"claimName":"${name}","readOnly":true}`);
  });
});

ruleCases([
  [
    "a folder of nodes of a cloud",
    { models: { chat: { model, source } } },
    { path: "models.chat.source", allowed: "cluster.kind: edge", fix: "write pvc://claim/path" },
  ],
  [
    "a folder of a canary on nodes of a cloud",
    { models: { chat: { model, canary: { source } } } },
    { path: "models.chat.canary.source", allowed: "cluster.kind: edge", fix: "write pvc://claim/path" },
  ],
  [
    "a folder of the node's system",
    { models: { chat: { model, source: "file:///var/lib/kubelet/pods" } }, pools, ...edge },
    { path: "models.chat.source", allowed: "no folder of the node's system", fix: "/srv/models/chat" },
  ],
  [
    "a folder for Ollama",
    { models: { chat: { model: "llama-3.2-3b-instruct", engine: "ollama", source } }, pools, ...edge },
    { path: "models.chat.source", allowed: "does not read folders of nodes", fix: "or engine: vllm" },
  ],
  [
    "a path with ..",
    { models: { chat: { model, source: "file:///srv/../etc" } }, pools, ...edge },
    { path: "models.chat.source", allowed: "file:///folder", fix: "" },
  ],
]);
