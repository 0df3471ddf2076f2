/** Renovate finds every pin: its expressions are counted against the data, without Renovate. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { charts } from "../catalog/charts";
import { EKS_NODE_IMAGE } from "../catalog/eks";
import { images } from "../catalog/images";
import { K3S_VERSION } from "../catalog/k3s";
import localClusters from "../catalog/local-clusters.json";
import { optIns } from "../catalog/pins";
import { repositoryRoot } from "../names/repository-root";
import { PARTS } from "../rehearsal/parts/parts";
import { isGoPart, isPyPiPart, pinFolder, pinsOf } from "../rehearsal/parts/pins";

interface Manager {
  readonly description: string;
  readonly managerFilePatterns: readonly string[];
  readonly matchStrings: readonly string[];
  readonly datasourceTemplate: string;
  readonly depNameTemplate?: string;
}

interface Rule {
  readonly matchDepNames?: readonly string[];
  readonly matchPackageNames?: readonly string[];
  readonly matchDatasources?: readonly string[];
  readonly versioning?: string;
  readonly enabled?: boolean;
}

const config = JSON.parse(readFileSync(join(repositoryRoot(), "renovate.json"), "utf8")) as {
  readonly customManagers: readonly Manager[];
  readonly packageRules: readonly Rule[];
};

interface Found {
  readonly datasource: string;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** What the managers of a file find in it, as Renovate does: expressions over the whole text. */
function found(file: string): Found[] {
  const text = readFileSync(join(repositoryRoot(), file), "utf8");
  return config.customManagers
    .filter(({ managerFilePatterns }) => managerFilePatterns.some((pattern) => expression(pattern).test(file)))
    .flatMap(({ matchStrings, datasourceTemplate, depNameTemplate }) =>
      matchStrings.flatMap((source) =>
        [...text.matchAll(new RegExp(source, "g"))].map(({ groups = {} }) => ({
          datasource: datasourceTemplate,
          groups: { ...(depNameTemplate !== undefined && { depName: depNameTemplate }), ...groups },
        })),
      ),
    );
}

/** A pattern between slashes. */
function expression(pattern: string): RegExp {
  return new RegExp(pattern.slice(1, -1));
}

const named = (list: readonly Found[], datasource: string) =>
  list.flatMap(({ datasource: of, groups }) => (of === datasource ? [`${groups.depName} ${groups.currentValue}`] : []));

describe("renovate.json", () => {
  it.each(config.customManagers.flatMap(({ matchStrings }) => matchStrings))("has RE2 expressions: %s", (source) => {
    expect(() => RE2JS.compile(source)).not.toThrow();
  });

  it("finds every image of the catalogue", () => {
    const list = found("catalog/images.json");
    expect(
      list.map(({ groups: { depName, packageName, currentValue } }) => [depName, packageName, currentValue]),
    ).toEqual(images.map(({ component, repository, tag }) => [component, repository, tag]));
  });

  it("finds every chart, of an index or a registry", () => {
    const list = found("catalog/charts.json");
    const isOci = ({ repository }: { readonly repository: string }) => repository.startsWith("oci://");
    const nameOf = ({ name, version }: { readonly name: string; readonly version: string }) => `${name} ${version}`;
    expect(named(list, "docker")).toEqual(charts.filter(isOci).map(nameOf));
    expect(named(list, "helm")).toEqual(charts.filter((chart) => !isOci(chart)).map(nameOf));
    expect(list).toHaveLength(charts.length);
  });

  it("finds what nodes are made of", () => {
    expect(named(found("catalog/eks.json"), "github-releases")).toEqual([`eks-node-image ${EKS_NODE_IMAGE}`]);
    expect(named(found("catalog/k3s.json"), "github-releases")).toEqual([`k3s ${K3S_VERSION}`]);
    expect(found("catalog/local-clusters.json")).toHaveLength(localClusters.tools.length);
  });

  it("finds every part of the tests: of PyPI by its row, of Go by a file that its own manager reads", () => {
    const packages = PARTS.filter(isPyPiPart).map(({ from }) => from);
    expect(named(found("rehearsal/parts/parts.ts"), "pypi")).toEqual(
      packages.map((from) => `${from.package} ${from.version}`),
    );
    const [rule] = config.packageRules.filter(({ matchDatasources }) => matchDatasources?.includes("pypi"));
    expect([...(rule?.matchPackageNames ?? [])].sort()).toEqual(
      [...new Set(packages.map((from) => from.package))].sort(),
    );
    // Its manager leaves indirect requirements alone but those that a tool directive names.
    for (const part of PARTS.filter(isGoPart)) {
      const text = readFileSync(join(pinFolder(pinsOf(part)), "go.mod"), "utf8");
      const [tools = ""] = /^tool [^(]+$|^tool \([^)]+\)/m.exec(text) ?? [];
      expect([part.name, tools.includes(part.from.module)]).toEqual([part.name, true]);
    }
  });

  it("finds its own release, and reads no file without a pin", () => {
    expect(named(found("scripts/renovate/check-config.ts"), "npm")).toEqual([
      expect.stringMatching(/^renovate \d+\.\d+\.\d+$/),
    ]);
    const files = ["catalog", "rehearsal/parts", "scripts/renovate"].flatMap((folder) =>
      readdirSync(join(repositoryRoot(), folder), { withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [`${folder}/${entry.name}`] : [],
      ),
    );
    for (const { description, managerFilePatterns } of config.customManagers) {
      const read = files.filter((file) => managerFilePatterns.some((pattern) => expression(pattern).test(file)));
      expect([description, read.length]).toEqual([description, 1]);
    }
  });

  it("has rules for pins that exist, whose own form of versions they know", () => {
    const dependencies = new Set([
      ...images.map(({ component }) => component),
      ...charts.map(({ name }) => name),
      "node",
    ]);
    for (const { matchDepNames = [], versioning } of config.packageRules) {
      expect(matchDepNames.filter((name) => !dependencies.has(name))).toEqual([]);
      for (const { tag } of images.filter(({ component }) => matchDepNames.includes(component) && versioning)) {
        expect(tag).toMatch(new RegExp(versioning?.replace(/^regex:/, "") ?? ""));
      }
    }
  });

  it("leaves what is kept old on purpose", () => {
    const [kept] = config.packageRules.filter(({ enabled }) => enabled === false);
    expect(optIns.map(({ image }) => image)).toEqual(expect.arrayContaining([...(kept?.matchDepNames ?? [""])]));
  });
});
