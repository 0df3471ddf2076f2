/** Never exercised by a rehearsal. */
export const SIMULATED: readonly string[] = [
  "containers, images, GPUs and drivers: KWOK plays the kubelets, and every pod with a node is ready at once",
  "networks, load balancers and the cloud's own storage: volumes are stand-ins that any node can mount",
  "trials of RDMA networks: once a gate's Job has ended, the rehearsal takes the taint of its nodes away in its place",
  "waiting times: images, model downloads, and the minutes until a cluster takes a dead node for lost",
];

/** Also not exercised where an autoscaler creates nodes. */
export const SIMULATED_CLOUD: readonly string[] = [
  "EC2: images, subnets, roles and quotas, machines that a zone has not, and the minutes that they take to come",
  "drains and losses of nodes: rehearse without --autoscaler",
];
