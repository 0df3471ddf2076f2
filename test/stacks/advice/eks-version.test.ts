import { describe, expect, it } from "vitest";
import { EKS_VERSIONS } from "../../../catalog/eks";
import { eksVersion } from "../../../stacks/advice/eks-version";

const advised = (kubernetesVersion: string, provision = "create") =>
  eksVersion({
    environment: { cluster: { kind: "aws", provision, eks: { kubernetesVersion } } },
  } as unknown as Parameters<typeof eksVersion>[0]);

describe("a version that EKS will move clusters on from", () => {
  it("is told with the day and the next one", () => {
    expect(advised("1.34")).toEqual([
      {
        severity: "advisory",
        rule: "eks-version",
        subject: "cluster.eks.kubernetesVersion",
        message: expect.stringMatching(/1\.34 leaves .* on 2026-12-02: .* to 1\.35 .*kubernetesVersion: "1\.35"/),
      },
    ]);
  });

  it("is no matter while its end is far, or nobody made it here", () => {
    expect(advised("1.35")).toEqual([]);
    expect(advised(EKS_VERSIONS.at(-1)?.minor ?? "")).toEqual([]);
    expect(advised("1.34", "existing")).toEqual([]);
    expect(eksVersion({ environment: { cluster: { kind: "local" } } } as never)).toEqual([]);
  });
});
