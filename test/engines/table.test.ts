import { describe, expect, it } from "vitest";
import { imageEntry } from "../../catalog/images";
import { engineNames, engineOf, engineVersion, type Processor } from "../../engines";
import { estimateMemory, layoutProblems, startProblems } from "../../engines/estimate";
import { SOURCES } from "../../engines/sources";
import { fixtureArchitecture } from "../planner/model/fixtures";
import { memoryRequest } from "./requests";

const llama = fixtureArchitecture("meta-llama--Llama-3.1-8B");

describe.each(engineNames)("the descriptor of %s", (name) => {
  const engine = engineOf(name);

  it("names images of the catalogue, all of one version", () => {
    const images = Object.entries(engine.images);
    expect(images.length).toBeGreaterThan(0);
    for (const [processor, image] of images) {
      expect(["nvidia", "amd", "cpu"] satisfies Processor[]).toContain(processor);
      expect(engine.versionOf(imageEntry(image).tag)).toBe(engineVersion(name));
    }
    expect(engineVersion(name)).toMatch(/^\d+(\.\d+)+$/);
  });

  it("serves known sources and tasks, and agrees with them who brings the weights", () => {
    expect(engine.tasks.length).toBeGreaterThan(0);
    expect(new Set(engine.sources).size).toBe(engine.sources.length);
    // A mounted volume takes the place of the store.
    for (const kind of engine.sources.filter((each) => !["claim", "folder"].includes(each))) {
      expect(SOURCES[kind].throughStore).toBe(engine.weightsFrom === "store");
    }
    expect(engine.sources.includes("claim") && engine.weightsFrom !== "store").toBe(false);
  });

  it("has an API, absolute paths of probes, and series that mean one thing each", () => {
    expect(Object.keys(engine.ports).length).toBeGreaterThan(0);
    for (const path of Object.values(engine.health)) {
      expect(path).toMatch(/^\//);
    }
    const series = Object.values(engine.metrics?.series ?? {});
    expect(new Set(series).size).toBe(series.length);
  });

  it("counts with flags that it has, and takes every format that it names", () => {
    for (const flag of [...(engine.memoryFlags ?? []), ...(engine.layoutFlags ?? []).map(({ flag: each }) => each)]) {
      expect(engine.options.argumentNamed.has(flag), flag).toBe(true);
    }
    for (const format of engine.formats.names) {
      expect(engine.formats.takes(format), format).toBe(true);
    }
    for (const format of [engine.defaultQuantization, engine.usualFormat?.(llama)]) {
      if (format !== undefined) {
        expect(engine.formats.takes(format), format).toBe(true);
      }
    }
  });

  it("answers the planner: a small load fits a large card, a huge one does not", () => {
    const request = memoryRequest(llama, { engine: { name, version: engineVersion(name) } });
    expect(startProblems(request)).toEqual([]);
    expect(layoutProblems(name, request)).toEqual([]);
    expect(estimateMemory(request).verdict.answer).toBe("fits");
    expect(estimateMemory({ ...request, gpuMemoryGiB: 4 }).verdict.answer).toBe("no");
    expect(startProblems({ ...request, contextTokens: llama.maxContextTokens + 1 })).not.toEqual([]);
  });
});
