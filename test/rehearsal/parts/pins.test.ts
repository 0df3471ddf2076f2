import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PARTS, type PyPiPackage } from "../../../rehearsal/parts/parts";
import { CRDS, fileModules, isGoPart, pinnedVersion, pins, requirementsFile } from "../../../rehearsal/parts/pins";

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

describe("the pins of Go parts", () => {
  it.each(PARTS.filter(isGoPart))("have the module of $name", (part) => {
    expect(pinnedVersion(part)).toMatch(/^\d+\.\d+\.\d+/);
  });

  it("name no module whose files are read a second time", () => {
    const ofParts = PARTS.filter(isGoPart).map(({ from }) => from.module);
    expect([...pins(CRDS).keys()].filter((module) => ofParts.includes(module))).toEqual([]);
    expect(fileModules().get("github.com/envoyproxy/ai-gateway")).toBe("gateway");
  });
});
