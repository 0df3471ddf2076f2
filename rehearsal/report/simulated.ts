/** Never exercised by a rehearsal. */
export const SIMULATED: readonly string[] = [
  "containers, images, GPUs and drivers: KWOK simulates the kubelets, and every pod with a node is ready at once",
  "networks, load balancers and the cloud's storage: volumes are fakes that any node can mount",
  "trials of RDMA networks: once a gate's Job has ended, the rehearsal removes the taint of its nodes",
  "waiting times: images, model downloads, and the minutes until a cluster reports a dead node",
];

/** Also not exercised where an autoscaler creates nodes. */
export const SIMULATED_CLOUD: readonly string[] = [
  "EC2: images, subnets, roles, quotas, unavailable machines, and the minutes until machines start",
  "drains and losses of nodes: rehearse without --autoscaler",
];
