/** What a bundle lists is what the rendered folders name: every image, every chart, and no other. */
import { beforeAll, describe, expect, it } from "vitest";
import { type BundleNeeds, bundleNeeds } from "../../bundle/needs";
import { chartImages } from "../../catalog/chart-images";
import { charts } from "../../catalog/charts";
import { image } from "../../catalog/images";
import { main } from "../../cli/bundle";
import type { ModelPlan } from "../../planner/types";
import { runPiped } from "../cli/run";
import { adaptersPlan, hubAdapter } from "../harness/adapters";
import { modelPlan } from "../harness/plans";
import { type ReadObject, shippedRendering } from "../render/run";
import { environments, programRun } from "../stacks/run";

/** A placeholder that no registry has: it is told, and not listed. */
const PLACEHOLDER = "ghcr.io/your-org/inference-model-control:0.1.0";

/** Every text under a key `image` of an object, wherever it stands. */
function imagesOf(value: unknown): string[] {
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, item]) =>
        key === "image" && typeof item === "string" ? [item] : imagesOf(item),
      )
    : [];
}

interface Source {
  readonly repoURL: string;
  readonly chart: string;
  readonly targetRevision: string;
  readonly helm: { readonly valuesObject?: object };
}

/** The chart of an Application, by what Argo CD is told. */
function chartOf(object: ReadObject): Source & { readonly name: string } {
  const { source } = (object as unknown as { spec: { source: Source } }).spec;
  const whole = `oci://${source.repoURL}/${source.chart}`;
  const entry = charts.find(({ chart, repository }) =>
    repository.startsWith("oci://") ? repository === whole : repository === source.repoURL && chart === source.chart,
  );
  return { ...source, name: entry?.name ?? whole };
}

/** The images that a chart pulls with its values: one that the values name in place of the default is that. */
function imagesOfChart({ name, helm: { valuesObject = {} } }: ReturnType<typeof chartOf>): string[] {
  const at = (path: string | undefined) =>
    path?.split(".").reduce<unknown>((map, key) => Object(map)[key], valuesObject);
  return chartImages(name)
    .images.filter(({ when }) => at(when) !== false)
    .map(({ component, reference }) => {
      const named = at(reference);
      return typeof named === "string" ? named : image(component);
    });
}

describe.each(environments)("the bundle of %s", (name) => {
  let needs: BundleNeeds;
  let objects: readonly ReadObject[];
  // Two charts of it take values of a cloud that is not made yet, and are in no file.
  const isWhole = name !== "aws-prod";
  beforeAll(async () => {
    needs = bundleNeeds(await programRun(name));
    const shipped = await shippedRendering(name);
    expect(shipped.status).toBe(0);
    objects = shipped.objects;
  }, 60_000);

  /** All that is listed; where a folder lacks charts, of that what it has. */
  function compared(listed: readonly string[], rendered: readonly string[]): string[] {
    return listed.filter((each) => isWhole || rendered.includes(each)).sort();
  }

  it("has every image of the rendered folder, of its pods and of its charts, and no other", () => {
    const applications = objects.filter(({ kind }) => kind === "Application");
    const rendered = new Set([
      ...objects.filter(({ kind }) => kind !== "Application").flatMap(imagesOf),
      ...applications.map(chartOf).flatMap(imagesOfChart),
    ]);
    rendered.delete(PLACEHOLDER);
    const listed = needs.images.map(({ reference }) => reference);
    expect(compared(listed, [...rendered])).toEqual([...rendered].sort());
    expect(rendered.size).toBeGreaterThan(15);
  });

  it("has every chart of the rendered folder at its version, and no other", () => {
    const rendered = objects
      .filter(({ kind }) => kind === "Application")
      .map(chartOf)
      .map(({ name: chart, targetRevision }) => `${chart} ${targetRevision}`);
    const listed = needs.charts.map((chart) => `${chart.name} ${chart.version}`);
    expect(compared(listed, rendered)).toEqual([...new Set(rendered)].sort());
    expect(rendered.length).toBeGreaterThan(3);
  });

  it("has every repository that a sync Job copies, once, with its size", () => {
    const jobs = objects.filter(({ kind, metadata }) => kind === "Job" && metadata.name.startsWith("sync-"));
    const copied = jobs.flatMap((job) => {
      const { containers } = (job as unknown as { spec: { template: { spec: { containers: Container[] } } } }).spec
        .template.spec;
      return containers.map(({ env }) => {
        const value = (key: string) => env.find((each) => each.name === key)?.value;
        return `${value("REPOSITORY")}@${value("REVISION")}`;
      });
    });
    expect(needs.models.map(({ repository, revision }) => `${repository}@${revision}`).sort()).toEqual(
      [...new Set(copied)].sort(),
    );
    expect(needs.models.filter(({ gigabytes, usedBy }) => gigabytes < 0.01 || usedBy.length === 0)).toEqual([]);
  });

  it("names a digest where the reference has one, and a licence or that nobody knows one", () => {
    for (const { reference, digest, license } of needs.images) {
      expect(digest).toBe(reference.split("@")[1]);
      expect(license).not.toBe("");
    }
  });
});

interface Container {
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

describe("the repositories of models and adapters", () => {
  it("are listed once each, with every model and adapter that uses them", async () => {
    const run = await programRun("edge-nvidia");
    const shared = { kind: "huggingface", repository: "org/style-lora", revision: "main" } as const;
    const bucket = { kind: "bucket", uri: "s3://models/own" } as const;
    const adapters = adaptersPlan({
      list: [hubAdapter("style", { source: shared }), hubAdapter("own", { source: bucket })],
    });
    const model = (name: string, more: Partial<ModelPlan> = {}) => modelPlan({ name, adapters, ...more });
    const models = [model("a"), model("b"), model("c", { source: bucket })];
    const { models: listed } = bundleNeeds({ ...run, plan: { ...run.plan, models } });
    expect(listed.map(({ repository, usedBy, gigabytes }) => [repository, usedBy, gigabytes])).toEqual([
      ["meta-llama/Llama-3.1-8B-Instruct", ["a", "b"], modelPlan().weightsGB],
      ["org/style-lora", ["a.adapters.style", "b.adapters.style", "c.adapters.style"], adapters.fileGB],
    ]);
  });

  it("are listed with the code that one of their models runs", async () => {
    const run = await programRun("edge-nvidia");
    const models = [modelPlan({ name: "a" }), modelPlan({ name: "b", args: { "trust-remote-code": true } })];
    const choiceOf = (plans: readonly ModelPlan[]) =>
      bundleNeeds({ ...run, plan: { ...run.plan, models: plans } }).models.map(({ choice }) => choice);
    const plain = { kind: "model", safetensorsOnly: false, withCode: false };
    expect(choiceOf(models.slice(0, 1))).toEqual([plain]);
    expect(choiceOf(models)).toEqual([{ ...plain, withCode: true }]);
    expect(choiceOf(models.toReversed())).toEqual([{ ...plain, withCode: true }]);
  });
});

describe("npm run bundle without a folder", () => {
  it("lists everything, with what k3s is made of", async () => {
    const { status, out, err } = await runPiped(main, ["edge-nvidia"]);
    expect([status, err]).toEqual([0, ""]);
    const { needs } = { needs: bundleNeeds(await programRun("edge-nvidia")) };
    for (const part of [
      ...needs.images.map(({ reference }) => reference.replace(/@.*/, "")),
      ...needs.charts.map(({ name }) => name),
      ...needs.models.map(({ repository }) => repository),
      ...["install.sh", "k3s-airgap-images-amd64.tar.zst"],
    ]) {
      expect(out).toContain(part);
    }
    expect(out).not.toMatch(/undefined|NaN/);
  });

  it("gives the same as JSON", async () => {
    const { status, out } = await runPiped(main, ["edge-radeon", "--json"]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(bundleNeeds(await programRun("edge-radeon")))));
  });

  it.each([
    [["--dry-run"], "add --out DIR"],
    [["--out", "x", "--dry-run", "--verify"], "name one"],
    [["--out", ""], "names no folder"],
  ])("refuses %j", async (argv, problem) => {
    const { status, err } = await runPiped(main, ["edge-nvidia", ...argv]);
    expect(status).toBe(2);
    expect(err).toContain(problem);
  });

  it("says what would use the internet later, and that a placeholder is no image", async () => {
    const { status, err } = await runPiped(main, ["dev"]);
    expect(status).toBe(1);
    expect(err).toContain(PLACEHOLDER);
    expect(err).toMatch(/models\.\w+\.engine/);
    expect(err).toContain("ollama downloads from the Ollama registry by itself, and a bundle cannot answer it");
  });
});
