import { describe, expect, it } from "vitest";
import { decisionRow } from "../../../scripts/reference/decisions";

const row = (decided: string) => decisionRow("0012-a-name.md", `# 12. A title\n\nA question.\n\n${decided}\n\nWhy.\n`);

describe("the row of a decision", () => {
  it.each([
    "**Decided.** one file holds the list, ",
    "**Decided**: one file holds the list, ",
    "**Decided** (2026-11-22): one file holds the list, ",
  ])("has title, page and what was decided: %s", (start) => {
    expect(row(`${start}which [every command](../x.md) reads before anything else.\nMore follows.`)).toEqual([
      "[12. A title](0012-a-name.md)",
      "One file holds the list, which every command reads before anything else.",
    ]);
  });

  it("has a second sentence where the first is short, and no paths of files", () => {
    expect(
      row("**Decided.** Ours stays (`a/b.ts`, docs). It (the proxy) runs as before, since `f(x).` calls it.")[1],
    ).toBe("Ours stays. It (the proxy) runs as before, since `f(x).` calls it.");
  });

  it("refuses a page that does not say what was decided", () => {
    expect(() => row("It was decided.")).toThrow(/0012-a-name\.md needs .*\*\*Decided\.\*\*/);
  });
});
