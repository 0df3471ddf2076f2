/** What of a bundle the repository knows by itself: whoever changes a bundle can change its own list of sums too. */
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { charts as catalogue, chart } from "../../catalog/charts";
import { knownDigest } from "../../catalog/image-digests";
import { parseImage } from "../../catalog/image-reference";
import type { ChartPins } from "../../charts/obtain";
import { tarEntries } from "../../downloads/tar";
import type { BundleFile } from "./bundle-file";

/** Charts whose archives are not those of the lock or the catalogue. One whose digest neither has is as the bundle says. */
export function foreignCharts({ charts, files }: BundleFile, pins: ChartPins): string[] {
  return charts.flatMap(({ name, version, path }) => {
    const known = catalogue.some((entry) => entry.name === name && entry.version === version);
    const pin = known ? pins(chart(name)) : undefined;
    const found = files.find((file) => file.path === path)?.sha256;
    return pin === undefined || found === undefined || found === pin.sha256
      ? []
      : [`the chart ${name} ${version} in ${path}, whose SHA-256 is ${found} and must be ${pin.sha256} (${pin.file})`];
  });
}

/**
 * Images that are not those of their references or of `catalog/image-digests.json`, and archives of this machine that hold other images
 * than the list says: runtimes keep an image's parts by their own digests, so that the digest at the top is enough.
 */
export function foreignImages(folder: string, { images }: BundleFile): string[] {
  return images.flatMap(({ reference, path, digest }) => {
    const { repository, tag, digest: named } = parseImage(reference);
    const wanted = named ?? (tag === undefined ? undefined : knownDigest(`${repository}:${tag}`));
    const held = topDigest(join(folder, path));
    const what = `the image ${reference} in ${path}`;
    return [
      ...(wanted !== undefined && wanted !== digest
        ? [`${what}, whose digest is ${digest} and must be ${wanted}`]
        : []),
      ...(held !== undefined && held !== (wanted ?? digest)
        ? [`${what}, whose archive holds ${held || "no image"} and must hold ${wanted ?? digest}`]
        : []),
    ];
  });
}

/** Bytes at the beginning of an archive, in which its index is: bundles have it first. */
const BEGINNING = 16 * 1024;

/** Digest of the one image that an archive names, empty where it names none or several; undefined where the archive is elsewhere. */
function topDigest(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    const beginning = Buffer.alloc(BEGINNING);
    const read = readSync(file, beginning, 0, BEGINNING, 0);
    const index = tarEntries(beginning.subarray(0, read)).find((entry) => entry.path === "index.json");
    const { manifests = [] } = JSON.parse(String(index?.content ?? "{}")) as {
      readonly manifests?: readonly { readonly digest?: unknown }[];
    };
    const [first, ...others] = manifests;
    return others.length === 0 ? String(first?.digest ?? "") : "";
  } catch {
    return "";
  } finally {
    closeSync(file);
  }
}
