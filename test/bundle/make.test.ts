import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BundleIncompleteError, type BundleTools, makeBundle, presence, verifyBundle } from "../../bundle/make";
import type { BundleNeeds } from "../../bundle/needs";
import { chart } from "../../catalog/charts";
import { tarEntries } from "../../downloads/tar";
import { parseBundle } from "../../stacks/bundle/bundle-file";
import { COMMIT, type FakeHub, fakeHub } from "../components/storage/fakes";
import { COPIED, REPOSITORY } from "../components/storage/repository";
import { chartArchiveOf, digestOf, FakeRegistry, sha256 } from "./registry";

const INSTALLER = Buffer.from("#!/bin/sh\n");
const BINARY = Buffer.from("k3s".repeat(1000));
const K3S_URL = "https://github.invalid/k3s";

let root: string;
let registry: FakeRegistry;
let hub: FakeHub;
/** Files of web servers by URL; a change holds for the next request. */
let web: Map<string, Buffer>;
let asked: string[];
let indexDigest: string;

const LWS = chart("lws");
const CERT_MANAGER = chart("cert-manager");

beforeEach(async () => {
  vi.spyOn(console, "error").mockReturnValue(undefined);
  root = join(mkdtempSync(join(tmpdir(), "bundle-")), "out");
  registry = new FakeRegistry();
  hub = await fakeHub(REPOSITORY);
  indexDigest = registry.push("docker.io/library/node", "24", ["linux/amd64", "linux/arm64"], { license: "MIT" });
  registry.push("quay.io/a/single", "1", ["linux/amd64"], { index: false });
  registry.pushChart(LWS.repository.slice("oci://".length), LWS.version, chartArchiveOf("lws", LWS.version));
  const archive = chartArchiveOf("cert-manager", CERT_MANAGER.version);
  const entry = { version: CERT_MANAGER.version, digest: sha256(archive), urls: ["charts/cert-manager.tgz"] };
  web = new Map([
    [`${K3S_URL}/install.sh`, INSTALLER],
    [`${K3S_URL}/k3s`, BINARY],
    [`${CERT_MANAGER.repository}/index.yaml`, Buffer.from(JSON.stringify({ entries: { "cert-manager": [entry] } }))],
    [`${CERT_MANAGER.repository}/charts/cert-manager.tgz`, archive],
  ]);
  asked = [];
  const real = fetch;
  vi.stubGlobal("fetch", async (input: string, init?: RequestInit) => {
    if (input.startsWith(hub.url)) {
      return real(input, init);
    }
    const range = new Headers(init?.headers).get("range");
    asked.push(`${input}${range ? ` ${range}` : ""}`);
    const found = web.get(input);
    const from = Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
    return found === undefined
      ? new Response("nothing", { status: 404 })
      : new Response(new Uint8Array(found.subarray(from)), { status: range ? 206 : 200 });
  });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  await hub.close();
  rmSync(join(root, ".."), { recursive: true });
});

function needs(changes: Partial<BundleNeeds> = {}): BundleNeeds {
  const image = (reference: string) => ({ reference, usedBy: ["x"], license: "unknown" });
  const ofChart = ({ name, version, repository }: typeof LWS) => ({
    name,
    version,
    repository,
    usedBy: ["x"],
    license: "unknown",
  });
  const file = (name: string, content: Buffer) => ({
    name,
    url: `${K3S_URL}/${name}`,
    bytes: content.length,
    sha256: sha256(content),
    license: "Apache-2.0",
  });
  return {
    environment: "test",
    platforms: ["linux/amd64"],
    k3s: { version: "v1.0.0+k3s1", files: [file("install.sh", INSTALLER), file("k3s", BINARY)] },
    images: [image(`docker.io/library/node:24@${indexDigest}`), image("quay.io/a/single:1")],
    charts: [ofChart(CERT_MANAGER), ofChart(LWS)],
    models: [
      {
        repository: "org/model",
        revision: "main",
        usedBy: ["chat"],
        gigabytes: 0.1,
        license: "MIT",
        choice: { kind: "model", safetensorsOnly: true, withCode: false },
      },
    ],
    problems: [],
    ...changes,
  };
}

function tools(): BundleTools {
  return {
    registry,
    hub: { endpoint: hub.url, token: undefined },
    chartPins: () => undefined,
    now: () => new Date("2026-11-23T12:00:00Z"),
  };
}

/** The file that `sha256sum --check` reads, by path. */
function sums(folder: string): Readonly<Record<string, string>> {
  const lines = readFileSync(join(folder, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  const read = lines.map((line) => /^(?<sum>[0-9a-f]{64}) {2}(?<path>.+)$/.exec(line)?.groups);
  return Object.fromEntries(read.map((groups) => [groups?.path, groups?.sum]));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

describe("a bundle", () => {
  it("holds every part, and says of each what it is", async () => {
    const bundle = await makeBundle(needs(), root, tools());
    const ofModel = (path: string) => `models/org--model@main/${path}`;
    const expected = [
      "charts/cert-manager-v1.21.2.tgz",
      `charts/lws-${LWS.version}.tgz`,
      "images/docker.io_library_node_24.tar",
      "images/quay.io_a_single_1.tar",
      "k3s/install.sh",
      "k3s/k3s",
      ...[".manifest.json", ...COPIED].map(ofModel),
    ].sort();
    expect(filesIn(root)).toEqual([...expected, "SHA256SUMS", "bundle.json"].sort());
    expect(bundle.files.map(({ path }) => path).sort()).toEqual(expected);
    expect(bundle.images).toEqual([
      {
        reference: `docker.io/library/node:24@${indexDigest}`,
        path: "images/docker.io_library_node_24.tar",
        digest: indexDigest,
        license: "MIT",
      },
      expect.objectContaining({ reference: "quay.io/a/single:1", license: "unknown" }),
    ]);
    expect(bundle.models).toMatchObject([
      { repository: "org/model", revision: "main", commit: COMMIT, license: "MIT" },
    ]);
    const [model] = bundle.models;
    expect(model?.manifestSha256).toBe(sha256(readFileSync(join(root, ofModel(".manifest.json")))));
    expect(parseBundle(readFileSync(join(root, "bundle.json"), "utf8"))).toEqual(bundle);
    expect(sums(root)).toEqual(
      Object.fromEntries(expected.map((path) => [path, sha256(readFileSync(join(root, path)))])),
    );
    expect(await verifyBundle(root, bundle)).toEqual([]);
    // Pods of other users read it.
    expect(statSync(join(root, ofModel("config.json"))).mode & 0o777).toBe(0o644);
    expect(statSync(join(root, "models")).mode & 0o777).toBe(0o755);
  });

  it("has of an image its whole index, the nodes' platform, and nothing else of it", async () => {
    await makeBundle(needs(), root, tools());
    const archive = tarEntries(readFileSync(join(root, "images/docker.io_library_node_24.tar")));
    const blobs = new Map(archive.map(({ path, content }) => [path.replace("blobs/sha256/", "sha256:"), content]));
    const { manifests } = JSON.parse(String(blobs.get("index.json")));
    expect(manifests).toHaveLength(1);
    expect(manifests[0].digest).toBe(indexDigest);
    const index = JSON.parse(String(blobs.get(indexDigest)));
    const [amd64, arm64] = index.manifests as { digest: string }[];
    const image = JSON.parse(String(blobs.get(amd64?.digest ?? "")));
    expect([image.config.digest, image.layers[0].digest].every((digest: string) => blobs.has(digest))).toBe(true);
    expect(blobs.has(arm64?.digest ?? "")).toBe(false);
    expect(blobs.size).toBe(6);
    for (const [digest, content] of blobs) {
      expect(digest.startsWith("sha256:") ? digestOf(content) : digest).toBe(digest);
    }
  });

  it("that is complete asks nobody for anything again, and is the same", async () => {
    const first = await makeBundle(needs(), root, tools());
    const times = filesIn(root).map((path) => statSync(join(root, path)).mtimeMs);
    registry.asked.length = 0;
    hub.requests.length = 0;
    asked.length = 0;
    expect(new Set(presence(needs(), root).values())).toEqual(new Set(["present"]));
    expect(await makeBundle(needs(), root, tools())).toEqual(first);
    expect([registry.asked, hub.requests, asked]).toEqual([[], [], []]);
    const changed = filesIn(root).filter((path, i) => statSync(join(root, path)).mtimeMs !== times[i]);
    expect(changed).toEqual(["SHA256SUMS", "bundle.json"]);
  });

  it("tells every part that could not be had at once, keeps what came, and is finished by the next run", async () => {
    const wrong = needs({
      images: [...needs().images, { reference: "quay.io/none:1", usedBy: [], license: "unknown" }],
      k3s: { version: "v1", files: needs().k3s?.files.map((file) => ({ ...file, sha256: "0".repeat(64) })) ?? [] },
    });
    web.delete(`${CERT_MANAGER.repository}/charts/cert-manager.tgz`);
    const error = await makeBundle(wrong, root, tools()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BundleIncompleteError);
    expect((error as BundleIncompleteError).reasons).toEqual([
      `chart cert-manager v1.21.2: ${CERT_MANAGER.repository}/charts/cert-manager.tgz: answers 404`,
      expect.stringContaining("k3s, install.sh: what came has the SHA-256"),
      expect.stringContaining("k3s, k3s: what came has the SHA-256"),
      "quay.io/none:1: MANIFEST_UNKNOWN",
    ]);
    expect(existsSync(join(root, "bundle.json"))).toBe(false);
    web.set(`${CERT_MANAGER.repository}/charts/cert-manager.tgz`, chartArchiveOf("cert-manager", CERT_MANAGER.version));
    registry.asked.length = 0;
    await makeBundle(needs(), root, tools());
    expect(registry.asked.filter((each) => !each.includes(LWS.name))).toEqual([]);
  });

  it("goes on with an image at the blob that broke off", async () => {
    const layers = [...registry.blobs.keys()];
    for (const digest of layers.slice(0, 2)) {
      registry.breaks.set(digest, 10);
    }
    await expect(makeBundle(needs(), root, tools())).rejects.toThrow("the connection was reset");
    const came = (digest: string) => registry.asked.filter((each) => each === `blob ${digest}`).length;
    await expect(makeBundle(needs(), root, tools())).rejects.toThrow("the connection was reset");
    const bundle = await makeBundle(needs(), root, tools());
    expect(await verifyBundle(root, bundle)).toEqual([]);
    // The configuration and the layer of one image, each broken once; the first is not asked for a third time.
    expect(layers.slice(0, 2).map(came)).toEqual([2, 2]);
    expect(existsSync(join(root, ".parts"))).toBe(false);
  });

  it("refuses an image of another digest, for another machine, and a chart of another version", async () => {
    registry.manifests.set(`docker.io/library/node@${indexDigest}`, Buffer.from('{"manifests":[]}'));
    registry.pushChart(LWS.repository.slice("oci://".length), LWS.version, chartArchiveOf("lws", "0.0.1"));
    registry.push("quay.io/a/single", "1", ["linux/arm64"], { index: false });
    const error = await makeBundle(needs(), root, tools()).catch((thrown: unknown) => thrown);
    expect((error as BundleIncompleteError).reasons).toEqual([
      expect.stringContaining(`chart lws ${LWS.version}`),
      expect.stringMatching(/node:24@sha256:\w+: its registry has sha256:/),
      "quay.io/a/single:1 is not made for linux/amd64, only for linux/arm64",
    ]);
    expect((error as Error).message).toContain("it holds lws 0.0.1");
  });

  it("refuses a chart that is not the one that was pinned, and keeps the one that is", async () => {
    const right = sha256(chartArchiveOf("lws", LWS.version));
    const pinned = (digest: string): BundleTools => ({
      ...tools(),
      chartPins: ({ name }) => (name === "lws" ? { sha256: digest, file: "charts.lock.json" } : undefined),
    });
    const bundle = await makeBundle(needs(), root, pinned(right));
    expect(bundle.charts).toHaveLength(2);
    const error = await makeBundle(needs(), root, pinned("a".repeat(64))).catch((thrown: unknown) => thrown);
    const [reason, ...others] = (error as BundleIncompleteError).reasons;
    expect(others).toEqual([]);
    expect(reason).toMatch(new RegExp(`^chart lws .*${right}.*a{64}.*charts\\.lock\\.json`));
    expect(reason).toContain(". Fix: ");
  });

  it("fetches again what was damaged on the disk, and takes away what no longer belongs there", async () => {
    const bundle = await makeBundle(needs(), root, tools());
    const weights = bundle.files.find(({ path }) => path.endsWith(".safetensors"))?.path ?? "";
    const whole = readFileSync(join(root, weights));
    const damaged = Buffer.from(whole);
    damaged[7] = (damaged[7] ?? 0) ^ 1;
    writeFileSync(join(root, weights), damaged);
    expect(await verifyBundle(root, bundle)).toEqual([expect.stringContaining(weights)]);
    await expect(makeBundle(needs(), root, tools())).rejects.toThrow("damaged on the disk");
    const fewer = needs({ images: needs().images.slice(0, 1) });
    await makeBundle(needs(), root, tools());
    expect(readFileSync(join(root, weights)).equals(whole)).toBe(true);
    await makeBundle(fewer, root, tools());
    expect(filesIn(join(root, "images"))).toEqual(["docker.io_library_node_24.tar"]);
  });

  it("is not written over what is no bundle", async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "thesis.pdf"), "x");
    await expect(makeBundle(needs(), root, tools())).rejects.toThrow("thesis.pdf");
    expect(filesIn(root)).toEqual(["thesis.pdf"]);
  });
});
