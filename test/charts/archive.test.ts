import { describe, expect, it } from "vitest";
import { chartProblem } from "../../charts/archive";
import { chartArchiveOf } from "../bundle/registry";

describe("the archive of a chart", () => {
  it.each([
    ["1.21.1", "1.21.1"],
    ["v1.21.1", "1.21.1"],
    ["1.21.1", "v1.21.1"],
  ])("with the version %s is the pinned %s: one leading v makes no difference", (held, pinned) => {
    expect(chartProblem(chartArchiveOf("lws", held), { chart: "lws", version: pinned })).toBeUndefined();
  });

  it.each([
    ["1.0.0-2", "1.0.0-v2"],
    ["1.0.0-v2", "1.0.0-2"],
    ["vv1.0.0", "1.0.0"],
  ])("with the version %s is not the pinned %s", (held, pinned) => {
    expect(chartProblem(chartArchiveOf("lws", held), { chart: "lws", version: pinned })).toBe(
      `it holds lws ${held}, not lws ${pinned}`,
    );
  });
});
