/** A bundle's folder as the machine that deploys sees it: the charts, and the list of everything. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chartFile } from "../../bundle/chart";
import { imageFile } from "../../bundle/image";
import { modelFolder } from "../../bundle/model";
import type { BundleNeeds } from "../../bundle/needs";
import { chart } from "../../catalog/charts";
import { knownDigest } from "../../catalog/image-digests";
import { parseImage } from "../../catalog/image-reference";
import { BUNDLE_FILE, type BundleFile, bundleText } from "../../stacks/bundle/bundle-file";
import { chartArchiveOf, sha256 } from "./registry";

export const COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** Writes it, and gives back what `bundle.json` says. */
export function writeBundle(root: string, needs: BundleNeeds, change: (bundle: BundleFile) => BundleFile = (b) => b) {
  const charts = needs.charts.map(({ name, version }) => {
    const content = chartArchiveOf(chart(name).chart, version);
    const path = chartFile({ name, version });
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
    return { path, bytes: content.length, sha256: sha256(content) };
  });
  const archives = needs.images.map(({ reference }) => ({
    path: imageFile(reference),
    bytes: 1,
    sha256: sha256(Buffer.from(reference)),
  }));
  const bundle: BundleFile = change({
    format: 1,
    environment: needs.environment,
    made: "2026-11-23T12:00:00.000Z",
    platforms: needs.platforms,
    ...(needs.k3s && {
      k3s: {
        version: needs.k3s.version,
        parts: needs.k3s.files.map(({ name, url }) => ({ path: `k3s/${name}`, source: url })),
        license: "Apache-2.0",
      },
    }),
    images: needs.images.map(({ reference, license }) => ({
      reference,
      path: imageFile(reference),
      digest: parseImage(reference).digest ?? knownDigest(reference) ?? `sha256:${"1".repeat(64)}`,
      license,
    })),
    charts: needs.charts.map(({ name, version, repository, license }) => ({
      name,
      version,
      path: chartFile({ name, version }),
      source: repository,
      license,
    })),
    models: needs.models.map(({ repository, revision, gigabytes, license }) => ({
      repository,
      revision,
      commit: COMMIT,
      folder: modelFolder({ repository, revision }),
      manifestSha256: sha256(Buffer.from(`${repository}@${revision}`)),
      bytes: Math.round(gigabytes * 1e9),
      license,
    })),
    files: [...charts, ...archives],
  });
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, BUNDLE_FILE), bundleText(bundle));
  return bundle;
}
