/** A registry in memory, and images and charts for it. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Registry } from "../../charts/registry";
import { paddingOf, TAR_END, tarHeader } from "../../downloads/tar";

export const INDEX_TYPE = "application/vnd.oci.image.index.v1+json";
const CONFIG_TYPE = "application/vnd.oci.image.config.v1+json";
const LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip";
const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

export function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

export function digestOf(content: Buffer): string {
  return `sha256:${sha256(content)}`;
}

export class FakeRegistry implements Registry {
  readonly manifests = new Map<string, Buffer>();
  readonly blobs = new Map<string, Buffer>();
  /** What was asked for until now: `manifest <reference>`, `blob <digest>`. */
  readonly asked: string[] = [];
  /** Blobs that break off after so many bytes, once. */
  readonly breaks = new Map<string, number>();

  async manifest(reference: string): Promise<Buffer> {
    this.asked.push(`manifest ${reference}`);
    const found = this.manifests.get(reference);
    if (found === undefined) {
      throw new Error(`${reference}: MANIFEST_UNKNOWN`);
    }
    return found;
  }

  async *blob(repository: string, digest: string): AsyncGenerator<Uint8Array> {
    this.asked.push(`blob ${digest}`);
    const found = this.blobs.get(digest);
    if (found === undefined) {
      throw new Error(`${repository}@${digest}: BLOB_UNKNOWN`);
    }
    const end = this.breaks.get(digest);
    this.breaks.delete(digest);
    yield found.subarray(0, end ?? found.length);
    if (end !== undefined) {
      throw new Error("the connection was reset");
    }
  }

  /** Puts an image there for each platform; with one platform and no index, the image itself. @returns its digest. */
  push(repository: string, tag: string, platforms: readonly string[], { index = true, license = "" } = {}): string {
    const images = platforms.map((platform) => {
      const [os, architecture] = platform.split("/");
      const file = Buffer.from(`layer of ${repository} for ${platform} `.repeat(50));
      const tar = Buffer.concat([tarHeader("layer", file.length), file, paddingOf(file.length), TAR_END]);
      const layer = this.put(gzipSync(tar));
      const config = this.put(
        JSON.stringify({
          ...{ os, architecture, rootfs: { type: "layers", diff_ids: [digestOf(tar)] } },
          config: { Labels: { "org.opencontainers.image.licenses": license } },
        }),
      );
      const content = Buffer.from(
        JSON.stringify({
          ...{ schemaVersion: 2, mediaType: MANIFEST_TYPE },
          config: { ...config, mediaType: CONFIG_TYPE },
          layers: [{ ...layer, mediaType: LAYER_TYPE }],
        }),
      );
      this.manifests.set(`${repository}@${digestOf(content)}`, content);
      return {
        mediaType: MANIFEST_TYPE,
        digest: digestOf(content),
        size: content.length,
        platform: { os, architecture },
      };
    });
    const [first] = images;
    const only = this.manifests.get(`${repository}@${first?.digest}`) ?? Buffer.alloc(0);
    const attestation = { ...first, platform: { os: "unknown", architecture: "unknown" } };
    const content = index
      ? Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [...images, attestation] }))
      : only;
    this.manifests.set(`${repository}:${tag}`, content);
    this.manifests.set(`${repository}@${digestOf(content)}`, content);
    return digestOf(content);
  }

  /** Puts a chart there. */
  pushChart(repository: string, version: string, archive: Buffer): void {
    const layer = { ...this.put(archive), mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip" };
    const content = Buffer.from(JSON.stringify({ schemaVersion: 2, layers: [layer] }));
    this.manifests.set(`${repository}:${version}`, content);
  }

  private put(content: string | Buffer) {
    const bytes = Buffer.from(content);
    this.blobs.set(digestOf(bytes), bytes);
    return { mediaType: "application/octet-stream", digest: digestOf(bytes), size: bytes.length };
  }
}

/** The archive of a chart. @param files besides its `Chart.yaml`: content by path below the chart's folder. */
export function chartArchiveOf(name: string, version: string, files: Readonly<Record<string, string>> = {}): Buffer {
  const all = { "Chart.yaml": `apiVersion: v2\nname: ${name}\nversion: ${version}\n`, ...files };
  const entries = Object.entries(all).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    return [tarHeader(`${name}/${path}`, content.length), content, paddingOf(content.length)];
  });
  return gzipSync(Buffer.concat([...entries, TAR_END]));
}
