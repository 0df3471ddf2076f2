import { describe, expect, it } from "vitest";
import { bundleTable, candidatesTable, plannerGrowthTable, programGrowthTable, runnerTable } from "./report";

const usage = (wallSeconds: number) => ({ wallSeconds, cpuSeconds: wallSeconds * 2, peakRssBytes: wallSeconds * 1e8 });

describe("tables", () => {
  it("compares each runner with the first, round by round", () => {
    const { rows } = runnerTable("aws-prod", [
      { name: "ours", rounds: [usage(1), usage(2)] },
      { name: "theirs", rounds: [usage(8), usage(16)] },
    ]);
    expect(rows).toEqual([
      ["ours", "1.00 s", "1.50 s", "2.00 s", "3.00 s", "200 MB", "1.0 ×"],
      ["theirs", "8.00 s", "12.00 s", "16.00 s", "24.00 s", "1600 MB", "8.0 ×"],
    ]);
  });

  it("compares each number of models with the one before", () => {
    const growth = [
      { models: 10, resources: 100, program: [usage(1)], plannerSeconds: [0.01] },
      { models: 100, resources: 1000, program: [usage(5)], plannerSeconds: [0.2] },
    ];
    expect(programGrowthTable(growth).rows.map((row) => row.slice(-2))).toEqual([
      ["", ""],
      ["88.9 ms", "5.0 ×"],
    ]);
    expect(plannerGrowthTable(growth).rows).toEqual([
      ["10", "10 ms", "10 ms", "10 ms", "1 ms", ""],
      ["100", "200 ms", "200 ms", "200 ms", "2 ms", "20.0 ×"],
    ]);
  });

  it("says for how many candidates a second is enough", () => {
    expect(candidatesTable({ candidates: 20_000, layouts: 100, cpuSeconds: [2, 1, 4] }).rows).toEqual([
      ["1.00 s", "2.00 s", "4.00 s", "0.1 ms", "10,000"],
    ]);
  });

  it("relates the build of the bundle to one plan", () => {
    const { rows } = bundleTable({ bytes: 4.9e6, rounds: [usage(0.5)] }, [usage(1)]);
    expect(rows).toEqual([
      ["node cli/run.mjs --build", "0.50 s", "0.50 s", "0.50 s", "1.00 s", "50 MB", "5 MB", "0.5 ×"],
    ]);
  });
});
