import { describe, expect, it } from "vitest";
import { advisories, advisoriesOf, compareReleases, releaseName, releaseNumbers } from "../../catalog/advisories";
import { bundledEngines } from "../../catalog/bundled-engines";
import chartImages from "../../catalog/chart-images.json";
import { charts } from "../../catalog/charts";
import { images } from "../../catalog/images";
import { knownVulnerabilities, mendedIn } from "../../catalog/known-vulnerabilities";
import { notInstalled, optIns, pinnedParts, pinsOf } from "../../catalog/pins";

const parts = pinnedParts.map(({ part }) => part);

describe("pins", () => {
  it("has every image and chart of the catalogue once: of a part, or as one that nothing installs", () => {
    const ofImages = [...pinnedParts.flatMap((part) => part.images ?? []), ...notInstalled.images];
    const ofCharts = [...pinnedParts.flatMap((part) => part.charts ?? []), ...notInstalled.charts];
    expect(ofImages.sort()).toEqual(images.map(({ component }) => component).sort());
    expect(ofCharts.sort()).toEqual(charts.map(({ name }) => name).sort());
    expect(new Set(parts).size).toBe(parts.length);
  });

  it("has days of releases that are pinned, and of no others", () => {
    for (const part of pinnedParts) {
      const pinned = pinsOf(part).map(({ version }) => releaseName(version));
      expect(pinned).toEqual(expect.arrayContaining(Object.keys(part.released ?? {})));
    }
  });

  it("knows what charts install", () => {
    const installed = chartImages.charts.flatMap(({ chart, images: own }) => [
      chart,
      ...own.map(({ component }) => component),
    ]);
    const left = [...notInstalled.images, ...notInstalled.charts];
    // The GPU operator brings node-feature-discovery as a part of its own chart; valkey is an image here, and a chart there.
    const both = installed.filter((name) => left.includes(name));
    expect(both.toSorted()).toEqual(["node-feature-discovery", "valkey"]);
  });

  it("asks for images that exist", () => {
    const named = [...optIns.map(({ image }) => image), ...bundledEngines.map(({ image }) => image)];
    expect(named.filter((name) => !images.some(({ component }) => component === name))).toEqual([]);
  });
});

describe("advisories", () => {
  it("are of parts whose pins can be compared", () => {
    for (const { part } of [...advisories, ...bundledEngines]) {
      const pins = pinnedParts.filter((each) => each.part === part).flatMap(pinsOf);
      expect([part, pins.length > 0, pins.filter(({ version }) => releaseNumbers(version) === undefined)]).toEqual([
        part,
        true,
        [],
      ]);
    }
  });

  it("affect spans that are not empty", () => {
    const empty = advisories.filter(({ affected }) =>
      affected.some(
        ({ from, before }) => from !== undefined && before !== undefined && compareReleases(from, before) >= 0,
      ),
    );
    expect(empty).toEqual([]);
  });

  it.each([
    ["distroless-v1.39.6", "1.39.6"],
    ["v0.33.0-rocm72", "0.33.0"],
    ["2.56.0-py312-cu130", "2.56.0"],
    ["v1.36.4+k3s1", "1.36.4"],
    ["26.07-trtllm-python-py3", "26.07"],
    ["v20260714", "2026.07.14"],
    ["RELEASE.2026-09-16T00-00-00Z", "2026.09.16"],
    ["17b1956c", undefined],
  ])("read the release in %s", (tag, numbers) => {
    expect(releaseNumbers(tag)).toBe(numbers);
  });

  const idsOf = (part: string, version: string) => advisoriesOf(part, version).map(({ ids }) => ids[0]);

  it("end with the release that mends them, in each line", () => {
    expect(idsOf("envoy", "distroless-v1.39.5")).toEqual(["CVE-2026-111943"]);
    expect(idsOf("envoy", "distroless-v1.39.6")).toEqual([]);
    expect(idsOf("envoy", "v1.40.1")).toEqual(["CVE-2026-111943"]);
    expect(idsOf("envoy", "v1.40.2")).toEqual([]);
    expect(idsOf("valkey", "9.1.1")).toEqual(["GHSA-fq2f-crmw-q97r"]);
    expect(idsOf("nvidia-driver", "595.80.01")).toEqual(["NVIDIA bulletin 5861"]);
    expect(idsOf("eks-node-image", "v20261003")).toEqual(["awslabs/amazon-eks-ami#2845"]);
    expect(idsOf("eks-node-image", "v20261012")).toEqual([]);
  });

  it("count for what an image brings, and name the release that mends all", () => {
    const [own, brought] = knownVulnerabilities("ray", {
      kind: "image",
      name: "ray-llm",
      version: "2.56.0-py312-cu130",
    });
    expect([own?.known, brought?.part, brought?.version]).toEqual([[], "vllm", "0.22.0"]);
    expect(brought?.known.length).toBeGreaterThan(3);
    const [, unknown] = knownVulnerabilities("ray", { kind: "image", name: "ray-llm", version: "2.99.0" });
    expect(unknown).toEqual({ part: "vllm", version: undefined, known: [] });
    expect(mendedIn(advisoriesOf("envoy", "1.39.0"))).toBe("1.39.6");
    expect(mendedIn(advisoriesOf("vllm", "0.32.0"))).toBeUndefined();
  });
});
