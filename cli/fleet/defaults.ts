/** Default file next to Pulumi.yaml. */
export const FLEET_FILE_DEFAULT = "fleet.yaml";

/** Time limit, seconds: far above a plan and a slow cluster. */
export const SECONDS_PER_NODE = { plan: 120, status: 60 } as const;

/** Loading the program takes as long as some nodes: fewer do not pay. */
export const NODES_PER_WORKER = 3;

/** Each takes some 0.6 GiB. */
export const MOST_WORKERS = 8;

/** Each cluster has open sockets. */
export const CLUSTERS_AT_ONCE = 25;
