import { describe, expect, it } from "vitest";
import { chartImageReferences, chartImageValues, installedCharts } from "../../catalog/chart-images";
import { chartValueProblems } from "../../catalog/chart-values";
import { imageDigests, knownDigest, withDigest } from "../../catalog/image-digests";
import { image, imageEntry, images } from "../../catalog/images";
import { nested } from "./nested";

describe("digests of images", () => {
  it("are of pinned tags alone, once each, in order", () => {
    const pinned = images.map(({ repository, tag }) => `${repository}:${tag}`);
    const listed = imageDigests.digests.map((row) => row.image);
    // A tag that was raised leaves its digest behind: npm run pins -- --digests drops it.
    expect(listed.filter((name) => !pinned.includes(name))).toEqual([]);
    expect(listed).toEqual([...new Set(listed)].sort());
    const repositories = images.map(({ repository }) => repository);
    expect(imageDigests.byTag.filter(({ repository }) => !repositories.includes(repository))).toEqual([]);
  });

  it("stand behind the tag of what pods pull", () => {
    for (const { image: name, digest } of imageDigests.digests) {
      expect(withDigest(name)).toBe(`${name}@${digest}`);
    }
    expect(image("pause")).toMatch(/^registry\.k8s\.io\/pause:3\.10\.2@sha256:/);
    expect(imageEntry("pause").digest).toBe(knownDigest("registry.k8s.io/pause:3.10.2"));
    expect(withDigest("example.com/a:1")).toBe("example.com/a:1");
  });
});

describe.each(installedCharts)("digests in the values of %s", (chart) => {
  it("are those of the list, by values that the chart has, with and without a mirror", () => {
    for (const mirror of [{}, { mirror: "registry.example.com/mirror" }]) {
      const values = nested(chartImageValues(chart, mirror));
      expect(chartValueProblems(chart, values)).toEqual([]);
      const rendered = chartImageReferences(chart, values).map((reference) => reference.split("@")[1]);
      expect(rendered).toEqual(chartImageReferences(chart, {}).map((reference) => knownDigest(reference)));
    }
  });
});
