import type * as pulumi from "@pulumi/pulumi";
import type { VolumeClass } from "../../core/cluster";

/**
 * gp3 volumes encrypted with a given key (kubernetes-sigs/aws-ebs-csi-driver docs/parameters.md at
 * 429e202, 2026-08-19).
 */
export function eksVolumeClass(keyArn: pulumi.Input<string>): VolumeClass {
  return {
    provisioner: "ebs.csi.aws.com",
    parameters: { "csi.storage.k8s.io/fstype": "ext4", encrypted: "true", kmsKeyId: keyArn, type: "gp3" },
  };
}
