/** Image digests, as registries have them. */
import { digestOf } from "../../bundle/image";
import type { ImageDigest, ImageDigests } from "../../catalog/image-digests";
import { parseImage } from "../../catalog/image-reference";
import { imageEntry, images } from "../../catalog/images";
import { isOnPublicPath, pinnedParts } from "../../catalog/pins";
import type { Registry } from "../../charts/registry";
import { lineOf } from "../io";
import { assertImage } from "./registry-image";

/** `source` of digests from this command. */
const REGISTRY = "registry";

/** Result for an image. */
export interface DigestRow {
  readonly image: string;
  /** "moved": the registry's digest differs from the list. "dropped": no pin uses the tag. */
  readonly state: "same" | "added" | "moved" | "failed" | "dropped";
  readonly digest?: string;
  /** Problem and fix. */
  readonly problem?: string;
}

/**
 * The public path's images by tag, and the list's that are still pinned; without those that keep
 * their tag.
 */
export function imagesToAsk({ digests, byTag }: ImageDigests): string[] {
  const all = new Set(images.map(reference));
  const components = pinnedParts.filter(isOnPublicPath).flatMap((part) => part.images ?? []);
  const wanted = [
    ...components.map((component) => reference(imageEntry(component))),
    ...digests.flatMap(({ image }) => (all.has(image) ? [image] : [])),
  ];
  const keep = byTag.map(({ repository }) => repository);
  return [...new Set(wanted)].filter((image) => !keep.includes(parseImage(image).repository)).sort();
}

/**
 * Requests the digest of each tag. Listed ones are compared, never replaced.
 *
 * @param today `2026-11-28`.
 * @returns the updated list, and each image's result.
 */
export async function fillDigests(
  list: ImageDigests,
  wanted: readonly string[],
  registry: Registry,
  today: string,
): Promise<{ readonly list: ImageDigests; readonly rows: readonly DigestRow[] }> {
  const asked = await Promise.all(wanted.map((image) => ask(image, rowOf(list, image), registry)));
  const added = asked.flatMap(({ image, state, digest }): ImageDigest[] =>
    state === "added" && digest !== undefined ? [{ image, digest, source: REGISTRY, readOn: today }] : [],
  );
  const kept = list.digests.filter(({ image }) => wanted.includes(image));
  const dropped = list.digests.filter(({ image }) => !wanted.includes(image));
  return {
    list: { ...list, digests: [...kept, ...added].sort((a, b) => (a.image < b.image ? -1 : 1)) },
    rows: [...asked, ...dropped.map(({ image, digest }): DigestRow => ({ image, digest, state: "dropped" }))],
  };
}

/** One row per line. */
export function digestsText({ about, digests, byTag }: ImageDigests): string {
  const rows = (list: readonly object[]) => list.map((row) => `  ${inOneLine(row)}`).join(",\n");
  return `{\n "about": ${JSON.stringify(about)},\n "digests": [\n${rows(digests)}\n ],\n "byTag": [\n${rows(byTag)}\n ]\n}\n`;
}

function inOneLine(row: object): string {
  return `{${Object.entries(row)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(", ")}}`;
}

async function ask(image: string, listed: ImageDigest | undefined, registry: Registry): Promise<DigestRow> {
  try {
    const content = await registry.manifest(image);
    assertImage(content, image, platformsOf(image));
    const digest = digestOf(content);
    if (listed === undefined || listed.digest === digest) {
      return { image, digest, state: listed === undefined ? "added" : "same" };
    }
    return {
      image,
      digest,
      state: "moved",
      problem: `the registry has ${digest} under this tag, the list ${listed.digest} (${listed.source}, ${listed.readOn}). Find out which is right; to take the registry's, delete the row and run this again`,
    };
  } catch (error) {
    return { image, state: "failed", problem: lineOf(error) };
  }
}

/** From the catalogue; for unlisted images those of most nodes. */
function platformsOf(image: string): readonly string[] {
  return images.find((entry) => reference(entry) === image)?.platforms ?? ["linux/amd64"];
}

function rowOf({ digests }: ImageDigests, image: string): ImageDigest | undefined {
  return digests.find((row) => row.image === image);
}

function reference({ repository, tag }: { readonly repository: string; readonly tag: string }): string {
  return `${repository}:${tag}`;
}
