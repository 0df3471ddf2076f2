/**
 * Names by which nodes, NVIDIA's software on them and the platform mean the same parts of GPUs. The labels are NVIDIA's: the
 * MIG manager and the device plugin read them.
 */

/** How the MIG manager parts the cards of a node, by the name of a layout: `all-1g.10gb`. */
export const MIG_CONFIG_LABEL = "nvidia.com/mig.config";

/** What became of it: the MIG manager says `success` once the cards of the node are parted, and are free to use. */
export const MIG_STATE = { key: "nvidia.com/mig.config.state", done: "success" } as const;

/** On nodes whose driver NVIDIA's feature discovery has asked. */
export const DRIVER_LABEL = "nvidia.com/cuda.driver-version.major";

/** Which configuration of `DEVICE_PLUGIN_CONFIG` the device plugin of a node takes. */
export const DEVICE_PLUGIN_CONFIG_LABEL = "nvidia.com/device-plugin.config";

/** Name of the ConfigMap with the configurations of device plugins, one key each. */
export const DEVICE_PLUGIN_CONFIG = "inference-device-plugin";

/** The configuration of nodes that do not part their cards in time. */
export const WHOLE_CARDS = "whole-cards";

/**
 * Value of `MOFED_ENABLED` of NVIDIA's device plugin: a pod with a GPU gets RDMA devices by asking for them, and no others. Plugins 0.19.0
 * to 0.19.2 put all `/dev/infiniband` files of the node into every such pod by default (NVIDIA/k8s-device-plugin#1692, taken back in 0.19.3), and
 * the operator's own (gpu-operator v26.7.0, assets/state-device-plugin/0400_configmap.yaml) does where the module `nvidia_fs` is loaded, unless
 * the variable is set. NVIDIA asks for it on OKE (docs.nvidia.com/aicr, OKE GPU Setup, read 2026-11-28).
 */
export const NO_HOST_RDMA = "false";
