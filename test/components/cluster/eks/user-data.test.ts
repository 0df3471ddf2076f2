import { describe, expect, it } from "vitest";
import { multipart, nodeConfig } from "../../../../components/cluster/eks/user-data";
import { eksPool } from "../../../harness/eks-pools";

const spec = (...args: Parameters<typeof nodeConfig>) => JSON.parse(nodeConfig(...args) ?? "null")?.spec;

describe("nodeConfig", () => {
  it("has nothing to tell a machine without GPUs and disks", () => {
    expect(nodeConfig(eksPool("m7i.xlarge"))).toBeUndefined();
  });

  it("gives engines CPUs of their own, and names none for the system", () => {
    expect(spec(eksPool("p5.48xlarge", { numa: "restricted" }))).toEqual({
      kubelet: {
        config: { cpuManagerPolicy: "static", topologyManagerPolicy: "restricted", topologyManagerScope: "pod" },
      },
    });
  });

  it("keeps pods' files on local disks where the plan has them", () => {
    expect(spec(eksPool("g6.xlarge", { localDisks: true }))).toEqual({
      instance: { localStorage: { strategy: "RAID0" } },
    });
  });

  it("registers taints in the form of the kubelet's flag", () => {
    const taints = [
      { key: "nvidia.com/gpu", effect: "NoSchedule" },
      { key: "dedicated", value: "inference", effect: "NoExecute" },
    ] as const;
    expect(spec(eksPool("m7i.xlarge"), taints)).toEqual({
      kubelet: { flags: ["--register-with-taints=nvidia.com/gpu=:NoSchedule,dedicated=inference:NoExecute"] },
    });
  });

  it("says what it is to nodeadm", () => {
    expect(JSON.parse(nodeConfig(eksPool("g6.xlarge", { localDisks: true })) ?? "")).toMatchObject({
      apiVersion: "node.eks.aws/v1alpha1",
      kind: "NodeConfig",
    });
  });
});

describe("multipart", () => {
  it("is one part, of nodeadm's type, between boundaries", () => {
    expect(multipart("{}").split("\n")).toEqual([
      "MIME-Version: 1.0",
      'Content-Type: multipart/mixed; boundary="==inference-stacks=="',
      "",
      "--==inference-stacks==",
      "Content-Type: application/node.eks.aws",
      "",
      "{}",
      "--==inference-stacks==--",
      "",
    ]);
  });
});
