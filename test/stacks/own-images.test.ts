/** `models.<name>.image`: what the plan checks of an image that the user built, what it says of the rest, and who pulls it. */
import { describe, expect, it } from "vitest";
import { bundleNeeds } from "../../bundle/needs";
import { imageArchitecture } from "../../policies/rules/image-architecture";
import { usedImages } from "../../report/images";
import { container, deployment, plan as planRecord, podSpec, policyCases } from "../policies/cases";
import { ruleCases } from "./config/rule-cases";
import { problemsWith, rightEnvironment } from "./config/samples";
import { planText, refusalsOf } from "./planned";
import { changedRun } from "./run";
import { environmentText, suggestedSections } from "./texts";

const reference = "registry.example.com/ml/vllm-ours:v0.33.0-2";
const chat = { model: "llama-3.2-3b-instruct", concurrency: 2, engineVersion: "0.33.0" };
const planned = (model: object, pools: object = rightEnvironment.pools) =>
  planText(environmentText({ ...rightEnvironment, pools, models: { chat: { ...chat, ...model } } }));

ruleCases([
  [
    "an own image of no release",
    { models: { chat: { ...chat, engineVersion: undefined, image: reference } } },
    { path: "models.chat.engineVersion", allowed: "behaves as", fix: 'write engineVersion: "0.33.0"' },
  ],
  [
    "an own image whose tag moves",
    { models: { chat: { ...chat, image: "registry.example.com/ml/vllm:latest" } } },
    { path: "models.chat.image", allowed: "registry/repository:tag", fix: "" },
  ],
  [
    "a platform that no engine here is made for",
    { models: { chat: { ...chat, image: { reference, platforms: ["linux/s390x"] } } } },
    { path: "models.chat.image.platforms[0]", allowed: "linux/amd64", fix: "" },
  ],
  [
    "a flag that the release lacks",
    { models: { chat: { ...chat, engineVersion: "0.16.0", image: reference, args: { "no-such-flag": true } } } },
    { path: "models.chat.args.no-such-flag", allowed: "0.16.0", fix: "" },
  ],
]);

it("checks options against the release that the image behaves as", () => {
  const image = { reference, cuda: 13 };
  expect(problemsWith({ models: { chat: { ...chat, image } } })).toEqual([]);
});

describe("what is stated", () => {
  it.each([
    ["platforms", { reference, platforms: ["linux/arm64"] }, "linux/amd64"],
    ["ROCm", { reference, rocm: "7.2" }, "ROCm 7.2"],
  ])("of %s keeps it from pools that it cannot run on", async (_, image, text) => {
    const [refusal] = refusalsOf((await planned({ image })).plan);
    expect(refusal).toMatchObject({ rule: "model-fits", subject: "models.chat" });
    expect(refusal?.message).toContain(text);
  });

  it("is not asked again", async () => {
    const { plan } = await planned({ image: { reference, platforms: ["linux/amd64"], cuda: 13 } });
    expect(refusalsOf(plan)).toEqual([]);
    const [advice] = plan.problems.filter(({ rule }) => rule === "own-image");
    expect(advice).toMatchObject({ severity: "advisory", subject: "models.chat.image" });
    expect(advice?.message).toMatch(/vLLM 0\.33\.0.*No digest.*code for.*signed/);
    expect(advice?.message).not.toMatch(/stated/);
  });
});

it("says what is not stated", async () => {
  const { plan } = await planned({ image: reference });
  const [advice] = plan.problems.filter(({ rule }) => rule === "own-image");
  expect(advice?.message).toMatch(/made for linux\/amd64.*image\.cuda/);
  expect(plan.models[0]).toMatchObject({ engineVersion: "0.33.0", image: { reference } });
});

it("is what docs/own-images.md suggests", async () => {
  const found = suggestedSections("own-images.md");
  expect(found).toHaveLength(2);
  for (const { models } of found) {
    const { plan } = await planText(environmentText({ ...rightEnvironment, models }));
    expect(refusalsOf(plan)).toEqual([]);
  }
});

it("is compared with a canary's, each in its own image", async () => {
  const other = "registry.example.com/ml/vllm-ours:v0.33.0-3";
  const { plan } = await planned({ image: reference, canary: { image: other } });
  expect(plan.models.map(({ name, image }) => [name, image?.reference])).toEqual([
    ["chat", reference],
    ["chat-canary", other],
  ]);
});

it("goes through the mirror, into the list of images and into bundles, judged by its platforms", async () => {
  const digest = `sha256:${"0f1d2c3b4a596877".repeat(4)}`;
  const image = { reference: `registry.example.com/ml/vllm-ours@${digest}`, platforms: ["linux/amd64"], cuda: 13 };
  const run = await changedRun("oci-a10", {
    nodes: {},
    modelControl: { enabled: false },
    images: { mirror: "mirror.example.com/all" },
    models: { chat: { ...chat, image } },
  });
  const pulled = `mirror.example.com/all/${image.reference}`;
  expect(usedImages(run.resources).map((used) => used.image)).toContain(pulled);
  expect(bundleNeeds(run).images.find((each) => each.reference === pulled)).toMatchObject({ digest });
});

const MACHINE = "node.kubernetes.io/instance-type";
const pool = { name: "cpu", role: "cpu", cpuArch: "arm64", selector: { [MACHINE]: "A1" }, taints: [] };
const fits = { memoryPerGpu: { totalGiB: 1, limitGiB: 2 }, verdict: { intervalGiB: { above: 0 }, basis: "" } };
const stated = (platforms?: readonly string[]) =>
  planRecord({ pools: [pool], models: [{ name: "chat", image: { reference, platforms }, ...fits }] });
const pods = deployment(podSpec({ containers: [container({ image: `mirror.example.com/all/${reference}` })] }));

policyCases(imageArchitecture, [
  ["an own image for its nodes", [stated(["linux/arm64"]), pods], "pass"],
  ["an own image for others", [stated(["linux/amd64"]), pods], ["made for amd64"]],
  ["an own image of which nobody says it", [stated(), pods], "unknown"],
]);
