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
