import { type Cloud, type CloudPrice, type CloudService, cloudPrice } from "../catalog/cloud-prices";
import { engineOf } from "../engines";
import { bootVolumeNeed } from "./boot-volume";
import { monthlyUsd } from "./cost";
import type { ModelPlan, PoolPlan, ServiceCost, ServiceKind } from "./types";

/** Volumes of one kind that the platform's pods claim. */
export interface BilledVolumes {
  /** What is on them. */
  readonly name: string;
  /** Of each. */
  readonly sizeGiB: number;
  readonly count: number;
}

/** What an environment makes in a cloud besides machines. */
export interface CloudBilling {
  readonly provider: Cloud;
  /** The cluster is made here, with its network: control plane, way out to the internet, nodes' disks. */
  readonly createsCluster: boolean;
  /** Of the gateway. Undefined: it has none. */
  readonly loadBalancer?: { readonly service: "network-load-balancer" | "load-balancer"; readonly minMbps: number };
  readonly volumes: readonly BilledVolumes[];
  /** What is billed besides, without a price or a size that anybody here knows. */
  readonly notPriced: readonly string[];
  /** Room beside the planned models on each volume that an engine keeps models on, GiB. */
  readonly spareModelGiB: number;
}

/** What decides the size and number of disks. */
export interface BilledPlan {
  readonly pools: readonly Pick<
    PoolPlan,
    "name" | "shape" | "role" | "minNodes" | "maxNodes" | "hoursPerDay" | "localDisks"
  >[];
  readonly models: readonly ModelPlan[];
  /** Of the model store; 0: there is none. */
  readonly storeGiB: number;
  /** Of a pool's nodes, GiB, where the environment says so. */
  readonly bootVolumeGiB: ReadonlyMap<string, number>;
}

/** One kind of service, before anybody knows its price. */
interface Quantity {
  readonly kind: ServiceKind;
  readonly name: string;
  readonly service: CloudService;
  readonly count: number;
  readonly maxCount: number;
  /** Of each, for volumes. */
  readonly sizeGiB?: number;
  /** Of each, for load balancers that sell bandwidth. */
  readonly mbps?: number;
  readonly hoursPerDay: number;
}

/** Everything that a cloud bills for the plan beside machines, with its price, and what has none. */
export function cloudServices(
  billing: CloudBilling,
  plan: BilledPlan,
): { readonly services: readonly ServiceCost[]; readonly notPriced: readonly string[] } {
  const priced = quantities(billing, plan).map((each) => ({
    each,
    price: cloudPrice(billing.provider, each.service),
  }));
  return {
    services: priced.flatMap(({ each, price }) => (price ? [serviceCost(each, price)] : [])),
    notPriced: [
      ...priced.filter(({ price }) => price === undefined).map(({ each }) => each.name),
      ...billing.notPriced,
      "network traffic",
      ...(billing.createsCluster ? [] : ["the cluster's own control plane, network and nodes' disks"]),
    ],
  };
}

function quantities(billing: CloudBilling, plan: BilledPlan): Quantity[] {
  const always = { count: 1, maxCount: 1, hoursPerDay: 24 };
  const { createsCluster, loadBalancer } = billing;
  return [
    ...(createsCluster
      ? ([
          { ...always, kind: "control-plane", name: "control plane", service: "control-plane" },
          { ...always, kind: "nat-gateway", name: "NAT gateway", service: "nat-gateway" },
        ] as const)
      : []),
    ...(loadBalancer
      ? [
          {
            ...always,
            kind: "load-balancer",
            name: "load balancer",
            service: loadBalancer.service,
            mbps: loadBalancer.minMbps,
          } as const,
        ]
      : []),
    ...volumes(billing, plan).map(
      ({ name, sizeGiB, count }): Quantity => ({
        kind: "volume",
        name,
        service: "volume",
        count,
        maxCount: count,
        sizeGiB,
        hoursPerDay: 24,
      }),
    ),
    ...(createsCluster ? bootVolumes(plan) : []),
  ];
}

/** Volumes that pods claim. They stay when their nodes go. */
function volumes(
  { volumes: declared, spareModelGiB }: CloudBilling,
  { models, storeGiB }: BilledPlan,
): BilledVolumes[] {
  const ownStores = models.filter(
    ({ engine, serverOf }) => serverOf === undefined && engineOf(engine).weightsFrom === "registry",
  );
  return [
    ...(storeGiB > 0 ? [{ name: "model store", sizeGiB: storeGiB, count: 1 }] : []),
    ...ownStores.map(({ name, server, modelStorageGiB, minReplicas }) => ({
      name: `models of ${name}`,
      sizeGiB: (server?.storageGiB ?? modelStorageGiB) + spareModelGiB,
      count: minReplicas,
    })),
    ...declared,
  ].filter(({ count }) => count > 0);
}

/** Disks of nodes that are made here: they come and go with their nodes. */
function bootVolumes({ pools, models, bootVolumeGiB }: BilledPlan): Quantity[] {
  return pools.map((pool) => ({
    kind: "node-disk",
    name: `disks of ${pool.name}`,
    service: "volume",
    count: pool.minNodes,
    maxCount: Math.max(pool.minNodes, pool.maxNodes),
    sizeGiB: bootVolumeGiB.get(pool.name) ?? bootVolumeNeed(pool, models).totalGiB,
    hoursPerDay: pool.hoursPerDay,
  }));
}

function serviceCost(quantity: Quantity, price: CloudPrice): ServiceCost {
  const { kind, name, count, maxCount, sizeGiB = 0, mbps = 0, hoursPerDay } = quantity;
  const { usd, usdPerMbpsHour = 0, leastGiB = 0 } = price;
  const isVolume = price.per === "GB-month";
  const billedGiB = Math.max(sizeGiB, leastGiB);
  const eachUsdPerHour = isVolume ? (billedGiB * usd) / monthlyUsd(1, 24) : usd + mbps * usdPerMbpsHour;
  return {
    kind,
    name,
    count,
    ...(isVolume && { sizeGiB: billedGiB }),
    hourlyUsd: count * eachUsdPerHour,
    monthlyUsd: monthlyUsd(count * eachUsdPerHour, hoursPerDay),
    maxMonthlyUsd: monthlyUsd(maxCount * eachUsdPerHour, hoursPerDay),
    note: priceNote(price, mbps),
  };
}

function priceNote({ usd, per, usdPerMbpsHour, region, confidence, source, asOf, notes }: CloudPrice, mbps: number) {
  const unit = per === "hour" ? "an hour" : "for each GB and month";
  const bandwidth = usdPerMbpsHour === undefined ? "" : ` and ${usdPerMbpsHour} for each of ${mbps} Mbit/s`;
  return `${usd} USD ${unit}${bandwidth}, ${notes} (${region}; ${confidence} ${asOf}: ${source})`;
}
