import { describe, expect, it } from "vitest";
import { EKS_NODE_IMAGE, EKS_VERSIONS } from "../../../catalog/eks";
import { OKE_MINORS, OKE_NEWEST } from "../../../catalog/oke";
import { eksNodeImage } from "../../../stacks/advice/eks-node-image";
import { eksVersion } from "../../../stacks/advice/eks-version";
import { okeVersion } from "../../../stacks/advice/oke-version";

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

describe("a node image of EKS", () => {
  const image = (nodeImage: string, provision = "create") =>
    eksNodeImage({
      environment: { cluster: { kind: "aws", provision, eks: { nodeImage } } },
    } as unknown as Parameters<typeof eksNodeImage>[0]);

  it("is told where it is older than the pinned one", () => {
    expect(image("v20240807")).toEqual([
      {
        severity: "advisory",
        rule: "eks-node-image",
        subject: "cluster.eks.nodeImage",
        message: expect.stringMatching(
          new RegExp(`^v20240807 is older than ${EKS_NODE_IMAGE}, .*Write ${EKS_NODE_IMAGE}`),
        ),
      },
    ]);
  });

  it("is no matter where it is the pinned one or newer, or nobody made the cluster here", () => {
    expect([...image(EKS_NODE_IMAGE), ...image("v20991231"), ...image("v20240807", "existing")]).toEqual([]);
    expect(eksNodeImage({ environment: { cluster: { kind: "oci" } } } as never)).toEqual([]);
  });
});

describe("a Kubernetes version of OKE", () => {
  const version = (kubernetesVersion: string, provision = "create") =>
    okeVersion({
      environment: { cluster: { kind: "oci", provision, oke: { kubernetesVersion } } },
    } as unknown as Parameters<typeof okeVersion>[0]);
  const [oldest = "", second = ""] = OKE_MINORS;

  it("is told where it is the oldest, with the newest of the next", () => {
    for (const patch of [`v${oldest}.0`, OKE_NEWEST[oldest] ?? ""]) {
      expect(version(patch)).toEqual([
        {
          severity: "advisory",
          rule: "oke-version",
          subject: "cluster.oke.kubernetesVersion",
          message: expect.stringMatching(
            new RegExp(`${oldest} is the oldest .*kubernetesVersion: ${OKE_NEWEST[second]};`),
          ),
        },
      ]);
    }
  });

  it("is told where it is not the newest patch release", () => {
    expect(version(`v${second}.0`).map(({ message }) => message)).toEqual([
      expect.stringMatching(
        new RegExp(`^v${second}\\.0 is not the newest .*kubernetesVersion: ${OKE_NEWEST[second]}\\.$`),
      ),
    ]);
  });

  it("is no matter where it is the newest of its line, or nobody made the cluster here", () => {
    for (const minor of OKE_MINORS.slice(1)) {
      expect(version(OKE_NEWEST[minor] ?? "")).toEqual([]);
    }
    expect([...version(`v${oldest}.0`, "existing"), ...version("v1.99.1")]).toEqual([]);
  });
});
