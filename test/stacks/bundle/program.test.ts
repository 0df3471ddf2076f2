/** An environment that takes everything from a bundle: where its program finds charts and models, and what it may reach. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { chartFile } from "../../../bundle/chart";
import { imageFile } from "../../../bundle/image";
import { bundleNeeds } from "../../../bundle/needs";
import { chart } from "../../../catalog/charts";
import { layoutFiles } from "../../../catalog/oci-image";
import { type Needs, needsOf } from "../../../cli/doctor/needs";
import { paddingOf, TAR_END, tarHeader } from "../../../downloads/tar";
import { HELM_RELEASE } from "../../../kubernetes/resource-types";
import { repositoryRoot } from "../../../names/repository-root";
import { usedImages } from "../../../report/images";
import { BUNDLE_FILE, type BundleFile, bundleText } from "../../../stacks/bundle/bundle-file";
import { foreignCharts } from "../../../stacks/bundle/pinned";
import { ConfigError } from "../../../stacks/config";
import { writeBundle } from "../../bundle/folder";
import { environmentIn, useFolder } from "../../cli/run";
import { render } from "../../render/run";
import { changedRun, type ProgramRun, programRun } from "../run";

const folder = useFolder();
const ON_HOST = "/media/usb/bundle";

type Json = Readonly<Record<string, unknown>>;

const { config } = parse(readFileSync(join(repositoryRoot(), "Pulumi.edge-nvidia.yaml"), "utf8")) as {
  config: Readonly<Record<string, Json>>;
};
const written = config["inference-stacks:cluster"] as Json & { readonly hosts: Readonly<Record<string, Json>> };

/** The cluster of edge-nvidia with a bundle. */
function bundled(bundle: string, host: Json = {}): Json {
  const [[name = "", settings] = []] = Object.entries(written.hosts);
  return { ...written, hosts: { [name]: { ...settings, ...host } }, k3s: { bundle } };
}

async function problemsOf(run: Promise<unknown>): Promise<string[]> {
  const error = await run.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems.map(({ path, allowed }) => `${path}: ${allowed}`);
}

describe("edge-nvidia from a bundle", () => {
  let run: ProgramRun;
  let root: string;
  beforeAll(async () => {
    root = join(folder, "whole");
    writeBundle(root, bundleNeeds(await programRun("edge-nvidia")));
    run = await changedRun("edge-nvidia", { cluster: bundled(root, { bundle: ON_HOST }) });
  });

  const ofType = (type: string) => run.resources.filter((resource) => resource.type === type);

  it("takes every chart from the folder of the machine that deploys, and none from a repository", async () => {
    const releases = ofType(HELM_RELEASE);
    const { resources } = await programRun("edge-nvidia");
    expect(releases).toHaveLength(resources.filter(({ type }) => type === HELM_RELEASE).length);
    for (const { inputs } of releases) {
      expect(inputs.chart).toMatch(/^\//);
      expect(String(inputs.chart).startsWith(`${root}/charts/`)).toBe(true);
      expect(inputs).not.toHaveProperty("repositoryOpts");
    }
    expect(JSON.stringify(releases.map(({ inputs: { chart: _chart, ...rest } }) => rest))).not.toContain("oci://");
  });

  it("uses the images that it would use without, and pulls none of them always", async () => {
    const images = usedImages(run.resources).map(({ image }) => image);
    expect(images).toEqual(usedImages((await programRun("edge-nvidia")).resources).map(({ image }) => image));
    const policies = JSON.stringify(run.resources.map(({ inputs }) => inputs)).match(/"(imageP|p)ullPolicy":"\w+"/g);
    expect((policies ?? []).filter((policy) => policy.includes("Always"))).toEqual([]);
  });

  it("lets no pod reach the internet but where the Kubernetes API is, which has no address of its own", () => {
    const open = ofType("kubernetes:networking.k8s.io/v1:NetworkPolicy").flatMap(({ inputs }) => {
      const { metadata, spec } = inputs as { metadata: Json; spec: { egress?: Egress[] } };
      return (spec.egress ?? [])
        .filter(({ to = [{}] }) => to.some(({ ipBlock }) => ipBlock?.cidr === "0.0.0.0/0" || ipBlock?.cidr === "::/0"))
        .map(({ ports = [] }) => ({ policy: metadata.name, ports: ports.map(({ port }) => port).sort() }));
    });
    expect(open.length).toBeGreaterThan(0);
    expect(open.filter(({ ports }) => ports.join() !== "443,6443")).toEqual([]);
  });

  it("reads models from the folder on the machine that becomes the cluster, by a claim that nobody can write", () => {
    const [volume] = ofType("kubernetes:core/v1:PersistentVolume");
    expect(volume?.inputs.spec).toMatchObject({
      local: { path: `${ON_HOST}/models` },
      accessModes: ["ReadOnlyMany"],
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "",
      claimRef: { namespace: "model-store", name: "model-bundle" },
    });
    expect(JSON.stringify(volume?.inputs.spec)).toContain('"values":["workstation"]');
    const jobs = ofType("kubernetes:batch/v1:Job").filter(({ name }) => name.includes("store-sync-"));
    expect(jobs).toHaveLength(2);
    for (const { inputs } of jobs) {
      const { spec } = (inputs as { spec: { template: { spec: Json } } }).spec.template;
      const [container] = spec.containers as { env: { name: string; value?: string }[]; volumeMounts: Json[] }[];
      const value = (key: string) => container?.env.find(({ name }) => name === key)?.value;
      expect(value("FOLDER")).toBe(`/bundle/${value("REPOSITORY")?.replace("/", "--")}@main`);
      expect(value("FOLDER_MANIFEST_SHA256")).toMatch(/^[0-9a-f]{64}$/);
      expect(spec.volumes).toContainEqual({
        name: "bundle",
        persistentVolumeClaim: { claimName: "model-bundle", readOnly: true },
      });
      expect(container?.volumeMounts).toContainEqual({ name: "bundle", mountPath: "/bundle", readOnly: true });
      expect(JSON.stringify(spec)).not.toContain("hostPath");
    }
  });

  it("tells the machine which bundle it must have, and installs again with another one", () => {
    const sha256 = createHash("sha256")
      .update(readFileSync(join(root, BUNDLE_FILE)))
      .digest("hex");
    const commands = ofType("command:remote:Command");
    const told = (name: string) => toldValues(String(commands.find((command) => command.name === name)?.inputs.stdin));
    expect(told("cluster-host-checks")).toMatchObject({
      BUNDLE: ON_HOST,
      BUNDLE_SHA256: sha256,
      BUNDLE_COPY: `rsync --archive --delete ${root}/ ops@gpu-box.example.internal:${ON_HOST}/`,
    });
    const { images, files } = JSON.parse(readFileSync(join(root, BUNDLE_FILE), "utf8")) as BundleFile;
    const sums = images.map(({ path }) => `${files.find((file) => file.path === path)?.sha256} ${basename(path)}`);
    expect(told("cluster-k3s")).toMatchObject({ BUNDLE: ON_HOST, BUNDLE_ARCHIVES: sums.join("\n") });
  });

  it("expects no other storage of its cluster than without one", async () => {
    const storage = ({ storageClasses, needsDefaultClass }: Needs) => ({ storageClasses, needsDefaultClass });
    expect(storage(needsOf(run))).toEqual({ storageClasses: ["local-path"], needsDefaultClass: false });
    expect(storage(needsOf(run))).toEqual(storage(needsOf(await programRun("edge-nvidia"))));
  });

  it("is no matter for GitOps, which takes charts from repositories", async () => {
    const file = environmentIn(folder, stringify({ config: { ...config, "inference-stacks:cluster": bundled(root) } }));
    const { status, err } = await render("site", "--config", file, "--out", join(folder, "gitops"));
    expect(status).toBe(1);
    expect(err).toContain(`Argo CD takes charts from repositories, and ${root} is a folder`);
    expect(existsSync(join(folder, "gitops"))).toBe(false);
  });

  it("has nothing of it without one", async () => {
    const { resources } = await programRun("edge-nvidia");
    expect(resources.filter(({ type }) => type === "kubernetes:core/v1:PersistentVolume")).toEqual([]);
    const traces = resources.filter(
      ({ type, inputs }) => type.endsWith(":Job") && /model-bundle|"FOLDER"/.test(JSON.stringify(inputs)),
    );
    expect(traces.map(({ name }) => name)).toEqual([]);
  });
});

/** What a script is told, of its standard input. */
function toldValues(stdin: string): Readonly<Record<string, string>> {
  const lines = stdin.matchAll(/^value (\w+) (.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, text = ""]) => [name, Buffer.from(text, "base64").toString()]));
}

interface Egress {
  readonly to?: readonly { readonly ipBlock?: { readonly cidr: string } }[];
  readonly ports?: readonly { readonly port: number }[];
}

describe("a bundle that is not what the environment needs is refused", () => {
  let root: string;
  let count = 0;
  beforeEach(() => {
    count += 1;
    root = join(folder, `broken-${count}`);
    mkdirSync(root);
  });
  const start = () => changedRun("edge-nvidia", { cluster: bundled(root) });
  const needs = async () => bundleNeeds(await programRun("edge-nvidia"));

  it("where there is none", async () => {
    expect(await problemsOf(start())).toEqual([
      `cluster.k3s.bundle: a folder that npm run bundle made: ${root}/${BUNDLE_FILE} does not exist; correct the path`,
    ]);
  });

  it("where it is of another format, or damaged", async () => {
    const bundle = writeBundle(root, await needs());
    writeFileSync(join(root, BUNDLE_FILE), bundleText(bundle).replace('"format": 1', '"format": 2'));
    expect(await problemsOf(start())).toEqual([expect.stringContaining("it has the format 2, and this program reads")]);
    writeFileSync(join(root, BUNDLE_FILE), bundleText(bundle).slice(0, -20));
    expect(await problemsOf(start())).toEqual([expect.stringContaining("it is no JSON")]);
  });

  it("with all that is wrong at once: its k3s, its machine, its charts and its models", async () => {
    const found = await needs();
    writeBundle(root, found, (bundle) => ({
      ...bundle,
      platforms: ["linux/arm64"],
      k3s: { version: "v1.0.0+k3s1", parts: [], license: "x" },
      models: bundle.models.slice(1),
    }));
    rmSync(join(root, chartFile(chart("cert-manager"))));
    writeFileSync(join(root, chartFile(chart("gateway-helm"))), "cut off");
    const problems = await problemsOf(start());
    expect(problems).toEqual([
      expect.stringContaining("it has v1.0.0+k3s1, of another version of the platform"),
      expect.stringContaining("a bundle for linux/amd64: it is for linux/arm64"),
      expect.stringContaining("the chart cert-manager v1.21.2 in charts/cert-manager-v1.21.2.tgz, which is not there"),
      expect.stringContaining("the chart gateway-helm v1.9.3 in charts/gateway-helm-v1.9.3.tgz, whose SHA-256 is"),
      expect.stringContaining(`a bundle with the model ${found.models[0]?.repository}@main`),
    ]);
  });

  it("with other images than the repository knows, in its list or in its archives", async () => {
    const other = `sha256:${"2".repeat(64)}`;
    const found = await needs();
    const [first, second] = found.images.filter(({ reference }) => reference.includes("@sha256:"));
    const bundle = writeBundle(root, found, (whole) => ({
      ...whole,
      images: whole.images.map((image) => (image.reference === first?.reference ? { ...image, digest: other } : image)),
    }));
    const { path = "", digest } = bundle.images.find(({ reference }) => reference === second?.reference) ?? {};
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const layout = layoutFiles(second?.reference ?? "", { mediaType, digest: other, size: 9 }, {});
    mkdirSync(join(root, "images"), { recursive: true });
    writeFileSync(
      join(root, path),
      Buffer.concat([
        ...layout.flatMap(({ path: at, content }) => [
          tarHeader(at, content.length),
          content,
          paddingOf(content.length),
        ]),
        TAR_END,
      ]),
    );
    expect(await problemsOf(start())).toEqual([
      expect.stringContaining(
        `${first?.reference} in ${imageFile(first?.reference ?? "")}, whose digest is ${other} and must be`,
      ),
      expect.stringContaining(`${second?.reference} in ${path}, whose archive holds ${other} and must hold ${digest}`),
    ]);
  });

  it("with every image and chart that it lacks", async () => {
    writeBundle(root, await needs(), (bundle) => ({
      ...bundle,
      images: bundle.images.filter(({ reference }) => !/vllm|thanos/.test(reference)),
      charts: bundle.charts.filter(({ name }) => name !== "gpu-operator"),
    }));
    expect(await problemsOf(start())).toEqual([
      "cluster.k3s.bundle: a bundle with the chart gpu-operator, which it lacks",
      expect.stringMatching(/image docker\.io\/vllm\/vllm-openai:\S+, which it lacks$/),
      expect.stringMatching(/image quay\.io\/thanos\/thanos:\S+, which it lacks$/),
    ]);
  });
});

describe("charts of a bundle that was changed with its own list of sums", () => {
  const entry = chart("lws");
  const path = chartFile(entry);
  const sha256 = "3".repeat(64);
  const content = {
    charts: [{ name: entry.name, version: entry.version, path, source: entry.repository, license: "x" }],
    files: [{ path, bytes: 1, sha256 }],
  } as unknown as BundleFile;

  it("are refused by the lock's digest", () => {
    const pinned = { sha256: "4".repeat(64), file: "charts.lock.json" };
    expect(foreignCharts(content, () => pinned)).toEqual([
      `the chart lws ${entry.version} in ${path}, whose SHA-256 is ${sha256} and must be ${pinned.sha256} (charts.lock.json)`,
    ]);
  });

  it("pass with that digest, and where none is known", () => {
    expect(foreignCharts(content, () => ({ sha256, file: "charts.lock.json" }))).toEqual([]);
    expect(foreignCharts(content, () => undefined)).toEqual([]);
  });
});
