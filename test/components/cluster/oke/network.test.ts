import { describe, expect, it } from "vitest";
import { okeConnections } from "../../../../components/cluster/oke/connections";
import { OkeNetwork } from "../../../../components/cluster/oke/network";
import { groupRules, loadBalancerRules, type SecurityRule } from "../../../../components/cluster/oke/security-rules";
import type { OkeSettings } from "../../../../components/cluster/oke/settings";
import { defaultAnswers } from "../../../../offline/answers";
import { type Deployment, deploy } from "../../../harness/deploy";
import { settings } from "./fixture";

const RULE = "oci:Core/networkSecurityGroupSecurityRule:NetworkSecurityGroupSecurityRule";
const ALL_SERVICES = "all-fra-services-in-oracle-services-network";
const OFFICE = "203.0.113.0/24";

const open: Partial<OkeSettings> = { endpoint: { public: true, allowedCidrs: [OFFICE] } };
const closed: Partial<OkeSettings> = {
  loadBalancers: { public: false, clientCidrs: ["10.0.0.0/8"], preserveSource: true },
};

function network(changes: Partial<OkeSettings> = {}, options = {}): Promise<Deployment> {
  return deploy(() => void new OkeNetwork("network", { settings: settings(changes) }), options);
}

/** A region with service gateways of these labels. */
function offering(...labels: readonly string[]) {
  const services = labels.map((cidrBlock) => ({ id: `id of ${cidrBlock}`, name: "", description: "", cidrBlock }));
  const call: typeof defaultAnswers.call = (token, given) =>
    token === "oci:Core/getServices:getServices" ? { services } : defaultAnswers.call(token, given);
  return { answers: { ...defaultAnswers, call } };
}

const inputs = (deployment: Deployment, type: string) =>
  Object.fromEntries(deployment.ofType(type).map((resource) => [resource.name, resource.inputs]));

/** Rules as lines: `nodes  in  <- endpoint  TCP 10250  why`. */
function table(rules: readonly SecurityRule[], group: string): string[] {
  return rules.map(({ name, direction, peer, traffic, reason }) => {
    const other = peer.kind === "group" ? peer.group : peer.kind === "cidr" ? peer.cidr : "Oracle's services";
    const range = traffic.protocol === "tcp" && traffic.ports;
    const ports = range ? ` ${[...new Set([range.min, range.max])].join("-")}` : "";
    return [
      group.padEnd(14),
      (direction === "INGRESS" ? `from ${other}` : `to   ${other}`).padEnd(24),
      `${traffic.protocol}${ports}`.padEnd(16),
      name.padEnd(32),
      reason,
    ].join(" ");
  });
}

function wholeTable(changes: Partial<OkeSettings> = {}): string {
  const of = settings(changes);
  const connections = okeConnections(of);
  const groups = Object.entries(groupRules(connections, of)).flatMap(([group, rules]) => table(rules, group));
  return [...groups, ...table(loadBalancerRules(connections, of), "load balancers")].join("\n");
}

describe("the network of an OKE cluster", () => {
  it("has four regional subnets, and no public address but a load balancer's", async () => {
    const deployment = await network();
    expect(inputs(deployment, "oci:Core/vcn:Vcn")).toMatchSnapshot("vcn");
    expect(inputs(deployment, "oci:Core/subnet:Subnet")).toMatchSnapshot("subnets");
    const hidden = Object.values(inputs(deployment, "oci:Core/subnet:Subnet")).map((subnet) => [
      subnet.cidrBlock,
      subnet.prohibitPublicIpOnVnic,
    ]);
    expect(hidden).toEqual([
      ["10.0.0.0/28", true],
      ["10.0.16.0/20", true],
      ["10.0.64.0/18", true],
      ["10.0.1.0/24", false],
    ]);
  });

  it("empties the list that lets SSH in, and gives it to whoever has groups", async () => {
    const deployment = await network();
    expect(
      deployment.resource("oci:Core/defaultSecurityList:DefaultSecurityList", "network-default-list").inputs,
    ).toEqual({
      compartmentId: "ocid1.compartment.oc1..c",
      manageDefaultResourceId: "offline-network-vcn-security-list",
      displayName: "inference-test-empty-list",
      freeformTags: { "inference-stacks-environment": "test" },
      ingressSecurityRules: [],
      egressSecurityRules: [],
    });
    const lists = Object.entries(inputs(deployment, "oci:Core/subnet:Subnet")).map(([name, { securityListIds }]) => [
      name,
      securityListIds,
    ]);
    expect(Object.fromEntries(lists)).toEqual({
      "network-endpoint": ["network-default-list-id"],
      "network-nodes": ["network-default-list-id"],
      "network-pods": ["network-default-list-id"],
      "network-load-balancers": ["network-load-balancers-list-id"],
    });
  });

  it("never routes to Oracle's services and to the internet gateway from one subnet", async () => {
    const tables = inputs(await network(open), "oci:Core/routeTable:RouteTable");
    expect(tables).toMatchSnapshot("routes");
    const ways = Object.entries(tables).map(([name, { routeRules }]) => [
      name,
      (routeRules as { networkEntityId: string }[]).map((rule) => rule.networkEntityId),
    ]);
    expect(Object.fromEntries(ways)).toEqual({
      "network-private-routes": ["network-nat-id", "network-services-id"],
      "network-public-routes": ["network-internet-id"],
    });
  });

  it("has no internet gateway where nothing is public", async () => {
    const deployment = await network(closed);
    expect(deployment.ofType("oci:Core/internetGateway:InternetGateway")).toEqual([]);
    expect(deployment.ofType("oci:Core/routeTable:RouteTable")).toHaveLength(1);
    for (const subnet of deployment.ofType("oci:Core/subnet:Subnet")) {
      expect(subnet.inputs).toMatchObject({ prohibitPublicIpOnVnic: true, routeTableId: "network-private-routes-id" });
    }
  });

  it("takes all of Oracle's services, whatever else the region offers", async () => {
    const deployment = await network(
      {},
      offering("oci-fra-objectstorage", `not-${ALL_SERVICES}`, `${ALL_SERVICES}-2`, ALL_SERVICES),
    );
    const gateway = deployment.resource("oci:Core/serviceGateway:ServiceGateway", "network-services");
    expect(gateway.inputs.services).toEqual([{ serviceId: `id of ${ALL_SERVICES}` }]);
  });

  it("lets these connect, and nobody else", () => {
    expect(wholeTable()).toMatchSnapshot("public gateway, private Kubernetes API");
    expect(wholeTable({ ...open, ...closed })).toMatchSnapshot("private gateway, public Kubernetes API");
  });

  it("lets strangers in to the gateway's ports and to path MTU discovery alone", () => {
    const strangers = wholeTable()
      .split("\n")
      .filter((line) => line.includes("from 0.0.0.0/0"))
      .map((line) => line.replace(/ +/g, " "));
    expect(strangers.map((line) => /0\.0\.0\.0\/0 (path-mtu|tcp \d+)/.exec(line)?.[1])).toEqual([
      "path-mtu",
      "tcp 30443",
      "tcp 30080",
      "path-mtu",
      "tcp 443",
      "tcp 80",
      "path-mtu",
    ]);
  });

  it("lets nodes out to registries alone: HTTPS, and the ports of mirrors", () => {
    const outside = (changes: Partial<OkeSettings>) =>
      wholeTable(changes)
        .split("\n")
        .filter((line) => /^nodes +to +0\.0\.0\.0\/0 +tcp/.test(line))
        .map((line) => line.replace(/ +/g, " ").split(" ").slice(3, 6).join(" "));
    expect(outside({})).toEqual(["tcp 443 nodes-internet-out"]);
    expect(outside({ registryPorts: [443, 5000] })).toEqual([
      "tcp 443 nodes-internet-out",
      "tcp 5000 nodes-registry-5000-out",
    ]);
  });

  it("keeps clients off the nodes where the load balancer hides them, and off everything without one", () => {
    const hiding = wholeTable({ loadBalancers: { public: true, clientCidrs: ["0.0.0.0/0"], preserveSource: false } });
    expect(hiding).toContain("clients-https-in");
    expect(hiding).not.toContain("clients-nodes");
    expect(wholeTable({ loadBalancers: { public: false, clientCidrs: [], preserveSource: false } })).not.toContain(
      "clients",
    );
  });

  it("names rules by networks: one more in front changes no other", () => {
    const names = (...allowedCidrs: string[]) => {
      const of = settings({ endpoint: { public: true, allowedCidrs } });
      return groupRules(okeConnections(of), of).endpoint.map(({ name }) => name);
    };
    const before = names(OFFICE);
    const after = names("198.51.100.0/24", OFFICE);
    expect(after.filter((name) => !before.includes(name))).toEqual(["operators-in-198-51-100-0-24"]);
    expect(before.filter((name) => !after.includes(name))).toEqual([]);
  });

  it("is the same in a preview, less what only the cloud knows", async () => {
    const preview = await network(open, { preview: true });
    const up = await network(open);
    expect(preview.recording.resources.map(({ urn }) => urn)).toEqual(up.recording.resources.map(({ urn }) => urn));
    const name = "network-nodes-endpoint-kubelet-in";
    expect(preview.resource(RULE, name).inputs).toMatchObject({
      direction: "INGRESS",
      protocol: "6",
      sourceType: "NETWORK_SECURITY_GROUP",
      tcpOptions: { destinationPortRange: { min: 10250, max: 10250 } },
    });
    expect(up.resource(RULE, name).inputs).toEqual({
      networkSecurityGroupId: "network-nsg-nodes-id",
      direction: "INGRESS",
      description: "Logs, exec and metrics of pods",
      stateless: false,
      protocol: "6",
      source: "network-nsg-endpoint-id",
      sourceType: "NETWORK_SECURITY_GROUP",
      tcpOptions: { destinationPortRange: { min: 10250, max: 10250 } },
    });
  });
});
