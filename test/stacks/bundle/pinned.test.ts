/** Archives of a bundle as someone may have changed them: whatever reads one must find the image that its reference names, alone. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { imageDigests } from "../../../catalog/image-digests";
import { containerdName, layoutFiles } from "../../../catalog/oci-image";
import { paddingOf, TAR_END, tarHeader } from "../../../downloads/tar";
import { foreignImages } from "../../../stacks/bundle/pinned";

const folder = mkdtempSync(join(tmpdir(), "pinned-"));
afterAll(() => rmSync(folder, { recursive: true }));

const [{ image, digest } = { image: "", digest: "" }] = imageDigests.digests;
const OTHER = `sha256:${"e".repeat(64)}`;

interface File {
  readonly path: string;
  readonly content: Buffer;
}

function layout(reference: string, top: string): [layout: File, index: File] {
  const mediaType = "application/vnd.oci.image.index.v1+json";
  return layoutFiles(reference, { mediaType, digest: top, size: 9 }, {}) as [File, File];
}

function faults(files: readonly File[], reference: string, listed: string): number {
  const blocks = files.flatMap(({ path, content }) => [
    tarHeader(path, content.length),
    content,
    paddingOf(content.length),
  ]);
  writeFileSync(join(folder, "a.tar"), Buffer.concat([...blocks, TAR_END]));
  return foreignImages(folder, { images: [{ reference, path: "a.tar", digest: listed }] } as never).length;
}

const [first, index] = layout(image, digest);
const [, wrong] = layout(image, OTHER);
const blob = { path: `blobs/sha256/${"a".repeat(64)}`, content: Buffer.from("{}") };

describe("an image of a bundle", () => {
  it.each<[string, readonly File[], string, string, number]>([
    ["as it is made", [first, index, blob], image, digest, 0],
    ["of its own digest", layout(`a.example/b@${OTHER}`, OTHER), `a.example/b@${OTHER}`, OTHER, 0],
    ["that is another one", [first, wrong], image, digest, 1],
    ["with a second index", [first, index, wrong], image, digest, 1],
    ["with an index of another spelling", [first, index, { ...wrong, path: "./index.json" }], image, digest, 1],
    ["with an index behind the end", [first, index, { path: "", content: TAR_END }, wrong], image, digest, 1],
    ["of Docker's form", [index, { path: "manifest.json", content: Buffer.from("[]") }], image, digest, 1],
    ["without a layout", [index], image, digest, 1],
    ["under another's name", [first, layout("a.example/b:1.0.0", digest)[1]], image, digest, 1],
    ["under the name of a known one", [first, wrong], "a.example/b:1.0.0", OTHER, 1],
    ["whose reference is a known one's with another digest", [first, wrong], `${image}@${OTHER}`, OTHER, 2],
    ["whose reference is a known one's, shorter", [first, wrong], image.replace("docker.io/library/", ""), OTHER, 2],
  ])("%s", (_, files, reference, listed, count) => {
    expect(faults(files, reference, listed)).toBe(count);
  });

  it("is known by the name that runtimes give it", () => {
    for (const known of imageDigests.digests) {
      expect(containerdName(known.image)).toBe(known.image);
    }
  });
});
