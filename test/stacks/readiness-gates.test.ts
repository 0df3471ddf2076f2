import { expect, it } from "vitest";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { metadataOf } from "./kubernetes";
import { type EnvironmentName, programRun } from "./run";

const GATES = "elbv2.k8s.aws/pod-readiness-gate-inject";

/** Namespaces whose pods wait for their targets. */
async function gatedIn(name: EnvironmentName): Promise<string[]> {
  const { deployment } = await programRun(name);
  return deployment
    .ofType("kubernetes:core/v1:Namespace")
    .map((each) => metadataOf(each))
    .filter(({ labels }) => labels?.[GATES] === "enabled")
    .map(({ name }) => name);
}

it("makes the gateway's proxies wait for their targets where a load balancer of AWS sends to their addresses", async () => {
  expect(await gatedIn("aws-prod")).toEqual([GATEWAY_NAMESPACE]);
  expect(await gatedIn("oci-a10")).toEqual([]);
});
