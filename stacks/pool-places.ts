/** Zones and uptimes of a pool's nodes, and the limits of both in the file. */
import { availabilityDomainsOf } from "../catalog/oci-regions";
import { MOST_NODES, type PoolRequest } from "../planner/request";
import type { EnvironmentConfig, PoolConfig } from "./config";

/** Most zones: on AWS and self-managed machines by the schema, on OCI those of a region. */
const MOST_ZONES = { aws: 6, oci: 3, own: 6 } as const;

/** Pool key with the zones of provisioned nodes, by kind. */
const ZONE_SETTINGS = {
  aws: "zones",
  oci: "availabilityDomains",
  local: "uptime.zones",
  edge: "uptime.zones",
} as const;

/** Provisioned zones, else the environment's. */
export function poolPlaces(
  config: PoolConfig,
  cluster: EnvironmentConfig["cluster"],
): Pick<PoolRequest, "zones" | "zoneNames" | "zoneSetting" | "uptime" | "most"> {
  const { zones: stated = 1, ...fractions } = config.uptime ?? {};
  const isMade = cluster.provision !== "existing";
  const ofNetwork = cluster.kind === "aws" ? cluster.eks?.zones : undefined;
  const zoneNames = isMade ? (config.zones ?? ofNetwork) : undefined;
  const made = isMade ? (zoneNames ?? config.availabilityDomains) : undefined;
  return {
    zones: made?.length ?? stated,
    ...(zoneNames && { zoneNames }),
    zoneSetting: isMade ? ZONE_SETTINGS[cluster.kind] : "uptime.zones",
    ...(Object.keys(fractions).length > 0 && { uptime: fractions }),
    most: mostOf(config, cluster),
  };
}

/** File rules (stacks/config/rules) are stricter: suggestions must pass them. */
function mostOf(
  { capacity, rdma }: PoolConfig,
  cluster: EnvironmentConfig["cluster"],
): NonNullable<PoolRequest["most"]> {
  const { kind, provision } = cluster;
  const isCloud = kind === "aws" || kind === "oci";
  if (provision === "existing" || !isCloud) {
    return provision === "create" ? { nodes: 1, zones: 1 } : { nodes: MOST_NODES, zones: MOST_ZONES.own };
  }
  const isOfOneZone =
    typeof capacity === "object" || (kind === "aws" ? rdma?.access === "efa" : rdma?.mode !== undefined);
  if (isOfOneZone) {
    return { nodes: MOST_NODES, zones: 1 };
  }
  const region = cluster.kind === "oci" ? cluster.oke?.region : undefined;
  const ofRegion = region === undefined ? undefined : availabilityDomainsOf(region);
  return { nodes: MOST_NODES, zones: ofRegion ?? MOST_ZONES[kind] };
}
