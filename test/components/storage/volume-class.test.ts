import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { okeVolumeClass } from "../../../components/cluster/oke/volume-class";
import { cacheClass, volumeClass } from "../../../components/storage/volume-class";
import { deploy } from "../../harness/deploy";

const TYPE = "kubernetes:storage.k8s.io/v1:StorageClass";
const CLUSTER = { storageClass: "ours", volumeClass: okeVolumeClass(pulumi.output("ocid1.key.oc1.v.k")) };

describe("the class of the platform's volumes", () => {
  it.each([
    { protect: true, reclaimPolicy: "Retain" },
    { protect: false, reclaimPolicy: "Delete" },
  ])("keeps volumes as the stage asks, protect $protect", async ({ protect, reclaimPolicy }) => {
    const deployment = await deploy(() => void volumeClass("volumes", { cluster: CLUSTER, protect }, {}));
    const made = deployment.resource(TYPE, "volumes-class");
    expect(made.inputs).toEqual({
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: {
        name: "ours",
        labels: expect.objectContaining({ "app.kubernetes.io/part-of": "inference-stacks" }),
      },
      provisioner: "blockvolume.csi.oraclecloud.com",
      parameters: {
        "attachment-type": "paravirtualized",
        "csi.storage.k8s.io/fstype": "ext4",
        "kms-key-id": "ocid1.key.oc1.v.k",
        vpusPerGB: "10",
      },
      allowVolumeExpansion: true,
      volumeBindingMode: "WaitForFirstConsumer",
      reclaimPolicy,
    });
    expect(made.options).toMatchObject({ protect, deleteBeforeReplace: true });
    expect(made.secretInputs).toEqual([]);
  });

  it("of caches goes with its claims, in every stage", async () => {
    const deployment = await deploy(() => void volumeClass("volumes", { cluster: CLUSTER, protect: true }, {}));
    const made = deployment.resource(TYPE, "volumes-cache-class");
    expect(made.inputs).toMatchObject({ metadata: { name: "ours-cache" }, reclaimPolicy: "Delete" });
    expect(made.options).toMatchObject({ protect: false });
    expect([cacheClass(CLUSTER), cacheClass({ storageClass: "theirs" })]).toEqual(["ours-cache", undefined]);
  });

  it.each([
    { what: "has one", cluster: { storageClass: "theirs", volumeClass: undefined } },
    { what: "has a default", cluster: { storageClass: undefined, volumeClass: undefined } },
  ])("is not made where the cluster $what", async ({ cluster }) => {
    await expect(deploy(() => void volumeClass("volumes", { cluster, protect: true }, {}))).rejects.toThrow(
      "registered no resource",
    );
  });
});
