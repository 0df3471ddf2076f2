import { describe, expect, it } from "vitest";
import { failuresOf, familyTables, type Judged } from "./report";

const judged: readonly Judged[] = [
  { name: "llama", served: true, outcome: { kind: "exact" } },
  { name: "gemma", served: true, outcome: { kind: "near", error: 0.00123456 } },
  { name: "falcon", served: true, outcome: { kind: "refused", reason: "falcon cannot be read:\n  a: is missing" } },
  { name: "bart", served: false, outcome: { kind: "refused", reason: "bart cannot be read:\n  unknown" } },
  { name: "ctrl", served: false, outcome: { kind: "near", error: -0.002 } },
  { name: "opt", served: false, outcome: { kind: "off", error: 0.05 } },
];

describe("families beside exact counts", () => {
  it("are counted, and told one by one where they are not exact", () => {
    const [summary, details] = familyTables(judged, { vllm: "0.33.0", transformers: "5.19.0" });
    expect(summary?.rows).toEqual([
      ["served by vLLM 0.33.0", "3", "1", "1", "0", "1"],
      ["not served", "3", "0", "1", "1", "1"],
    ]);
    expect(details?.rows).toEqual([
      ["gemma", "near", "+0.123 %"],
      ["falcon", "refused", "a: is missing"],
      ["ctrl (not served)", "near", "-0.2 %"],
      ["opt (not served)", "off", "+5 %"],
    ]);
  });

  it("fail where a number misleads", () => {
    expect(failuresOf(judged)).toEqual(["ctrl is off by -0.2 %", "opt is off by +5 %"]);
  });

  it("fail where families of a kind were not counted", () => {
    const [llama, , , bart] = judged;
    expect(failuresOf(bart ? [bart] : [])).toEqual(["no family that vLLM serves was counted"]);
    expect(failuresOf(llama ? [llama] : [])).toEqual(["no family that vLLM does not serve was counted"]);
    expect(failuresOf([])).toHaveLength(2);
  });
});
