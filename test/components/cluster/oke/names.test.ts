import { expect, it } from "vitest";
import { OkeCluster } from "../../../../components/cluster/oke/cluster";
import { deploy } from "../../../harness/deploy";
import { NO_POOLS, settings } from "./fixture";

/**
 * A resource with another name is another resource: a new network, a new control plane, new keys. Whoever changes this
 * snapshot by more than an addition gives the resource an alias, so that clusters that exist keep what they have.
 */
it("never renames what an OKE cluster is made of", async () => {
  const deployment = await deploy(
    () =>
      void new OkeCluster("cluster", {
        settings: settings({ endpoint: { public: true, allowedCidrs: ["203.0.113.0/24"] } }),
        pools: NO_POOLS,
        storageClass: undefined,
        gpuExporters: "platform",
        privateCidrs: [],
        apiServerCidrs: [],
      }),
  );
  expect(
    deployment.recording.resources
      .map(({ urn }) => urn.replace(/^urn:pulumi:test::inference-stacks::/, ""))
      .sort()
      .join("\n"),
  ).toMatchSnapshot();
});
