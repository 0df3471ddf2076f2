import { describe, expect, it } from "vitest";
import type { DeploymentGrowth } from "./growth";
import { applyTable, growthTable } from "./report";

describe("tables of the engine", () => {
  it("compares every alternative with the first, round by round", () => {
    const { title, rows } = applyTable({
      environment: "dev",
      objects: 150,
      alternatives: [
        { name: "kubectl", seconds: [2, 4] },
        { name: "pulumi", seconds: [6, 8] },
      ],
    });
    expect(title).toBe("dev on an empty API server, 150 objects, 2 rounds");
    expect(rows).toEqual([
      ["kubectl", "2.00 s", "3.00 s", "4.00 s", "1.0 ×"],
      ["pulumi", "6.00 s", "7.00 s", "8.00 s", "2.5 ×"],
    ]);
  });

  it("divides what a larger size adds by its further resources, apart for each way to keep the state", () => {
    const entry = (keeping: DeploymentGrowth["keeping"], resources: number, upSeconds: number): DeploymentGrowth => ({
      keeping,
      models: resources / 10,
      resources,
      previewSeconds: [1],
      upSeconds: [upSeconds],
      noOpUpSeconds: [upSeconds / 10],
      stateBytes: resources * 2000,
    });
    const { rows } = growthTable([
      entry("state after every step", 100, 10),
      entry("state at the end only", 100, 2),
      entry("state after every step", 1000, 100),
      entry("state at the end only", 1000, 20),
    ]);
    expect(rows.map((row) => [row[2], row[4], row[5], row[7], row[8], row[9]])).toEqual([
      ["100", "10.00 s", "", "", "200 kB", "2.0 kB"],
      ["100", "2.00 s", "", "", "200 kB", "2.0 kB"],
      ["1000", "100.00 s", "100 ms", "10 ms", "2000 kB", "2.0 kB"],
      ["1000", "20.00 s", "20 ms", "2 ms", "2000 kB", "2.0 kB"],
    ]);
  });
});
