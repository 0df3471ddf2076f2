import { describe, expect, it } from "vitest";
import { chartDefinitions } from "../../charts/definitions";
import { chartArchiveOf } from "../bundle/registry";

const DEPENDENCIES = "dependencies:\n- {name: crds, condition: crds.enabled}\n- {name: nfd, alias: node-features}\n";

/** A chart with definitions of its own, and of two subcharts. */
const archive = chartArchiveOf("gateway-helm", "1.9.3", {
  "Chart.yaml": `name: gateway-helm\nversion: 1.9.3\n${DEPENDENCIES}`,
  "values.yaml": "crds: {enabled: true}\n",
  "crds/own.yaml": "own",
  "crds/README.md": "no definition",
  "templates/crds/rendered.yaml": "Helm upgrades these",
  "charts/crds/Chart.yaml": "name: crds\nversion: 0.0.0\n",
  "charts/crds/crds/generated/gateways.yaml": "gateways",
  "charts/nfd/Chart.yaml":
    "name: nfd\nversion: 0.1.0\ndependencies:\n- {name: deep, condition: 'missing.on, deep.on'}\n",
  "charts/nfd/crds/features.yml": "features",
  "charts/nfd/charts/deep/Chart.yaml": "name: deep\nversion: 0.1.0\n",
  "charts/nfd/charts/deep/crds/deep.json": "deep",
});

describe("the definitions that Helm installs once", () => {
  it("are the files in crds/ of a chart and of its subcharts", () => {
    expect(chartDefinitions(archive, {})).toEqual(["own", "gateways", "features", "deep"]);
  });

  it.each([
    ["by a value of the release over one of the chart", { crds: { enabled: false } }, ["own", "features", "deep"]],
    ["by its alias", { "node-features": { deep: { on: false } } }, ["own", "gateways", "features"]],
  ])("leave out a subchart that is off %s", (_, values, expected) => {
    expect(chartDefinitions(archive, values)).toEqual(expected);
  });

  it("are none of a chart without such a folder", () => {
    expect(chartDefinitions(chartArchiveOf("keda", "2.21.0"), {})).toEqual([]);
  });
});
