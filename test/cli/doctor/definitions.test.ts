/** Definitions that charts have as templates: where others made them, Helm refuses the release, and doctor says so before. */
import { describe, expect, it } from "vitest";
import { charts } from "../../../catalog/charts";
import { pinnedParts } from "../../../catalog/pins";
import { controllers, PRODUCTS } from "../../../cli/doctor/checks/controllers";
import { facts, known, named, needs } from "./made-up";

/** Why doctor has no row for definitions in a chart's templates. */
const WITHOUT_ROW: Readonly<Record<string, string>> = {
  "gateway-crds-helm": "pinned beside gateway-helm, which has the same definitions in crds/, and not installed",
  "gpu-operator": "only those of Node Feature Discovery's topology updater, which its values leave off",
  "amd-gpu": "only those of Node Feature Discovery's topology updater, which its values leave off",
};

const installed = new Set(pinnedParts.flatMap((part) => part.charts ?? []));
const templated = charts.filter(({ crdNotes = "" }) => /template/.test(crdNotes)).map(({ name }) => name);
const rows = PRODUCTS.flatMap(({ title, groups, chart, crdChart }) =>
  crdChart === undefined ? [] : [{ title, groups, chart, crdChart }],
);

it("have a row, or a reason, for each chart of the platform that has some", () => {
  const told = [...rows.map(({ crdChart }) => crdChart), ...Object.keys(WITHOUT_ROW)];
  expect(told.sort()).toEqual(templated.filter((name) => installed.has(name)).sort());
});

describe.each(rows)("those of $title", ({ title, groups, chart, crdChart }) => {
  const release = { chart: crdChart, release: "of-the-platform", namespace: "of-the-release" };
  const releases = [release, { chart, release: "controller", namespace: "controllers" }];
  const verdict = (definitions: readonly string[]) =>
    controllers(facts({ definitions: known(definitions.map((name) => named(name))) }), needs({ releases })).find(
      (result) => result.title === title,
    );

  it.each(groups)("of %s stop the installation, with the line that gives them to the release", (group) => {
    const name = group.split(".").length > 3 ? group : `things.${group}`;
    const { status, remedies = [] } = verdict([name]) ?? {};
    expect(status).toBe("failed");
    const pattern = /grep -E '(.*?)'/.exec(remedies[0] ?? "")?.[1] ?? "never";
    expect(new RegExp(pattern).test(`customresourcedefinition.apiextensions.k8s.io/${name}`)).toBe(true);
    expect(new RegExp(pattern).test("customresourcedefinition.apiextensions.k8s.io/things.example.com")).toBe(false);
    expect(remedies[0]).toContain(
      `release-name=${release.release} meta.helm.sh/release-namespace=${release.namespace}`,
    );
  });
});
