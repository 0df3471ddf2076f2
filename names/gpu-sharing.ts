/**
 * Shared names for GPU slices. The labels are NVIDIA's, read by the MIG manager and device plugin.
 */

/** MIG layout of a node's GPUs, by name: `all-1g.10gb`. */
export const MIG_CONFIG_LABEL = "nvidia.com/mig.config";

/** MIG manager's state: `success` once a node's GPUs are partitioned and usable. */
export const MIG_STATE = { key: "nvidia.com/mig.config.state", done: "success" } as const;

/** Set on nodes once NVIDIA's feature discovery has read the driver. */
export const DRIVER_LABEL = "nvidia.com/cuda.driver-version.major";

/** Configuration in `DEVICE_PLUGIN_CONFIG` for a node's device plugin. */
export const DEVICE_PLUGIN_CONFIG_LABEL = "nvidia.com/device-plugin.config";

/** ConfigMap with device plugin configurations, one per key. */
export const DEVICE_PLUGIN_CONFIG = "inference-device-plugin";

/** Configuration of nodes without time slicing. */
export const WHOLE_CARDS = "whole-cards";

/**
 * `MOFED_ENABLED` of NVIDIA's device plugin: GPU pods get only requested RDMA devices. By default,
 * plugins 0.19.0 to 0.19.2 mount all `/dev/infiniband` files of the node
 * (NVIDIA/k8s-device-plugin#1692, reverted in 0.19.3), as does the operator's plugin with the
 * module `nvidia_fs` (gpu-operator v26.7.0, assets/state-device-plugin/0400_configmap.yaml). NVIDIA
 * requires the setting on OKE (docs.nvidia.com/aicr, OKE GPU Setup, read 2026-11-28).
 */
export const NO_HOST_RDMA = "false";
