import { describe, expect, it } from "vitest";
import { shapesOf } from "../../../../catalog/shapes";
import { EfaSecurityGroup, efaInterfaces } from "../../../../components/cluster/eks/efa";
import { deploy } from "../../../harness/deploy";
import { eksPool } from "../../../harness/eks-pools";

const ofShape = (name: string) => efaInterfaces(eksPool(name).plan.shape);

describe("efaInterfaces", () => {
  it("are one on each network card: the first with an address, the others of EFA alone", () => {
    expect(ofShape("g6e.48xlarge")).toEqual([
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: "efa" },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: "efa-only" },
      { networkCardIndex: 2, deviceIndex: 1, interfaceType: "efa-only" },
      { networkCardIndex: 3, deviceIndex: 1, interfaceType: "efa-only" },
    ]);
    expect(ofShape("g6.8xlarge")).toEqual([{ networkCardIndex: 0, deviceIndex: 0, interfaceType: "efa" }]);
  });

  it("never have a device index above one, on any shape of the catalogue", () => {
    const shapes = shapesOf("aws").filter(({ rdma }) => rdma.kind === "efa");
    expect(shapes.length).toBeGreaterThan(20);
    for (const shape of shapes) {
      const interfaces = efaInterfaces(shape);
      expect(interfaces).toHaveLength(shape.rdma.interfaces ?? 0);
      expect(new Set(interfaces.slice(1).map(({ deviceIndex }) => deviceIndex))).toEqual(
        new Set(interfaces.length > 1 ? [1] : []),
      );
    }
  });

  it("are none of a machine without EFA", () => {
    expect(() => ofShape("g6.xlarge")).toThrow("g6.xlarge has no EFA");
  });
});

describe("EfaSecurityGroup", () => {
  it("lets all traffic through between its members, both ways, and has no tag of the cluster's", async () => {
    const deployment = await deploy(() => {
      new EfaSecurityGroup("efa", { settings: { environment: "test" }, vpcId: "vpc-1" });
    });
    const [group] = deployment.ofType("aws:ec2/securityGroup:SecurityGroup");
    expect(group?.inputs).toEqual({
      vpcId: "vpc-1",
      description: "EFA between nodes",
      tags: { Name: "test-efa", "inference-stacks-efa": "test" },
    });
    const rule = {
      securityGroupId: "efa-group-id",
      referencedSecurityGroupId: "efa-group-id",
      ipProtocol: "-1",
      description: "EFA between nodes",
    };
    for (const type of ["Ingress", "Egress"]) {
      const token = `aws:vpc/securityGroup${type}Rule:SecurityGroup${type}Rule`;
      expect(deployment.ofType(token).map(({ inputs }) => inputs)).toEqual([rule]);
    }
  });
});
