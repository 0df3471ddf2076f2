/** Facts that the repository knows: changed bundles may have changed checksums. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { charts as catalogue, chart } from "../../catalog/charts";
import { knownDigest } from "../../catalog/image-digests";
import { parseImage } from "../../catalog/image-reference";
import { CONTAINERD_NAME, containerdName, type Descriptor, OCI_NAME } from "../../catalog/oci-image";
import type { ChartPins } from "../../charts/obtain";
import { BLOCK, paddingOf, readTarHeader, type TarHeader } from "../../downloads/tar";
import type { BundleFile } from "./bundle-file";

/** Charts other than the lock's or catalogue's. Digests unknown to both are the bundle's. */
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
 * Images other than their references or `catalog/image-digests.json` say, and local archives with
 * other content than listed: runtimes store parts by digest, so the top digest suffices.
 */
export function foreignImages(folder: string, { images }: BundleFile): string[] {
  return images.flatMap(({ reference, path, digest }) => {
    // By runtimes' name, so that no spelling of a reference takes a known image's name.
    const wanted = knownDigest(containerdName(reference)) ?? parseImage(reference).digest;
    const fault = archiveFault(join(folder, path), reference, wanted ?? digest);
    const what = `the image ${reference} in ${path}`;
    return [
      ...(wanted !== undefined && wanted !== digest
        ? [`${what}, whose digest is ${digest} and must be ${wanted}`]
        : []),
      ...(fault === undefined ? [] : [`${what}, whose archive ${fault}`]),
    ];
  });
}

/** An archive's index has an entry of a few hundred bytes for its one image. */
const MOST_INDEX = 16 * 1024;
const LAYOUT = "oci-layout";
const INDEX = "index.json";

/**
 * Undefined for valid or remote archives. Every reader must find only this image, under its name:
 * entries are those of `bundle make`, each once, because readers choose different ones of two
 * spellings.
 */
function archiveFault(path: string, reference: string, digest: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return undefined;
  }
  try {
    return faultOf(file, reference, digest);
  } catch {
    return "cannot be read";
  } finally {
    closeSync(file);
  }
}

function faultOf(file: number, reference: string, digest: string): string | undefined {
  const contents = new Map<string, Buffer>();
  for (const { path, isFile, at, size } of entriesOf(file)) {
    if (contents.has(path) || !isFile || !/^(oci-layout|index\.json|blobs\/sha256\/[0-9a-f]{64})$/.test(path)) {
      return `holds ${JSON.stringify(path)}, which is no part of an image that \`bundle make\` writes, or is there twice`;
    }
    const content = Buffer.alloc(path === INDEX ? Math.min(size, MOST_INDEX) : 0);
    readSync(file, content, 0, content.length, at);
    contents.set(path, content);
  }
  const index = contents.get(INDEX);
  if (!contents.has(LAYOUT) || index === undefined) {
    return `holds no image: ${LAYOUT} or ${INDEX} lacks`;
  }
  const { manifests } = JSON.parse(String(index)) as { readonly manifests: readonly Descriptor[] };
  const [only, ...others] = manifests;
  const name = containerdName(reference);
  const names = { [CONTAINERD_NAME]: name, [OCI_NAME]: parseImage(name).tag };
  if (only === undefined || others.length > 0 || only.digest !== digest) {
    return `holds ${manifests.map((each) => each.digest).join(", ") || "no image"} and must hold ${digest}`;
  }
  return Object.entries(names).every(([key, value]) => only.annotations?.[key] === value)
    ? undefined
    : `names its image otherwise than ${name}`;
}

/** Entries with offsets in the archive; reads headers only. */
function* entriesOf(file: number): Generator<TarHeader & { readonly at: number }> {
  const header = Buffer.alloc(BLOCK);
  const { size: end } = fstatSync(file);
  for (let at = 0; at + BLOCK <= end; ) {
    readSync(file, header, 0, BLOCK, at);
    at += BLOCK;
    // Zero blocks end an archive; some readers look behind them.
    if (header.some((byte) => byte !== 0)) {
      const entry = readTarHeader(header);
      if (!(entry.size >= 0 && at + entry.size <= end)) {
        throw new Error(`${entry.path} ends behind the archive`);
      }
      yield { ...entry, at };
      at += entry.size + paddingOf(entry.size).length;
    }
  }
}
