/** Every container image of every environment comes from the mirror, and every pod has the secret that opens it. */
import { beforeAll, describe, expect, it } from "vitest";
import { chartNameOf } from "../../catalog/chart-archive";
import { chartValueProblems } from "../../catalog/chart-values";
import { usedImages } from "../../report/images";
import { crdProblems } from "../harness/crds";
import type { RecordedResource } from "../harness/deploy";
import { problemsWith } from "./config/samples";
import { changedRun, type EnvironmentName, environments, programRun } from "./run";

const MIRROR = "registry.example.com/mirror";
/** Registries that images of the catalogue come from. */
const UPSTREAM =
  /(?<![\w./-])(docker\.io|quay\.io|ghcr\.io|nvcr\.io|registry\.k8s\.io|public\.ecr\.aws|registry\.istio\.io)\//;

type Json = Record<string, unknown>;

/** The resources of an environment that takes its images from the mirror. */
async function mirrored(name: EnvironmentName): Promise<readonly RecordedResource[]> {
  const changes = { images: { mirror: MIRROR }, registryCredentials: { secure: "v1:never-read" } };
  return (await changedRun(name, changes)).resources;
}

/** Every text of a resource that names an upstream registry: in pods, values, arguments and files. */
function upstreamTexts(value: unknown, path: string): string[] {
  if (typeof value === "string") {
    return UPSTREAM.test(value) ? [`${path}: ${value.slice(0, 200)}`] : [];
  }
  return Object.entries(Object(value)).flatMap(([key, item]) => upstreamTexts(item, `${path}.${key}`));
}

/** Pod specs wherever they stand. */
function podSpecs(value: unknown): Json[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const here = "containers" in value && Array.isArray(value.containers) && value.containers.every((c: Json) => c.image);
  return [...(here ? [value as Json] : []), ...Object.values(value).flatMap(podSpecs)];
}

describe.each(environments)("images of %s", (name) => {
  let resources: readonly RecordedResource[];
  beforeAll(async () => {
    resources = await mirrored(name);
  });

  it("all come from the mirror, whoever names them", () => {
    const images = usedImages(resources);
    expect(images.length).toBeGreaterThan(15);
    expect(images.filter(({ image }) => !image.startsWith(`${MIRROR}/`))).toEqual([]);

    const left = resources.flatMap(({ name: resource, type, inputs }) => {
      // Where a release's chart is read from is no image; what the API may pull is a list of registries for models.
      const { chart: _chart, repositoryOpts: _repository, ...rest } = inputs;
      return upstreamTexts(type.endsWith(":Release") ? rest : inputs, resource);
    });
    expect(left).toEqual([]);
  });

  it("are pulled with the secret, which is in every namespace before any pod", () => {
    const pods = resources.flatMap(({ inputs }) => podSpecs(inputs));
    expect(pods.length).toBeGreaterThan(3);
    expect(
      pods.filter(({ imagePullSecrets }) => JSON.stringify(imagePullSecrets) !== '[{"name":"image-pull"}]'),
    ).toEqual([]);

    const named = (type: string) => resources.filter((resource) => resource.type === type);
    const secrets = named("kubernetes:core/v1:Secret").filter(
      ({ inputs }) => inputs.type === "kubernetes.io/dockerconfigjson",
    );
    const namespaces = named("kubernetes:core/v1:Namespace").map(({ inputs }) => (inputs.metadata as Json).name);
    expect(secrets.map(({ inputs }) => (inputs.metadata as Json).namespace).sort()).toEqual(namespaces.sort());
    for (const { inputs, secretInputs } of secrets) {
      expect(secretInputs).toContain("stringData");
      expect(Object.keys(inputs.stringData as Json)).toEqual([".dockerconfigjson"]);
    }
    for (const { inputs } of resources.filter(({ inputs: { kind } }) => kind === "EnvoyProxy")) {
      expect(inputs).toMatchObject({
        spec: {
          provider: { kubernetes: { envoyDeployment: { pod: { imagePullSecrets: [{ name: "image-pull" }] } } } },
        },
      });
    }
    for (const { inputs } of resources.filter(
      ({ inputs: { kind, spec } }) => kind === "Issuer" && (spec as Json).acme,
    )) {
      const { solvers } = (inputs.spec as { acme: { solvers: Json[] } }).acme;
      const template = { podTemplate: { spec: { imagePullSecrets: [{ name: "image-pull" }] } } };
      expect(solvers).toEqual([{ http01: { gatewayHTTPRoute: expect.objectContaining(template) } }]);
    }
  });

  it("leave every custom resource valid, and set only values that the charts have", () => {
    const touched = ["EnvoyProxy", "Issuer", "LeaderWorkerSet"];
    const custom = resources.filter(({ inputs }) => touched.includes(String(inputs.kind)));
    expect(custom.length).toBeGreaterThan(0);
    expect(custom.flatMap(({ inputs }) => crdProblems(inputs))).toEqual([]);
    const releases = resources.filter(({ type }) => type === "kubernetes:helm.sh/v3:Release");
    const problems = releases.flatMap(({ inputs }) =>
      chartValueProblems(chartNameOf(String(inputs.chart)) ?? "", Object(inputs.values)),
    );
    expect(problems).toEqual([]);
  });

  it("are those of the catalogue without a mirror, and no secret is named", async () => {
    const { resources: unchanged } = await programRun(name);
    expect(usedImages(unchanged).filter(({ image }) => image.includes(MIRROR))).toEqual([]);
    expect(JSON.stringify(unchanged.map(({ inputs }) => inputs))).not.toMatch(/imagePullSecrets|dockerconfigjson/);
  });
});

describe("the section images", () => {
  it.each([
    [{ mirror: "https://registry.example.com" }, "images.mirror"],
    [{ mirror: "registry.example.com/" }, "images.mirror"],
    [{ registries: { "https://docker.io": "registry.example.com" } }, 'images.registries["https://docker.io"]'],
    [{ registries: { "docker.io": "Registry.example.com/x y" } }, 'images.registries["docker.io"]'],
    [{ pullSecret: "x" }, "images.pullSecret"],
  ])("refuses %j", (images, path) => {
    expect(problemsWith({ images }).map((problem) => problem.path)).toEqual([path]);
  });

  it("takes a mirror with a port and a path, and proxies by registry", () => {
    const images = { mirror: "localhost:5000/all", registries: { "docker.io": "registry.example.com/dockerhub" } };
    expect(problemsWith({ images })).toEqual([]);
  });
});
