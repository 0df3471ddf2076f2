import { describe, expect, it } from "vitest";
import { ExistingCluster } from "../../../components/cluster/existing-cluster";
import { deploy } from "../../harness/deploy";

describe("ExistingCluster", () => {
  it("changes Secrets and ConfigMaps in place: deleted for a moment, keys of the gateway would be gone", async () => {
    const deployment = await deploy(
      () =>
        void new ExistingCluster("cluster", {
          gpuSoftware: "present",
          gpuExporters: "platform",
          privateCidrs: [],
          apiServerCidrs: [],
          pools: [],
        }),
    );
    expect(deployment.resource("pulumi:providers:kubernetes", "cluster-kubernetes").inputs).toMatchObject({
      enableServerSideApply: "true",
      enableSecretMutable: "true",
      enableConfigMapMutable: "true",
    });
  });
});
