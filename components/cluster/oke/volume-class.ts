import type * as pulumi from "@pulumi/pulumi";
import type { VolumeClass } from "../../core/cluster";

/**
 * Block volumes encrypted with a key of ours. Source: oracle/oci-cloud-controller-manager pkg/csi/driver/bv_controller.go
 * at 1100ac3 (2026-06-17), read 2026-11-23: the keys of the parameters; ext4 and balanced performance (10 VPUs per GB) are
 * its defaults, written down so that they stay. Nodes that encrypt volumes in transit, as those of virtual machines here do,
 * take paravirtualized attachments alone.
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
