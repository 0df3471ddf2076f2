/** File that is read where no other is named, beside Pulumi.yaml. */
export const FLEET_FILE_DEFAULT = "fleet.yaml";

/** After which a node counts as one that gives no answer, in seconds: far above a plan, and above a slow cluster. */
export const SECONDS_PER_NODE = { plan: 120, status: 60 } as const;

/** A process has the program to load first, which takes as long as some nodes: fewer are not worth one. */
export const NODES_PER_WORKER = 3;

/** Each takes some 0.6 GiB. */
export const MOST_WORKERS = 8;

/** Clusters asked at once: each has some sockets open. */
export const CLUSTERS_AT_ONCE = 25;
