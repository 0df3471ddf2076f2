/** `storage.imageVolumes`: what the plan states of an image that pods mount, and where it is refused. */
import { describe, expect, it } from "vitest";
import { usedImages } from "../../report/images";
import { onA10 } from "../cli/run";
import { ruleCases } from "./config/rule-cases";
import { problemsWith } from "./config/samples";
import { planText } from "./planned";
import { changedRun } from "./run";
import { environmentText, shippedSections } from "./texts";

const model = "qwen2.5-7b-instruct";
const reference = `registry.example.com/team/qwen:v1@sha256:${"a".repeat(64)}`;
const source = `oci://${reference}`;
const storage = { imageVolumes: true };

describe("an image as a volume", () => {
  it.each([
    ["1.34", ["storage.imageVolumes"]],
    ["1.35", []],
  ])("is refused where Kubernetes has the type off: %s", (kubernetesVersion, expected) => {
    const eks = { ...(shippedSections("aws-prod").cluster as { eks: object }).eks, kubernetesVersion };
    const cluster = { kind: "aws", provision: "create", eks };
    const problems = problemsWith({ cluster, models: { chat: { model, source } }, storage });
    expect(problems.map(({ path }) => path).filter((path) => path.startsWith("storage"))).toEqual(expected);
  });

  it("is planned without a copy in the store, with its room on the node", async () => {
    const [copied, mounted] = await Promise.all(
      [{}, storage].map((of) => planText(environmentText(onA10({ source, concurrency: 1 }, { storage: of })))),
    );
    expect(mounted?.plan.models).toMatchObject([{ loading: "mount", source: { kind: "artifact", mounted: true } }]);
    expect(mounted?.plan.storage.models).toEqual([]);
    expect(mounted?.plan.models[0]?.resources).toEqual(copied?.plan.models[0]?.resources);
    const told = mounted?.plan.problems.filter(({ rule }) => rule === "image-volume");
    expect(told).toMatchObject([{ severity: "advisory", subject: "models.chat" }]);
  });

  it("is mounted by its digest, to read; no Job copies it and no policy opens its registry", async () => {
    const { deployment } = await changedRun("edge-nvidia", {
      models: { chat: { model, source, concurrency: 1 } },
      storage,
    });
    const pods = JSON.stringify(deployment.ofType("kubernetes:apps/v1:Deployment").map(({ inputs }) => inputs));
    expect(pods).toContain(`{"image":{"pullPolicy":"IfNotPresent","reference":"${reference}"},"name":"model"}`);
    expect(pods).toContain('{"mountPath":"/models/current","name":"model","readOnly":true,"subPath":"models"}');
    const all = deployment.recording.resources.map(({ name }) => name).join(" ");
    expect(all).not.toMatch(/sync-chat|sync-of-chat|registry-registry/);
    expect(usedImages(deployment.recording.resources).map(({ image }) => image)).toContain(reference);
  });

  it("is pulled from the mirror with the secret, and is in the lists of images", async () => {
    const { resources } = await changedRun("edge-nvidia", {
      models: { chat: { model, source, concurrency: 1 } },
      storage,
      images: { mirror: "mirror.example.com/all" },
      registryCredentials: { secure: "v1:never-read" },
    });
    const there = `mirror.example.com/all/${reference}`;
    expect(usedImages(resources)).toContainEqual({ image: there, usedBy: ["platform-models-chat-server-deployment"] });
    const pods = JSON.stringify(resources.map(({ inputs }) => inputs).filter(({ kind }) => kind !== "Secret"));
    expect(pods).toContain(`"reference":"${there}"`);
    expect(pods).not.toContain(`"reference":"${reference}"`);
  });
});

ruleCases([
  [
    "image volumes without an image",
    { storage },
    { path: "storage.imageVolumes", allowed: "names source: oci://", fix: "remove it" },
  ],
  [
    "a login of Jobs with image volumes",
    {
      models: { chat: { model, source } },
      storage: { ...storage, registries: { "registry.example.com": { caFile: "ca.pem" } } },
    },
    { path: 'storage.registries["registry.example.com"].caFile', allowed: "no Job reads it", fix: "on the nodes" },
  ],
  [
    "adapters of an image volume",
    { models: { chat: { model, source, adapters: { law: `hf://org/law@${"a".repeat(40)}` } } }, storage },
    { path: "models.chat.adapters", allowed: "no keys to it", fix: "remove adapters" },
  ],
]);
