import { expect, it } from "vitest";
import { OkeCluster } from "../../../../components/cluster/oke/cluster";
import type { OkePool } from "../../../../components/cluster/oke/settings";
import { deploy } from "../../../harness/deploy";
import { okePool } from "../../../harness/oke-pools";
import { NO_POOLS, settings } from "./fixture";

/**
 * A resource with another name is another resource: a new network, a new control plane, new keys. Whoever changes this
 * snapshot by more than an addition gives the resource an alias, so that clusters that exist keep what they have.
 */
it.each<[string, string, readonly OkePool[]]>([
  ["an OKE cluster", "", NO_POOLS],
  [
    "nodes that join by themselves",
    "OkeSelfManagedNodes",
    [
      okePool("BM.GPU.H100.8", { name: "h100" }, { madeBy: "cluster-network", image: "ocid1.image.oc1..i" }),
      okePool(
        "VM.Standard.E5.Flex",
        { name: "secret", confidential: true },
        { madeBy: "instance-pool", image: "ocid1.image.oc1..i" },
      ),
    ],
  ],
])("never renames what %s is made of", async (_, component, pools) => {
  const deployment = await deploy(
    () =>
      void new OkeCluster("cluster", {
        settings: settings({ endpoint: { public: true, allowedCidrs: ["203.0.113.0/24"] } }),
        pools,
        storageClass: undefined,
        gpuExporters: "platform",
        privateCidrs: [],
        apiServerCidrs: [],
      }),
  );
  expect(
    deployment.recording.resources
      .filter(({ urn }) => urn.includes(component))
      .map(({ urn }) => urn.replace(/^urn:pulumi:test::inference-stacks::/, ""))
      .sort()
      .join("\n"),
  ).toMatchSnapshot();
});
