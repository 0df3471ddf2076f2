import { describe, expect, it } from "vitest";
import { told } from "./samples";

describe("people", () => {
  const people = (section: unknown) => told({ people: section }, "people");

  it("may be groups by role, for all models and by domain", () => {
    expect(people({ viewers: ["ml-users"], domains: {} })).toEqual([]);
  });

  it("are no groups of Kubernetes' own, and stand once", () => {
    expect(people({ admins: ["system:masters"], viewers: ["a", "a"] })).toEqual([
      expect.stringMatching(/^people\.admins\[0\] is "system:masters"; allowed: a group of people.*identity provider/),
      expect.stringMatching(/^people\.viewers\[1\] is "a"; allowed: each group once/),
    ]);
  });

  it("are of domains that models have", () => {
    expect(people({ domains: { legl: { viewers: ["lawyers"] } } })).toEqual([
      expect.stringMatching(/^people\.domains\.legl is "legl"; allowed: domain of a model/),
    ]);
  });
});
