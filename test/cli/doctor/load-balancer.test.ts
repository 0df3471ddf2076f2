import { describe, expect, it } from "vitest";
import { awsLoadBalancers } from "../../../cli/doctor/checks/load-balancer";
import { needsOf } from "../../../cli/doctor/needs";
import { programRun } from "../../stacks/run";
import { FORBIDDEN, facts, known, needs, only, workload } from "./made-up";

const wanted = needs({ awsLoadBalancer: true });

describe("the controller of AWS' load balancers", () => {
  it.each<[string[], string]>([
    [[], "failed"],
    [["quay.io/calico/kube-controllers:v3.30.3"], "failed"],
    [["public.ecr.aws/eks/aws-load-balancer-controller:v2.8.3"], "warning"],
    [["public.ecr.aws/eks/aws-load-balancer-controller:v2.13.0"], "passed"],
    [["registry.example.com/eks/aws-load-balancer-controller:v3.5.0@sha256:0"], "passed"],
    [["registry.example.com/aws-load-balancer-controller@sha256:0"], "unknown"],
  ])("of %j: %s", (images, status) => {
    const deployments = known(images.map((image) => workload(image)));
    expect(only(awsLoadBalancers, facts({ deployments }), wanted).status).toBe(status);
  });

  it("is not judged where it may not be seen, nor asked for where none is needed", () => {
    expect(only(awsLoadBalancers, facts({ deployments: FORBIDDEN }), wanted).status).toBe("unknown");
    expect(awsLoadBalancers(facts(), needs())).toEqual([]);
  });

  it("is asked for on a cluster that exists, with a load balancer, and not where the stack brings it", async () => {
    const run = await programRun("aws-prod");
    const { cluster, gateway } = run.environment;
    const asks = (changes: object, exposure: "ClusterIP" | "LoadBalancer" = "LoadBalancer") =>
      needsOf({
        ...run,
        environment: { ...run.environment, cluster: { ...cluster, ...changes }, gateway: { ...gateway, exposure } },
      } as typeof run).awsLoadBalancer;
    expect(asks({ provision: "existing" })).toBe(true);
    expect(asks({ provision: "existing" }, "ClusterIP")).toBe(false);
    expect(asks({ provision: "existing", kind: "local" })).toBe(false);
    expect(asks({})).toBe(false);
  });
});
