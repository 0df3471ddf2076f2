import { describe, expect, it } from "vitest";
import { EksNetwork } from "../../../../components/cluster/eks/network";
import { type Deployment, deploy } from "../../../harness/deploy";
import { NETWORK, settings, ZONES } from "./fixture";

const VPC = "aws:ec2/vpc:Vpc";
const SUBNET = "aws:ec2/subnet:Subnet";
const NAT = "aws:ec2/natGateway:NatGateway";
const EIP = "aws:ec2/eip:Eip";
const ROUTE = "aws:ec2/route:Route";
const ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint";
const ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation";

async function network(changes: Partial<typeof NETWORK> = {}, preview = false) {
  let made: EksNetwork | undefined;
  const deployment = await deploy(
    () => {
      made = new EksNetwork("network", { settings: settings({ network: { ...NETWORK, ...changes } }) });
    },
    { preview },
  );
  return { deployment, network: made as unknown as EksNetwork };
}

const inputs = (deployment: Deployment, type: string) =>
  Object.fromEntries(deployment.ofType(type).map((resource) => [resource.name, resource.inputs]));

describe("EksNetwork", () => {
  it("has names inside, which private endpoints need", async () => {
    const { deployment } = await network();
    expect(inputs(deployment, VPC)).toEqual({
      "network-vpc": {
        cidrBlock: "10.0.0.0/16",
        enableDnsSupport: true,
        enableDnsHostnames: true,
        tags: { Name: "test" },
      },
    });
  });

  it("spans every zone with three subnets, which controllers find by their tags", async () => {
    const { deployment } = await network();
    const subnet = (kind: "nodes" | "public" | "control-plane", zone: string) =>
      deployment.resource(SUBNET, `network-${kind}-${zone}`).inputs;
    for (const zone of ZONES) {
      const rest = { vpcId: "network-vpc-id", availabilityZone: zone, mapPublicIpOnLaunch: false };
      expect(subnet("nodes", zone)).toEqual({
        ...rest,
        cidrBlock: NETWORK.subnets.nodes[zone],
        tags: {
          Name: `test-nodes-${zone}`,
          "kubernetes.io/role/internal-elb": "1",
          "karpenter.sh/discovery": "test",
        },
      });
      expect(subnet("public", zone)).toEqual({
        ...rest,
        cidrBlock: NETWORK.subnets.public[zone],
        tags: { Name: `test-public-${zone}`, "kubernetes.io/role/elb": "1" },
      });
      expect(subnet("control-plane", zone)).toEqual({
        ...rest,
        cidrBlock: NETWORK.subnets.controlPlane[zone],
        tags: { Name: `test-control-plane-${zone}` },
      });
    }
    expect(deployment.ofType(SUBNET)).toHaveLength(6);
  });

  it("lets nodes out through the NAT gateway of their own zone, whose address stays", async () => {
    const { deployment } = await network();
    expect(inputs(deployment, NAT)["network-nat-us-east-1b"]).toMatchObject({
      connectivityType: "public",
      subnetId: "network-public-us-east-1b-id",
    });
    expect(deployment.ofType(EIP).map((eip) => eip.inputs.domain)).toEqual(["vpc", "vpc"]);
    expect(inputs(deployment, ROUTE)).toEqual({
      "network-public-out": {
        routeTableId: "network-public-routes-id",
        destinationCidrBlock: "0.0.0.0/0",
        gatewayId: "network-internet-id",
      },
      ...Object.fromEntries(
        ZONES.map((zone) => [
          `network-out-${zone}`,
          {
            routeTableId: `network-routes-${zone}-id`,
            destinationCidrBlock: "0.0.0.0/0",
            natGatewayId: `network-nat-${zone}-id`,
          },
        ]),
      ),
    });
  });

  it("lets all zones out through one NAT gateway where that is asked for, and keeps a table for each", async () => {
    const perZone = await network();
    const { deployment } = await network({ natGateways: "single" });
    expect(deployment.ofType(NAT).map(({ name }) => name)).toEqual(["network-nat-us-east-1a"]);
    for (const zone of ZONES) {
      expect(deployment.resource(ROUTE, `network-out-${zone}`).inputs.natGatewayId).toBe("network-nat-us-east-1a-id");
    }
    expect(inputs(deployment, ASSOCIATION)).toEqual(inputs(perZone.deployment, ASSOCIATION));
  });

  it("gives no way out to the control plane's subnets, and one to the internet to public ones alone", async () => {
    const { deployment } = await network();
    const tables = Object.fromEntries(
      deployment.ofType(ASSOCIATION).map(({ inputs: { subnetId, routeTableId } }) => [subnetId, routeTableId]),
    );
    for (const zone of ZONES) {
      expect(tables[`network-control-plane-${zone}-id`]).toBe("network-control-plane-routes-id");
      expect(tables[`network-public-${zone}-id`]).toBe("network-public-routes-id");
      expect(tables[`network-nodes-${zone}-id`]).toBe(`network-routes-${zone}-id`);
    }
    const ways = deployment.ofType(ROUTE).map((route) => route.inputs.routeTableId);
    expect(ways).not.toContain("network-control-plane-routes-id");
  });

  it("reaches S3 without the internet, and other services by an address in every zone that only the network opens", async () => {
    const { deployment } = await network();
    expect(inputs(deployment, ENDPOINT)).toEqual({
      "network-endpoints-s3": {
        vpcId: "network-vpc-id",
        serviceName: "com.amazonaws.us-east-1.s3",
        vpcEndpointType: "Gateway",
        routeTableIds: ["network-routes-us-east-1a-id", "network-routes-us-east-1b-id"],
        tags: { Name: "test-s3" },
      },
      ...Object.fromEntries(
        ["ecr.api", "sts"].map((service) => [
          `network-endpoints-${service.replace(".", "-")}`,
          {
            vpcId: "network-vpc-id",
            serviceName: `com.amazonaws.us-east-1.${service}`,
            vpcEndpointType: "Interface",
            privateDnsEnabled: true,
            subnetIds: ["network-nodes-us-east-1a-id", "network-nodes-us-east-1b-id"],
            securityGroupIds: ["network-endpoints-group-id"],
            tags: { Name: `test-${service}` },
          },
        ]),
      ),
    });
    expect(inputs(deployment, "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")).toEqual({
      "network-endpoints-from-network": {
        securityGroupId: "network-endpoints-group-id",
        description: "TLS from the whole network",
        cidrIpv4: "10.0.0.0/16",
        ipProtocol: "tcp",
        fromPort: 443,
        toPort: 443,
        tags: { Name: "test-endpoints" },
      },
    });
  });

  it("makes no security group for endpoints that nobody asked for", async () => {
    const { deployment } = await network({ endpoints: [] });
    expect(deployment.ofType(ENDPOINT).map(({ name }) => name)).toEqual(["network-endpoints-s3"]);
    expect(deployment.ofType("aws:ec2/securityGroup:SecurityGroup")).toEqual([]);
  });

  it("takes all rules from the group that whoever names none has", async () => {
    const { deployment } = await network();
    expect(
      deployment.resource("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "network-default-group").inputs,
    ).toEqual({ vpcId: "network-vpc-id", ingress: [], egress: [], tags: { Name: "test-default-empty" } });
  });

  it("gives no group the cluster's tag: a node may have one such group, which EKS makes", async () => {
    const { deployment } = await network();
    const tags = deployment.recording.resources.flatMap(({ inputs: { tags: own } }) => Object.keys(own ?? {}));
    expect(tags.filter((tag) => tag.startsWith("kubernetes.io/cluster/"))).toEqual([]);
  });

  it("is ready with every way out and every endpoint", async () => {
    const { deployment, network: made } = await network();
    const types = made.ready.map((resource) => (resource.constructor as { readonly name: string }).name);
    expect(types.filter((type) => type === "Route")).toHaveLength(2);
    expect(types.filter((type) => type === "RouteTableAssociation")).toHaveLength(2);
    expect(types.filter((type) => type === "VpcEndpoint")).toHaveLength(deployment.ofType(ENDPOINT).length);
    expect(types).toContain("SecurityGroupIngressRule");
  });

  it("makes NAT gateways after the way to the internet: before it they cannot be made, and hold it back when they go", async () => {
    const { deployment } = await network();
    for (const { dependsOn } of [...deployment.ofType(NAT), ...deployment.ofType(EIP)]) {
      expect(dependsOn.map((urn) => urn.slice(urn.lastIndexOf("::") + 2))).toEqual(
        expect.arrayContaining(["network-internet", "network-public-out"]),
      );
    }
  });

  it("plans the same before anything exists", async () => {
    expect((await network({}, true)).deployment.tree()).toBe((await network()).deployment.tree());
  });
});
