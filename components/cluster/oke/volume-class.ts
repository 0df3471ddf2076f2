import type * as pulumi from "@pulumi/pulumi";
import type { VolumeClass } from "../../core/cluster";

/**
 * Block volumes encrypted with a given key. Parameter keys: oracle/oci-cloud-controller-manager
 * pkg/csi/driver/bv_controller.go at 1100ac3 (2026-06-17), read 2026-11-23. ext4 and balanced
 * performance (10 VPUs per GB) are its defaults, set to stay stable. In-transit encryption requires
 * paravirtualized attachments.
 */
export function okeVolumeClass(keyId: pulumi.Input<string>): VolumeClass {
  return {
    provisioner: "blockvolume.csi.oraclecloud.com",
    parameters: {
      "attachment-type": "paravirtualized",
      "csi.storage.k8s.io/fstype": "ext4",
      "kms-key-id": keyId,
      vpusPerGB: "10",
    },
  };
}
