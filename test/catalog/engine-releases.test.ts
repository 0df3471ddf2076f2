import { describe, expect, it } from "vitest";
import { isRead, isWithin, namesOf, releaseHas, spanOf, spanText } from "../../catalog/engine-releases";
import { engineNames, engineOf } from "../../engines";
import { compareVersions } from "../../names/versions";

const recorded = engineNames.flatMap((name) => {
  const { options, releases } = engineOf(name).options;
  return releases ? [{ name, options, releases }] : [];
});

it("are recorded of every engine but Ray, whose options are those of the vLLM in it", () => {
  expect(recorded.map(({ name }) => name).sort()).toEqual(engineNames.filter((name) => name !== "ray").sort());
});

describe.each(recorded)("releases of $name", ({ options, releases }) => {
  it("are in order, and spans begin and end at one of them", () => {
    expect(releases.releases.toSorted(compareVersions)).toEqual(releases.releases);
    const rows = [releases.arguments, releases.environment, ...Object.values(releases.values ?? {})].flat();
    const wrong = rows.filter(({ since, until }) =>
      [since, until].some((version) => version !== undefined && !releases.releases.includes(version)),
    );
    expect(wrong).toEqual([]);
  });

  it("give the pinned one the options that its own parser has", () => {
    const flags = options.arguments.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(flags.filter((name) => !releaseHas(releases.arguments, name, options.version))).toEqual([]);
    for (const [argument, rows] of Object.entries(releases.values ?? {})) {
      const choices = options.arguments.find(({ name }) => name === argument)?.choices;
      if (choices !== undefined) {
        expect(namesOf(rows, options.version).sort(), argument).toEqual([...choices].sort());
      }
    }
  });
});

describe("a span of releases", () => {
  const rows = [{ name: "a", until: "0.8.2" }, { name: "a", since: "0.10.0" }, { name: "b" }];

  it("holds its ends, and the newest one all that is newer", () => {
    const versions = ["0.8.0", "0.8.2", "0.9.0", "0.10.0", "1.0.0"];
    expect(versions.map((version) => releaseHas(rows, "a", version))).toEqual([true, true, false, true, true]);
    expect(namesOf(rows, "0.9.1")).toEqual(["b"]);
    expect(isWithin({}, "latest")).toBe(true);
    expect(["0.10.0", "0.11.0"].map((version) => isRead({ releases: ["0.8.0", "0.10.0"] }, version))).toEqual([
      true,
      false,
    ]);
  });

  it("is told in words", () => {
    expect([spanOf(rows, "a"), spanOf(rows, "c")]).toEqual([{}, undefined]);
    expect([{}, { since: "1" }, { until: "2" }, { since: "1", until: "2" }].map(spanText)).toEqual([
      "any release",
      "1 or newer",
      "2 or older",
      "1 to 2",
    ]);
  });
});
