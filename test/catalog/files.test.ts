import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { charts } from "../../catalog/charts";
import { images } from "../../catalog/images";
import { modelNames } from "../../catalog/models";
import { nodeAgentRows } from "../../catalog/node-agents";
import { okeAddons } from "../../catalog/oke";
import { schemas } from "../../catalog/schema";
import { cards, gpuModels, shapes } from "../../catalog/shapes";
import { repositoryRoot } from "../../names/repository-root";

const folder = join(repositoryRoot(), "catalog");

function readJson(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(folder, ...path), "utf8"));
}

function duplicates(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe("catalogue files", () => {
  it.each([
    ["shapes/gpus.json", schemas.gpus],
    ["shapes/oci.json", schemas.shapes],
    ["shapes/aws.json", schemas.shapes],
    ["shapes/onprem.json", schemas.cards],
    ["cloud-prices.json", schemas.cloudPrices],
    ["api-prices.json", schemas.apiPrices],
    ["uptime.json", schemas.uptime],
    ["models.json", schemas.models],
    ["charts.json", schemas.charts],
    ["images.json", schemas.images],
    ["fabrics.json", schemas.fabrics],
    ["mig-profiles.json", schemas.migProfiles],
    ["sriov.json", schemas.sriov],
    ["k3s.json", schemas.k3s],
    ["open-webui.json", schemas.openWebUi],
    ["licenses.json", schemas.licenses],
    ["image-signatures.json", schemas.imageSignatures],
    ["image-digests.json", schemas.imageDigests],
    ["oke.json", schemas.oke],
    ["oci-regions.json", schemas.ociRegions],
    ["aws-managed-policies.json", schemas.awsManagedPolicies],
    ["confidential.json", schemas.confidential],
    ["node-agents.json", schemas.nodeAgents],
    ["node-start.json", schemas.nodeStart],
    ["image-pull.json", schemas.imagePull],
    ["chart-images.json", schemas.chartImages],
    ["cuda-drivers.json", schemas.cudaDrivers],
    ["rocm-drivers.json", schemas.rocmDrivers],
    ["gpu-node-images.json", schemas.gpuNodeImages],
    ["pins.json", schemas.pins],
    ["advisories.json", schemas.advisories],
    ["bundled-engines.json", schemas.bundledEngines],
    ["local-clusters.json", schemas.localClusters],
    ...readdirSync(join(folder, "engine-options")).flatMap((file): [string, z.ZodType][] =>
      file.endsWith(".json")
        ? [[`engine-options/${file}`, file.endsWith("-rules.json") ? schemas.engineRules : schemas.engineOptions]]
        : [],
    ),
    ...readdirSync(join(folder, "engine-releases")).map((file): [string, z.ZodType] => [
      `engine-releases/${file}`,
      schemas.engineReleases,
    ]),
  ])("%s follows its schema", (file, schema) => {
    expect(schema.safeParse(readJson(file)).error?.issues ?? []).toEqual([]);
  });

  it("every chart-values file follows its schema, is of the pinned version, and no chart lacks one", () => {
    const files = readdirSync(join(folder, "chart-values"));
    expect(files.map((file) => basename(file, ".json")).sort()).toEqual(charts.map(({ name }) => name).sort());
    for (const { name, chart, version } of charts) {
      const values = schemas.chartValues.parse(readJson("chart-values", `${name}.json`));
      expect({ name, chart: values.chart, version: values.version }).toEqual({ name, chart, version });
    }
  });

  it("no name stands twice", () => {
    const tables = {
      gpus: gpuModels.map(({ model }) => model),
      shapes: [...shapes.map(({ name }) => name), ...cards.map(({ name }) => name)],
      models: modelNames(),
      nodeAgents: nodeAgentRows.map(({ name }) => name),
      charts: charts.map(({ name }) => name),
      images: images.map(({ component }) => component),
      okeAddons: okeAddons.map(({ name }) => name),
    };
    for (const [table, names] of Object.entries(tables)) {
      expect({ [table]: duplicates(names) }).toEqual({ [table]: [] });
    }
  });
});

describe("licences", () => {
  it("are of images and charts of the catalogue, each said once", () => {
    const { projects } = schemas.licenses.parse(readJson("licenses.json"));
    const repositories = new Set(images.map(({ repository }) => repository));
    const names = new Set(charts.map(({ name }) => name));
    const ofImages = projects.flatMap((project) => project.images);
    const ofCharts = projects.flatMap((project) => project.charts);
    expect(ofImages.filter((repository) => !repositories.has(repository))).toEqual([]);
    expect(ofCharts.filter((name) => !names.has(name))).toEqual([]);
    expect(duplicates([...ofImages, ...ofCharts, ...projects.map(({ project }) => project)])).toEqual([]);
  });
});
