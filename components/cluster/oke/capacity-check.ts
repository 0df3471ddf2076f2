import { getNodePools } from "@pulumi/oci/containerengine/getNodePools";
import { getClusterNetworks } from "@pulumi/oci/core/getClusterNetworks";
import { getInstancePools } from "@pulumi/oci/core/getInstancePools";
import { getShapes } from "@pulumi/oci/core/getShapes";
import { getAvailabilityDomains } from "@pulumi/oci/identity/getAvailabilityDomains";
import { getResourceAvailability } from "@pulumi/oci/limits/getResourceAvailability";
import { Provider } from "@pulumi/oci/provider";
import type * as pulumi from "@pulumi/pulumi";
import { type CloudCapacity, type DomainCapacity, takenOf } from "./capacity";
import type { NodeMaker, OkePool, OkeSettings } from "./settings";
import { ENVIRONMENT_TAG, SHAPE_TAG } from "./tags";

/** Queries capacity for the pools, before any resource is created. */
export type AskCapacity = (
  settings: Pick<OkeSettings, "environment" | "tenancyId" | "compartmentId" | "region">,
  pools: readonly OkePool[],
) => Promise<CloudCapacity>;

/**
 * Calls provider functions, in previews too: shapes and remaining limits.
 * `core.ComputeCapacityReport` is a resource and would exist too late. Unknown limits are left out.
 *
 * Uses a separate provider, because the cluster's is created with the cluster.
 *
 * @throws errors of the provider if it cannot list domains, their shapes or the compartment's node
 *   pools.
 */
export const askOciCapacity: AskCapacity = async ({ environment, tenancyId, compartmentId, region }, pools) => {
  const options = { provider: new Provider("capacity", { region }) };
  const { availabilityDomains } = await getAvailabilityDomains({ compartmentId: tenancyId }, options);
  const { nodePools } = await getNodePools(
    { compartmentId, states: ["ACTIVE", "UPDATING", "NEEDS_ATTENTION"] },
    options,
  );
  const machines = await runningMachines({ environment, compartmentId }, pools, options);
  const asked = await Promise.all(
    availabilityDomains.map(async ({ name }): Promise<[number, DomainCapacity]> => {
      const number = domainNumber(name);
      return [number, await askDomain(name, pools.filter(usesDomain(number)), compartmentId, options)];
    }),
  );
  // Other environments in the compartment may use the same pool names.
  const ours = nodePools.filter(({ freeformTags }) => (freeformTags?.[ENVIRONMENT_TAG] ?? environment) === environment);
  return {
    domains: Object.fromEntries(asked),
    running: {
      ...Object.fromEntries(
        ours.map(({ name, nodeShape, nodeConfigDetails: [details] }) => [
          name,
          { shape: nodeShape, nodes: details?.size ?? 0 },
        ]),
      ),
      ...machines,
    },
  };
};

/** A cluster network or instance pool in the cloud's list. */
interface MachineGroup {
  readonly displayName: string;
  readonly state: string;
  readonly freeformTags: Readonly<Record<string, string>>;
}

/**
 * Running self-managed machines of this environment. Their shape is in a tag, because the cloud
 * reports it only per machine. Queried only if such pools exist, because it needs extra
 * permissions.
 */
async function runningMachines(
  { environment, compartmentId }: Pick<OkeSettings, "environment" | "compartmentId">,
  pools: readonly OkePool[],
  options: pulumi.InvokeOptions,
): Promise<CloudCapacity["running"]> {
  const has = (maker: NodeMaker) => pools.some(({ madeBy }) => madeBy === maker);
  const networks = has("cluster-network") ? (await getClusterNetworks({ compartmentId }, options)).clusterNetworks : [];
  const instancePools = has("instance-pool") ? (await getInstancePools({ compartmentId }, options)).instancePools : [];
  const isOurs = ({ state, freeformTags }: MachineGroup) =>
    freeformTags?.[ENVIRONMENT_TAG] === environment && !GONE.includes(state);
  const entry = ({ displayName, freeformTags }: MachineGroup, nodes: number) => [
    displayName,
    { shape: freeformTags[SHAPE_TAG] ?? "", nodes },
  ];
  return Object.fromEntries([
    ...networks.filter(isOurs).map((network) => entry(network, network.instancePools[0]?.size ?? 0)),
    ...instancePools.filter(isOurs).map((pool) => entry(pool, pool.size)),
  ]);
}

/** States without machines. The cloud lists such groups for a while. */
const GONE = ["TERMINATING", "TERMINATED"];

async function askDomain(
  name: string,
  pools: readonly OkePool[],
  compartmentId: string,
  options: pulumi.InvokeOptions,
): Promise<DomainCapacity> {
  const { shapes } = await getShapes({ compartmentId, availabilityDomain: name }, options);
  // The list has a shape once per offer type.
  const limits: Record<string, readonly string[]> = {};
  for (const { name: shape, quotaNames } of shapes) {
    limits[shape] = [...new Set([...(limits[shape] ?? []), ...(quotaNames ?? [])])];
  }
  const counted = new Set(
    pools.flatMap((pool) => (limits[pool.plan.shape.name] ?? []).filter((limit) => takenOf(limit, pool) !== undefined)),
  );
  const available = await Promise.all(
    [...counted].map(async (limitName): Promise<[string, number][]> => {
      try {
        const answer = await getResourceAvailability(
          { compartmentId, serviceName: "compute", limitName, availabilityDomain: name },
          options,
        );
        const left = Number.parseInt(answer.available, 10);
        return Number.isNaN(left) ? [] : [[limitName, left]];
      } catch {
        // 404: "Not all resource limits support this API" (its documentation). Unknown limits do
        // not block a deployment.
        return [];
      }
    }),
  );
  return { name, shapes: limits, available: Object.fromEntries(available.flat()) };
}

function usesDomain(number: number): (pool: OkePool) => boolean {
  return ({ availabilityDomains }) => availabilityDomains.includes(number);
}

/** `Uocm:EU-FRANKFURT-1-AD-2` is number 2. */
function domainNumber(name: string): number {
  return Number(/-ad-(\d+)$/i.exec(name)?.[1]);
}
