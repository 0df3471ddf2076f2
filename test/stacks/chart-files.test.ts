import { describe, expect, it } from "vitest";
import { placedArchive } from "../../catalog/chart-archive";
import { chartImages, installedCharts } from "../../catalog/chart-images";
import { chart, chartReference } from "../../catalog/charts";
import { ChartsError } from "../../charts/lock-file";
import type { PlacedCharts } from "../../charts/place";
import { ChartFiles } from "../../components/core/chart-files";
import { HELM_RELEASE } from "../../kubernetes/resource-types";
import { chartFiles } from "../../stacks/chart-files";
import { isUserMistake } from "../../stacks/program";
import { devPlatform } from "./dev-platform";

const paths = new Map(
  installedCharts.map((name) => [name, `./.charts/${placedArchive(chart(name), "0123456789abcdef".repeat(4))}`]),
);

/** Charts as they are placed, without some. */
function placedWithout(...missing: readonly string[]): PlacedCharts {
  return {
    paths: new Map([...paths].filter(([name]) => !missing.includes(name))),
    problems: new Map(missing.map((name) => [name, { message: `chart ${name} is away`, fix: "npm run charts" }])),
    fetched: [],
    added: [],
  };
}

describe("charts of a platform as files", () => {
  it("are named by every release, with their versions, and without a repository", async () => {
    const { recording } = await devPlatform({ charts: placedWithout() });
    const releases = recording.resources.filter(({ type }) => type === HELM_RELEASE);
    expect(releases.length).toBeGreaterThan(3);
    for (const { inputs } of releases) {
      const name = installedCharts.find((each) => paths.get(each) === inputs.chart);
      expect(name, String(inputs.chart)).toBeDefined();
      expect(inputs.version).toBe(chart(name ?? "").version);
      expect(inputs).not.toHaveProperty("repositoryOpts");
    }
  });

  it("that are missing refuse the platform that installs them, each with its reason, as a mistake of the user's", async () => {
    const refused = devPlatform({ charts: placedWithout("cert-manager", "gateway-helm", "beta9-chart") });
    await expect(refused).rejects.toThrow(
      /^chart cert-manager is away\nchart gateway-helm is away\nFix: npm run charts$/,
    );
    expect(isUserMistake(new ChartsError("a chart is away"))).toBe(true);
  });

  it("are nobody's business where the environment says so, has none, or has a bundle", async () => {
    const local = { kind: "local" } as Parameters<typeof chartFiles>[0]["cluster"];
    const bundled = { kind: "edge", k3s: { bundle: "/srv/bundle" } } as typeof local;
    expect(await chartFiles({ charts: "repository", scope: "all", cluster: local }, "/nowhere")).toBeUndefined();
    expect(await chartFiles({ charts: "cache", scope: "cluster", cluster: local }, "/nowhere")).toBeUndefined();
    expect(await chartFiles({ charts: "cache", scope: "all", cluster: bundled }, "/nowhere")).toBeUndefined();
  });

  it.each(installedCharts)("%s is known by its path again, so that its images are mirrored", (name) => {
    const files = new ChartFiles(paths);
    const props = { ...chartReference(name), values: { a: 1 } };
    const given = files.transformation({ type: HELM_RELEASE, name, props, opts: {}, resource: {} as never });
    expect(given?.props).toEqual({ chart: paths.get(name), version: chart(name).version, values: { a: 1 } });
    expect(chartImages(name).chart).toBe(name);
    expect(files.missing).toEqual([]);
  });
});
