import { describe, expect, it } from "vitest";
import { apiServerCidrs } from "../../../stacks/advice/api-server-cidrs";

const advised = (kind: string, provision: string, cidrs: readonly string[] = []) =>
  apiServerCidrs({ environment: { cluster: { kind, provision, apiServerCidrs: cidrs } } } as unknown as Parameters<
    typeof apiServerCidrs
  >[0]).map(({ message }) => message);

describe("an API server that may be anywhere", () => {
  it.each([
    ["local", "existing"],
    ["local", "create"],
    ["edge", "existing"],
    ["edge", "create"],
    ["aws", "existing"],
    ["oci", "existing"],
  ])("is told of %s clusters with provision %s, in every stage, with where its addresses are", (kind, provision) => {
    expect(advised(kind, provision)).toEqual([
      expect.stringMatching(/private networks too\..*endpointslice\/kubernetes/),
    ]);
    expect(advised(kind, provision, ["10.0.0.0/28"])).toEqual([]);
  });

  it("is no matter where the program makes the network, or another stack says it", () => {
    expect([advised("aws", "create"), advised("oci", "create"), advised("edge", "stack")]).toEqual([[], [], []]);
  });
});
