import { describe, expect, it } from "vitest";
import { cloudBilling, NO_VOLUMES } from "../../stacks/cloud-billing";
import type { EnvironmentConfig } from "../../stacks/config";
import { programRun } from "./run";

type Cluster = EnvironmentConfig["cluster"];
const gateway = (settings: Partial<EnvironmentConfig["gateway"]> = {}) =>
  ({ exposure: "LoadBalancer", ...settings }) as EnvironmentConfig["gateway"];
const cluster = (kind: Cluster["kind"], provision = "existing") => ({ kind, provision }) as Cluster;
const bill = (own: Cluster, settings?: Partial<EnvironmentConfig["gateway"]>) =>
  cloudBilling({ cluster: own, gateway: gateway(settings) }, NO_VOLUMES);

describe("what an environment makes in a cloud", () => {
  it("is nothing on machines of one's own", () => {
    expect(bill(cluster("edge"))).toBeUndefined();
    expect(bill(cluster("local"))).toBeUndefined();
  });

  it("is the cluster where it is made here, with keys that have no price", () => {
    expect(bill(cluster("oci", "create"))).toMatchObject({
      provider: "oci",
      cluster: { natGateways: 1, publicAddresses: 0, endpoints: 0, keys: 0 },
      notPriced: ["versions of the vault's keys"],
    });
    expect(bill(cluster("oci"))).toMatchObject({ notPriced: [] });
    expect(bill(cluster("oci"))).not.toHaveProperty("cluster");
  });

  describe("on AWS", () => {
    const eks = {
      zones: ["us-east-1a", "us-east-1b", "us-east-1c"],
      network: { natGateways: "per-zone", endpoints: ["ec2", "sts"] },
    };
    const own = (section: object = eks) => ({ ...cluster("aws", "create"), eks: section }) as Cluster;
    const facing = {
      serviceAnnotations: { "service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing" },
    };

    it("is a way out with an address in each zone, endpoints in each zone, and two keys", () => {
      expect(bill(own())).toMatchObject({
        cluster: { natGateways: 3, publicAddresses: 3, endpoints: 6, keys: 2 },
        notPriced: ["logs of the control plane"],
      });
    });

    it("is one way out, no key and a bucket where the environment says so", () => {
      const network = { natGateways: "single", endpoints: [] };
      expect(bill(own({ ...eks, network, encryptionKeyArn: "arn:aws:kms:…" }))).toMatchObject({
        cluster: { natGateways: 1, publicAddresses: 1, endpoints: 0, keys: 0 },
        notPriced: ["logs of the control plane"],
      });
    });

    it("is an address of the load balancer in each zone where it faces the internet", () => {
      expect(bill(own(), facing)?.loadBalancer?.publicAddresses).toBe(3);
      expect(bill(own())?.loadBalancer?.publicAddresses).toBe(0);
      expect(bill(cluster("aws"), facing)).toMatchObject({
        loadBalancer: { publicAddresses: 0 },
        notPriced: [expect.stringMatching(/^public addresses/)],
      });
    });

    it("says what only the other stack knows of its cluster", () => {
      expect(bill(cluster("aws", "stack"))).toMatchObject({
        cluster: { natGateways: 0, publicAddresses: 0, endpoints: 0, keys: 0 },
        notPriced: ["NAT gateways, endpoints and keys of the other stack's cluster"],
      });
      expect(bill(cluster("aws"))).not.toHaveProperty("cluster");
    });
  });

  it("is the kind of load balancer that the gateway's annotations ask for", () => {
    const proper = "service.beta.kubernetes.io/oci-load-balancer-";
    const kinds = [
      bill(cluster("oci")),
      bill(cluster("oci"), { serviceAnnotations: { "oci.oraclecloud.com/load-balancer-type": "lb" } }),
      bill(cluster("oci"), { serviceAnnotations: { [`${proper}shape-flex-min`]: "50" } }),
      bill(cluster("aws")),
      bill(cluster("oci"), { exposure: "NodePort" }),
    ].map((billing) => billing?.loadBalancer);
    expect(kinds).toEqual([
      { service: "network-load-balancer", minMbps: 0, publicAddresses: 0 },
      { service: "load-balancer", minMbps: 10, publicAddresses: 0 },
      { service: "load-balancer", minMbps: 50, publicAddresses: 0 },
      { service: "network-load-balancer", minMbps: 0, publicAddresses: 0 },
      undefined,
    ]);
  });
});

describe.each(["oci-a10", "aws-prod"] as const)("the volumes that %s prices", (name) => {
  it("are those that its resources claim", async () => {
    const { plan, resources } = await programRun(name);
    const claimed = JSON.stringify(resources.map(({ inputs }) => inputs)).match(/"storage":"\d+(Gi|Mi)"/g) ?? [];
    const sizes = new Set(claimed.map((each) => each.replace(/\D/g, "")));
    const volumes = plan.cost.services.filter(({ kind }) => kind === "volume");
    expect(volumes.length).toBeGreaterThan(2);
    // Each claim in the program is one line of the bill.
    expect(volumes).toHaveLength(claimed.length);
    expect(sizes.size).toBeGreaterThan(1);
  });
});
