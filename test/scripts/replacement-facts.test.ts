import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CORRECTIONS } from "../../scripts/replacement-corrections";
import { covers, FACTS_FILE, type ReplacementFacts, replacementFacts } from "../../scripts/replacement-facts";
import { SdkArguments } from "../../scripts/sdk-arguments";
import { programRun } from "../stacks/run";

const kept = JSON.parse(readFileSync(FACTS_FILE, "utf8")) as ReplacementFacts;
const sdk = new SdkArguments();
const AGAIN = "Run npx tsx scripts/replacement-facts.ts";

/** Paths of a resource's arguments that a change replaces it for. */
function replacing(type: string): string[] {
  return Object.entries(kept.resources[type] ?? {}).flatMap(([path, { replaces }]) => (replaces ? [path] : []));
}

describe("the replacement facts of Oracle Cloud's resources", () => {
  test("are what the installed SDK says, corrected", () => {
    expect(replacementFacts(Object.keys(kept.resources), sdk), AGAIN).toEqual(kept);
  });

  test.each(["oci-a10", "oci-h100"] as const)("cover every resource that %s makes", async (name) => {
    const types = (await programRun(name)).resources.map(({ type }) => type).filter((type) => type.startsWith("oci:"));
    expect(types.length).toBeGreaterThan(0);
    expect(
      types.filter((type) => kept.resources[type] === undefined),
      AGAIN,
    ).toEqual([]);
  });

  test("say which changes make a new cluster, pool or key", () => {
    expect(replacing("oci:ContainerEngine/cluster:Cluster")).toEqual([
      "clusterPodNetworkOptions",
      "clusterPodNetworkOptions.cniType",
      "compartmentId",
      "endpointConfig.subnetId",
      "kmsKeyId",
      "options.ipFamilies",
      "options.kubernetesNetworkConfig",
      "options.kubernetesNetworkConfig.podsCidr",
      "options.kubernetesNetworkConfig.servicesCidr",
      "options.serviceLbSubnetIds",
      "vcnId",
    ]);
    expect(replacing("oci:ContainerEngine/nodePool:NodePool")).toEqual([
      "clusterId",
      "compartmentId",
      "nodeConfigDetails.computeClusterId",
      "nodeConfigDetails.nodePoolPodNetworkOptionDetails.cniType",
      "nodeImageId",
      "nodeImageName",
    ]);
    expect(replacing("oci:ContainerEngine/addon:Addon")).toEqual(["addonName", "clusterId"]);
    // Their number of machines, and what new ones are made with, change in place.
    const ofNetworks = replacing("oci:Core/clusterNetwork:ClusterNetwork");
    expect(ofNetworks).toEqual(expect.arrayContaining(["placementConfiguration.availabilityDomain"]));
    for (const path of ["instancePools.size", "instancePools.instanceConfigurationId", "freeformTags", "displayName"]) {
      expect(ofNetworks).not.toContain(path);
    }
    expect(replacing("oci:Core/instancePool:InstancePool")).not.toContain("instanceConfigurationId");
    expect(replacing("oci:Core/instanceConfiguration:InstanceConfiguration")).toEqual(
      expect.arrayContaining(["instanceDetails.launchDetails.metadata", "instanceDetails.launchDetails.shape"]),
    );
  });

  test("have corrections that are about arguments of the SDK, and correct something", () => {
    const idle = CORRECTIONS.flatMap(({ type, paths, means }) => {
      const args = Object.entries(sdk.of(type));
      return paths.filter((pattern) => {
        const meant = args.filter(([path]) => covers(pattern, path));
        return !meant.some(([, { updatable = false }]) => updatable === (means === "replacement"));
      });
    });
    expect(idle).toEqual([]);
  });

  test("names what the SDK lacks", () => {
    expect(() => sdk.of("oci:Core/vcn:Network")).toThrow(
      "@pulumi/oci declares no NetworkArgs for oci:Core/vcn:Network",
    );
  });
});
