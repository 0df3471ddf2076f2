import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { entriesOf } from "../../charts/index-entries";

const entry = fc.record({
  version: fc.constantFrom("1.2.3", "v1.2.3", "1.2.30", "11.2.3", "1.2.3-rc.1", "0.9.0", "1x2x3"),
  digest: fc.stringMatching(/^[0-9a-f]{8}$/),
  urls: fc.array(fc.webUrl(), { maxLength: 2 }),
  annotations: fc.record({
    changes: fc.constantFrom("- kind: added\n  version: 1.2.3\n", "one line", "a:\n  b:\n- c"),
  }),
});
const indexes = fc.dictionary(
  fc.constantFrom("lws", "lws-crds", "generated", "a.b", "constructor"),
  fc.array(entry, { minLength: 1, maxLength: 12 }),
);

describe("entries of an index", () => {
  it("are those that a parse of all of it finds, however it is written", () => {
    fc.assert(
      fc.property(
        indexes,
        fc.constantFrom("lws", "a.b", "constructor", "none"),
        fc.integer({ min: 0, max: 3 }),
        (all, chart, way) => {
          const index = { apiVersion: "v1", entries: all, generated: "2026-11-28" };
          const ways = [
            stringify(index, { indentSeq: false }),
            stringify(index),
            stringify(index, { indent: 4 }),
            JSON.stringify(index),
          ];
          const found = entriesOf(ways[way] ?? "", chart, "v1.2.3");
          const whole = Object.hasOwn(all, chart) ? (all[chart] ?? []) : [];
          const wanted = whole.filter(({ version }) => /^v?1\.2\.3$/.test(version));
          expect(found.filter(({ version }) => /^v?1\.2\.3$/.test(version))).toEqual(wanted);
          expect(found.slice(0, 5)).toEqual(whole.slice(0, 5));
        },
      ),
      { numRuns: 300 },
    );
  });

  it("are found at once in an index of megabytes", () => {
    const versions = Array.from({ length: 20_000 }, (_, i) => ({
      version: `1.${i}.0`,
      digest: "0".repeat(64),
      urls: [`https://charts.example.com/lws-1.${i}.0.tgz`],
    }));
    const text = `apiVersion: v1\nentries:\n  lws:\n${versions.map((one) => `  - version: ${one.version}\n    digest: ${one.digest}\n    urls:\n    - ${one.urls[0]}\n`).join("")}generated: now\n`;
    const start = performance.now();
    const found = entriesOf(text, "lws", "1.19999.0");
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(found.map(({ version }) => version)).toEqual(["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.19999.0"]);
  });

  it("that is large and laid out in another way is refused before it is parsed", () => {
    const text = JSON.stringify({ entries: { other: "x".repeat(9 * 2 ** 20) } });
    expect(() => entriesOf(text, "chart", "1.0.0")).toThrow(/not laid out as `helm repo index` does/);
  });

  it("may have comments behind versions", () => {
    const items = ["9", "8", "7", "6", "5", "1"].map(
      (major) => `  - version: ${major}.0.0 # lts\n    urls: [a-${major}.tgz]\n`,
    );
    const text = `apiVersion: v1\nentries:\n  chart:\n${items.join("")}`;
    expect(entriesOf(text, "chart", "1.0.0").map(({ version }) => version)).toContain("1.0.0");
  });
});
