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
      createsCluster: true,
      notPriced: ["versions of the vault's keys"],
    });
    expect(bill(cluster("oci"))).toMatchObject({ createsCluster: false, notPriced: [] });
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
      { service: "network-load-balancer", minMbps: 0 },
      { service: "load-balancer", minMbps: 10 },
      { service: "load-balancer", minMbps: 50 },
      { service: "network-load-balancer", minMbps: 0 },
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
