import { describe, expect, it } from "vitest";
import { shortageOf } from "../../../stacks/node-errors/causes";
import { type NodeError, nodeErrorMessage, type PoolFacts, poolOf } from "../../../stacks/node-errors/message";
import { programRun } from "../run";

const OUT_OF_CAPACITY =
  "work request did not succeed, workId: ocid1.clustersworkrequest.oc1.iad.aaaa, entity: nodepool, action: CREATED. Message: 2 node(s) launch failure. Reason for failure on one of the nodes : Error returned by Unknown operation operation in Unknown service service.(500, InternalError, false) Out of host capacity. (opc-request-id: 3CB6)";

/** Errors as users of the providers published them. */
describe("the reason that a cloud has", () => {
  it.each([
    // Rapha-Borges/oke-free#46
    ["oci", OUT_OF_CAPACITY, "capacity"],
    // jpetazzo/ampernetacle#40
    ["oci", "500-InternalError, Out of host capacity.", "capacity"],
    [
      "oci",
      "400-LimitExceeded, The following service limits were exceeded: gpu-h100-count. Request a service limit increase",
      "limit",
    ],
    ["oci", "400-QuotaExceeded, The following compartment quotas were exceeded: compute-core", "limit"],
    // aws/containers-roadmap#2204
    [
      "aws",
      "unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'. last error: eks-h100: AsgInstanceLaunchFailures: Could not launch On-Demand Instances. InsufficientInstanceCapacity - We currently do not have sufficient p4d.24xlarge capacity in the Availability Zone you requested (us-east-1a). Launching EC2 instance failed.",
      "capacity",
    ],
    [
      "aws",
      "Could not launch Spot Instances. MaxSpotInstanceCountExceeded - Max spot instance count exceeded.",
      "limit",
    ],
    [
      "aws",
      "Could not launch On-Demand Instances. VcpuLimitExceeded - You have requested more vCPU capacity than your current vCPU limit of 0 allows",
      "limit",
    ],
    [
      "aws",
      "Could not launch Spot Instances. SpotMaxPriceTooLow - Your Spot request price of 0.1 is lower than the minimum",
      "price",
    ],
    // terraform-aws-modules/terraform-aws-eks#2149
    [
      "aws",
      "AsgInstanceLaunchFailures: You've reached your quota for maximum Fleet Requests for this account.",
      "limit",
    ],
    // hashicorp/terraform-provider-aws#39904
    [
      "aws",
      "AsgInstanceLaunchFailures: Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: Client.InvalidKMSKey.InvalidState",
      undefined,
    ],
    // Rapha-Borges/oke-free#5
    [
      "oci",
      "work request did not succeed. Message: 1 nodes(s) register timeout. First, confirm that network prerequisites have been met.",
      undefined,
    ],
    ["edge", OUT_OF_CAPACITY, undefined],
  ] as const)("%s: %s", (kind, error, shortage) => {
    expect(shortageOf(kind, error)).toBe(shortage);
  });
});

async function factsOf(name: "aws-prod" | "oci-h100"): Promise<PoolFacts> {
  const { environment, plan } = await programRun(name);
  const { cluster, pools } = environment;
  return { kind: cluster.kind, pools, plan, otherMachines: () => [{ shape: "BM.GPU.H200.8", monthlyUsd: 61_234.5 }] };
}

describe("what the engine adds to a cloud's error", () => {
  const failed = (changes: Partial<NodeError>): NodeError => ({
    pool: "h100",
    operation: "create",
    error: OUT_OF_CAPACITY,
    ...changes,
  });

  it("names the pool, what waits for it, what stays, and what else would do", async () => {
    const message = nodeErrorMessage(failed({}), await factsOf("oci-h100"));
    expect(message?.split("\n")).toEqual([
      "pools.h100 was not made: the cloud has no BM.GPU.H100.8 to give now",
      expect.stringMatching(/^ {2}Only its models wait for it: llama-405b\. What was deployed before stays as it is\./),
      "  What helps:",
      "  - run `pulumi up` again later: it makes what is missing, and nothing else",
      expect.stringMatching(/^ {2}- pools\.h100\.availabilityDomains: .*\(now 1\)$/),
      expect.stringMatching(/^ {2}- pools\.h100\.shape: .*BM\.GPU\.H200\.8 \(61,235\)$/),
      expect.stringMatching(/^ {2}- pools\.h100\.capacity: \{reservation: …\}/),
    ]);
  });

  it("asks for a higher limit where one is in the way, and not for another place", async () => {
    const message = nodeErrorMessage(failed({ error: "400-LimitExceeded, exceeded" }), await factsOf("oci-h100"));
    expect(message).toContain("pools.h100.minNodes");
    expect(message).not.toContain("availabilityDomains");
  });

  it("says of any other error what waits, and guesses no cause", async () => {
    const message = nodeErrorMessage(
      failed({ operation: "update", error: "node(s) register timeout" }),
      await factsOf("oci-h100"),
    );
    expect(message?.split("\n")).toHaveLength(2);
    expect(message).toMatch(
      /^pools\.h100 was not changed; the error says why\n {2}Only its models wait for it: llama-405b\./,
    );
  });

  it("of the platform's own pool: that nothing is made or changed in the cluster", async () => {
    const message = nodeErrorMessage(failed({ pool: "system" }), await factsOf("oci-h100"));
    expect(message).toContain("The platform runs on this pool");
  });

  it("on AWS names zones and capacity blocks", async () => {
    const message = nodeErrorMessage(failed({ error: "InsufficientInstanceCapacity" }), await factsOf("aws-prod"));
    expect(message).toContain("pools.h100.zones");
    expect(message).toContain("capacityBlock");
  });

  it("is nothing where a pool goes, or is not of the plan", async () => {
    const facts = await factsOf("oci-h100");
    expect(nodeErrorMessage(failed({ operation: "delete" }), facts)).toBeUndefined();
    expect(nodeErrorMessage(failed({ pool: "gone" }), facts)).toBeUndefined();
  });

  it("finds the pool by the longest name", async () => {
    const { plan } = await programRun("oci-a10");
    const [a10] = plan.pools.filter(({ name }) => name === "a10");
    const pools = a10 ? [a10, { ...a10, name: "big-a10" }] : [];
    expect(poolOf("cluster-pools-big-a10", pools)).toBe("big-a10");
    expect(poolOf("cluster-pools-a10", pools)).toBe("a10");
    expect(poolOf("cluster-pools-other", pools)).toBeUndefined();
  });
});
