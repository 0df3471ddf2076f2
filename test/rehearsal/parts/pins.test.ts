import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PyPiPackage } from "../../../rehearsal/parts/part";
import { PARTS } from "../../../rehearsal/parts/parts";
import {
  CRDS,
  fileModules,
  isGoPart,
  pinnedVersion,
  pins,
  requirementsFile,
  requirementsOf,
} from "../../../rehearsal/parts/pins";

const fromPyPi = PARTS.flatMap(({ name, from }) =>
  from !== "debian" && "package" in from ? [{ name, from: from satisfies PyPiPackage }] : [],
);

describe.each(fromPyPi)("the requirements of $name", ({ name, from }) => {
  const requirements = readFileSync(requirementsFile(name), "utf8").split(/\n(?=\S)/);

  it("pin the part itself in its version", () => {
    expect(requirements.map((requirement) => requirement.split(/[ ;\\]/)[0])).toContain(
      `${from.package}==${from.version}`,
    );
  });

  it("pin everything by version and hash", () => {
    expect(requirements.filter((each) => !/^[\w.-]+==\S+.*--hash=sha256:[0-9a-f]{64}/s.test(each))).toEqual([]);
  });
});

const OPERATOR = "github.com/prometheus-operator/prometheus-operator";

describe("the pins of Go parts", () => {
  it.each(PARTS.filter(isGoPart))("have the module of $name", (part) => {
    expect(pinnedVersion(part)).toMatch(/^\d+\.\d+\.\d+/);
  });

  it("name no module whose files are read a second time", () => {
    const ofParts = PARTS.filter(isGoPart).map(({ from }) => from.module);
    // The chart of Argo CD installs definitions of an older release than its image; the operator is installed by name alone.
    const twice = ["github.com/argoproj/argo-cd/v3", OPERATOR];
    expect([...pins(CRDS).keys()].filter((module) => ofParts.includes(module))).toEqual(twice);
    expect(fileModules().get("github.com/envoyproxy/ai-gateway")).toBe("gateway");
    expect(pins("prometheus-operator").get(OPERATOR)).toBe(pins(CRDS).get(OPERATOR));
  });
});

describe("the requirements of a go.mod", () => {
  it("are the required modules, direct and indirect, and neither replacements nor comments", () => {
    const goMod = [
      "module example.com/pins",
      "go 1.26.0",
      "// example.com/in-a-comment v1.0.0",
      "require example.com/alone v1.2.3",
      "require (",
      "\texample.com/direct v0.1.0",
      "\texample.com/indirect v0.0.0-20260101000000-0123456789ab // indirect",
      ")",
      "replace example.com/direct v0.1.0 => example.com/direct v0.1.1",
      "replace (",
      "\texample.com/indirect => example.com/fork v1.0.0",
      "\texample.com/not-required v1.2.3 => example.com/alone v1.2.4",
      ")",
    ];
    expect([...requirementsOf(goMod.join("\n"))]).toEqual([
      ["example.com/alone", "v1.2.3"],
      ["example.com/direct", "v0.1.0"],
      ["example.com/indirect", "v0.0.0-20260101000000-0123456789ab"],
    ]);
  });
});

describe("a part with an oldest version", () => {
  it("has the arguments that print the version: without them no installed binary is found or checked", () => {
    const unchecked = PARTS.filter(({ oldest, versionArgs }) => oldest !== undefined && versionArgs === undefined);
    expect(unchecked.map(({ name }) => name)).toEqual([]);
  });
});
