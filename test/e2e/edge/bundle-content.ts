import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BundleNeeds } from "../../../bundle/needs";
import { chart } from "../../../catalog/charts";
import { K3S_VERSION } from "../../../catalog/k3s";
import { chartArchiveOf, type FakeRegistry, sha256 } from "../../bundle/registry";

/** Two, so that a bundle has something to leave out. */
const PLATFORMS = ["linux/amd64", "linux/arm64"];

/** Content of a test's for a file of k3s's release, by its name. */
export type K3sPart = (name: string) => Buffer;

/**
 * What an environment needs, with content of the test behind every name; images and charts of registries are put into this
 * one. Images that are named by digests that only their makers' content has, have those of the test's.
 */
export function contentOf(needed: BundleNeeds, registry: FakeRegistry, k3sPart: K3sPart): BundleNeeds {
  const images = needed.images.map((image) => {
    const [name = ""] = image.reference.split("@");
    const [, repository = "", tag = ""] = /^(.*):([^:]+)$/.exec(name) ?? [];
    const digest = registry.push(repository, tag, PLATFORMS, { license: "Apache-2.0" });
    return image.digest === undefined ? image : { ...image, reference: `${name}@${digest}`, digest };
  });
  for (const { name, version, repository } of needed.charts) {
    if (repository.startsWith("oci://")) {
      registry.pushChart(repository.slice("oci://".length), version, chartArchiveOf(chart(name).chart, version));
    }
  }
  const files = (needed.k3s?.files ?? []).map((file) => {
    const content = k3sPart(file.name);
    return { ...file, bytes: content.length, sha256: sha256(content) };
  });
  return { ...needed, images, k3s: { version: K3S_VERSION, files } };
}

/** Web servers of charts and of k3s's release; what is on this machine is asked for as always. */
export function webOf({ charts, k3s }: BundleNeeds, k3sPart: K3sPart): typeof fetch {
  const real = fetch;
  const files = new Map<string, Buffer>((k3s?.files ?? []).map(({ url, name }) => [url, k3sPart(name)]));
  for (const { name, version, repository } of charts.filter((each) => each.repository.startsWith("https://"))) {
    const index = JSON.parse(String(files.get(`${repository}/index.yaml`) ?? '{"entries":{}}'));
    const archive = chartArchiveOf(chart(name).chart, version);
    const place = `${name}-${version}.tgz`;
    index.entries[chart(name).chart] = [{ version, digest: sha256(archive), urls: [place] }];
    files.set(`${repository}/index.yaml`, Buffer.from(JSON.stringify(index)));
    files.set(`${repository}/${place}`, archive);
  }
  return async (input, init) => {
    const content = files.get(String(input));
    return content === undefined ? real(input, init) : new Response(new Uint8Array(content));
  };
}

/** The digests of that content, for programs that run in a copy of the repository: in its catalogue, as if they were the makers'. */
export function writeContentCatalog(project: string, { images }: Pick<BundleNeeds, "images">): void {
  const digests = new Map(images.map(({ reference }) => reference.split("@") as [string, string | undefined]));
  change(join(project, "catalog", "image-digests.json"), (table: { digests: { image: string; digest: string }[] }) => {
    for (const row of table.digests) {
      row.digest = digests.get(row.image) ?? row.digest;
    }
  });
  change(
    join(project, "catalog", "charts.json"),
    (table: { charts: { chart: string; archive?: { version: string; sha256: string } }[] }) => {
      for (const { chart: name, archive } of table.charts) {
        if (archive !== undefined) {
          archive.sha256 = sha256(chartArchiveOf(name, archive.version));
        }
      }
    },
  );
}

function change<T>(path: string, edit: (content: T) => void): void {
  const content: T = JSON.parse(readFileSync(path, "utf8"));
  edit(content);
  writeFileSync(path, JSON.stringify(content));
}
