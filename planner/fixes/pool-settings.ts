import type { GpuSharing } from "../../catalog/gpu-sharing";
import { migLayout, migProfilesOf } from "../../catalog/mig-profiles";
import { hourlyUsd, type MachineShape, shapesOf } from "../../catalog/shapes";
import { poolFabric } from "../fabric";
import { cloudLabels, MACHINE_LABEL } from "../pool-labels";
import { MOST_NODES, type PlanRequest, type PoolRequest } from "../request";
import { canBeParted, isSharingLabel, parted, sharingLabels } from "../slices";
import { type Setting, withPool } from "./setting";

/** More nodes per replica are no realistic deployment: the search ends. */
const MOST_NODES_PER_REPLICA = 16;

export function poolSettings(request: PlanRequest, pool: PoolRequest): Setting[] {
  if (pool.role === "system") {
    return [];
  }
  const { minNodes, maxNodes } = pool;
  const replicas = Math.max(1, ...request.models.map((m) => m.maxReplicas));
  const { nodes: allowed = MOST_NODES } = pool.most ?? {};
  const most = Math.min(allowed, maxNodes + MOST_NODES_PER_REPLICA * replicas);
  // A single-machine cluster has exactly one node.
  const nodes: Setting[] =
    allowed === 1
      ? []
      : [
          {
            path: `pools.${pool.name}.minNodes`,
            from: minNodes,
            count: minNodes,
            at: (i) => {
              const to = minNodes - 1 - i;
              return { to, request: withPool(request, pool.name, { minNodes: to }) };
            },
          },
          {
            path: `pools.${pool.name}.maxNodes`,
            from: maxNodes,
            count: most - maxNodes,
            at: (i) => {
              const to = maxNodes + 1 + i;
              return { to, request: withPool(request, pool.name, { maxNodes: to }) };
            },
          },
        ];
  return [...nodes.filter(({ count }) => count > 0), ...otherMachines(request, pool), ...otherParts(request, pool)];
}

/** Other slices of the same cards, largest first, and whole cards. */
function otherParts(request: PlanRequest, pool: PoolRequest): Setting[] {
  const { name, sharing, wholeShape } = pool;
  if (sharing === undefined || wholeShape?.gpu === undefined) {
    return [];
  }
  const change = (to: GpuSharing | undefined) => onParts(request, pool, wholeShape, to);
  const path = `pools.${name}.sharing`;
  const whole: Setting = {
    path,
    from: "mig" in sharing ? `mig: ${sharing.mig}` : `timeSlicing: ${sharing.timeSlicing.replicas} replicas`,
    count: 1,
    at: () => ({ to: null, request: change(undefined) }),
  };
  if (!("mig" in sharing)) {
    return [whole];
  }
  const layouts = migProfilesOf(wholeShape.gpu.model).map(migLayout);
  const others = layouts.filter((layout) => layout !== sharing.mig);
  return [
    ...others.map(
      (mig): Setting => ({
        path: `${path}.mig`,
        from: sharing.mig,
        count: 1,
        at: () => ({ to: mig, request: change({ mig }) }),
      }),
    ),
    whole,
  ];
}

function onParts(
  request: PlanRequest,
  { name, labels }: PoolRequest,
  whole: MachineShape,
  sharing: GpuSharing | undefined,
): PlanRequest {
  const others = Object.entries(labels).filter(([key]) => !isSharingLabel(key));
  return withPool(request, name, {
    shape: parted(whole, sharing),
    sharing,
    labels: { ...Object.fromEntries(others), ...sharingLabels(sharing) },
  });
}

function otherMachines(request: PlanRequest, pool: PoolRequest): Setting[] {
  return exchangeableShapes(pool).map(({ shape, price }) => ({
    path: `pools.${pool.name}.shape`,
    from: pool.shape.name,
    count: 1,
    at: () => ({ to: shape.name, request: onMachine(request, pool, shape, price) }),
  }));
}

/** At list price. Pods that select the machine follow the change. */
export function onMachine(request: PlanRequest, pool: PoolRequest, shape: MachineShape, price: number): PlanRequest {
  const follows = pool.selector[MACHINE_LABEL] === pool.shape.name;
  return withPool(request, pool.name, {
    shape: parted(shape, pool.sharing),
    ...(pool.sharing && { wholeShape: shape }),
    usdPerNodeHour: price,
    ...(follows && { selector: { ...pool.selector, ...cloudLabels(shape) } }),
  });
}

/**
 * Machines of the same provider and kind with a list price and the pool's RDMA, cheapest first.
 * None for a pool with its own price, which would no longer hold.
 */
export function exchangeableShapes(pool: PoolRequest): { readonly shape: MachineShape; readonly price: number }[] {
  if (hourlyUsd(pool.shape) !== pool.usdPerNodeHour) {
    return [];
  }
  return shapesOf(pool.shape.provider)
    .filter(
      (shape) =>
        shape.name !== pool.shape.name &&
        !shape.denied &&
        !shape.flex &&
        Boolean(shape.gpu) === Boolean(pool.shape.gpu) &&
        canBeParted(shape, pool.sharing) &&
        (pool.rdmaAccess === undefined || poolFabric({ ...pool, shape }) !== undefined),
    )
    .flatMap((shape) => {
      const price = shape.price && "usdPerHour" in shape.price ? hourlyUsd(shape) : undefined;
      return price === undefined ? [] : [{ shape, price }];
    })
    .sort((a, b) => a.price - b.price);
}
