import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { images } from "../../catalog/images";
import {
  containerdName,
  type Descriptor,
  imageArchive,
  imagesFor,
  layoutFiles,
  readTopLevel,
} from "../../catalog/oci-image";

const DIGEST = `sha256:${"0".repeat(64)}`;
const INDEX = "application/vnd.oci.image.index.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

function forPlatform(os: string, architecture: string): Descriptor {
  const digest = `sha256:${createHash("sha256").update(`${os}/${architecture}`).digest("hex")}`;
  return { mediaType: MANIFEST, digest, size: 1, platform: { os, architecture } };
}

describe("the name of an image in containerd", () => {
  it.each([
    ["docker.io/ollama/ollama:0.32.15", "docker.io/ollama/ollama:0.32.15"],
    [`node:24@${DIGEST}`, "docker.io/library/node:24"],
    ["envoyproxy/envoy:v1", "docker.io/envoyproxy/envoy:v1"],
    ["registry.local:5000/a/b:1", "registry.local:5000/a/b:1"],
    // k3s imports no name without a tag; the digest beside it is what pods are looked up by.
    [`quay.io/a/b@${DIGEST}`, "quay.io/a/b:digest-000000000000"],
  ])("of %s is %s", (reference, expected) => {
    expect(containerdName(reference)).toBe(expected);
  });

  it("gives each image of the catalogue an archive of its own, with a name that no shell changes", () => {
    const names = images.map(({ repository, tag }) => imageArchive(`${repository}:${tag}`));
    const references = new Set(images.map(({ repository, tag }) => `${repository}:${tag}`));
    expect(new Set(names).size).toBe(references.size);
    expect(names.filter((name) => !/^[A-Za-z0-9._-]+\.tar$/.test(name))).toEqual([]);
  });

  it("stands in the archive's index beside the digest of the whole index", () => {
    const top = { mediaType: INDEX, digest: DIGEST, size: 7 };
    const [layout, index] = layoutFiles(`node:24@${DIGEST}`, top, { extra: "x" });
    expect(JSON.parse(String(layout?.content))).toEqual({ imageLayoutVersion: "1.0.0" });
    expect(JSON.parse(String(index?.content)).manifests).toEqual([
      {
        ...top,
        annotations: {
          "io.containerd.image.name": "docker.io/library/node:24",
          "org.opencontainers.image.ref.name": "24",
          extra: "x",
        },
      },
    ]);
  });
});

describe("an index of images", () => {
  const index = [forPlatform("linux", "amd64"), forPlatform("linux", "arm64"), forPlatform("unknown", "unknown")];

  it("gives the images of the nodes' platforms alone, and no attestation", () => {
    expect(imagesFor(index, ["linux/arm64"], "a:1")).toEqual([index[1]]);
    expect(imagesFor(index, ["linux/amd64", "linux/arm64"], "a:1")).toEqual(index.slice(0, 2));
  });

  it("without a platform is refused with those that it has", () => {
    expect(() => imagesFor(index, ["linux/riscv64"], "a:1")).toThrow(
      "a:1 is not made for linux/riscv64, only for linux/amd64, linux/arm64",
    );
  });

  it("is told from an image, and both from what containerd does not import", () => {
    const read = (content: object) => readTopLevel(Buffer.from(JSON.stringify(content)), "a:1");
    expect(read({ mediaType: INDEX, manifests: index })).toMatchObject({ kind: "index", mediaType: INDEX });
    expect(read({ config: index[0], layers: [index[1]] })).toEqual({
      kind: "manifest",
      mediaType: MANIFEST,
      blobs: index.slice(0, 2),
    });
    expect(() => read({ schemaVersion: 1, fsLayers: [] })).toThrow("neither an image nor an index");
    expect(() => read({ mediaType: "text/plain", manifests: [] })).toThrow('"text/plain"');
  });
});
