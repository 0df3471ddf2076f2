import table from "./eks.json";

/** Day on which what is here was read. */
export const EKS_AS_OF = table.asOf;

/** Release of the AL2023 images that new clusters' nodes boot. */
export const EKS_NODE_IMAGE = table.nodeImage.release;

type Texts = [string, ...string[]];

/** Services of Amazon's that a network can have a private address of. */
export const EKS_ENDPOINT_SERVICES = table.endpoints.services as Texts;
/** Those that nodes and the cluster's own agents use all the time. */
export const EKS_USUAL_ENDPOINTS = table.endpoints.usual as Texts;

/** Days for which a log group can keep what it gets. */
export const EKS_LOG_DAYS = table.logDays.values as [number, ...number[]];
