/** docs/edge.md names what is written on a machine, and no page tells to install whatever k3s is newest. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { k3sFiles } from "../../components/cluster/k3s/k3s-config";
import { repositoryRoot } from "../../names/repository-root";
import { settings } from "../components/cluster/k3s/fixture";
import { changedRun, programRun } from "./run";

const docs = join(repositoryRoot(), "docs");
const pages = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));

describe("docs/edge.md", () => {
  it("names every file that is written on the machine", () => {
    const text = readFileSync(join(docs, "edge.md"), "utf8");
    const written = k3sFiles(settings({ images: { mirror: "registry.example.com/mirror" } }));
    expect(written.length).toBeGreaterThan(6);
    expect(written.map(({ path }) => path).filter((path) => !text.includes(`\`${path}\``))).toEqual([]);
  });
});

describe("the pages", () => {
  it("tell nobody to pipe an unpinned k3s into a shell", () => {
    expect(pages.length).toBeGreaterThan(30);
    expect(pages.filter((path) => readFileSync(join(docs, path), "utf8").includes("get.k3s.io"))).toEqual([]);
  });
});

describe("an environment whose k3s is ours", () => {
  const UNWATCHED = "ClusterCertificatesUnwatched";
  const REMINDER = "ClusterCertificateExpiringSoon";
  const rules = ({ deployment }: Awaited<ReturnType<typeof programRun>>) =>
    JSON.stringify(deployment.ofKind("PrometheusRule").map(({ inputs }) => inputs));

  it("is told where nobody sees its certificates; another is reminded alone", async () => {
    const ours = rules(await programRun("edge-nvidia"));
    expect(ours).toContain(REMINDER);
    expect(ours).toContain(UNWATCHED);
    const cluster = { kind: "edge", provision: "existing", storageClass: "local-path", gpuRuntimeClass: "nvidia" };
    const existing = rules(await changedRun("edge-nvidia", { cluster }));
    expect(existing).toContain(REMINDER);
    expect(existing).not.toContain(UNWATCHED);
  });
});
