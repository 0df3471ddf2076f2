import { type Cloud, type CloudPrice, type CloudService, cloudPrice } from "../catalog/cloud-prices";
import { engineOf } from "../engines";
import { bootVolumeNeed } from "./boot-volume";
import { HOURS_PER_MONTH, monthlyUsd } from "./cost";
import { mostScheduled } from "./placement";
import { firstReplicas } from "./scaling";
import type { ModelPlan, PoolPlan, ServiceCost, ServiceKind } from "./types";

export interface BilledVolumes {
  readonly name: string;
  readonly sizeGiB: number;
  readonly count: number;
  /** With all models at their maximum replicas. @default count */
  readonly maxCount?: number;
}

/** Billed parts of a provisioned cluster besides control plane and node disks. */
export interface BilledCluster {
  /** Egress gateways. */
  readonly natGateways: number;
  /** Their IPv4 addresses. */
  readonly publicAddresses: number;
  /** Private endpoints of cloud services: one per service and zone. */
  readonly endpoints: number;
  /** Keys billed monthly. */
  readonly keys: number;
}

export interface BilledLoadBalancer {
  readonly service: "network-load-balancer" | "load-balancer";
  /** Reserved bandwidth, where the cloud sells it. */
  readonly minMbps: number;
  /** Separately billed IPv4 addresses. */
  readonly publicAddresses: number;
}

export interface CloudBilling {
  readonly provider: Cloud;
  /** Undefined: the cluster is not provisioned here. */
  readonly cluster?: BilledCluster;
  /** The gateway's. Undefined: none. */
  readonly loadBalancer?: BilledLoadBalancer;
  readonly volumes: readonly BilledVolumes[];
  /** Billed items without a known price or size. */
  readonly notPriced: readonly string[];
  /** Spare GiB on each engine's model volume. */
  readonly spareModelGiB: number;
}

export interface BilledPlan {
  readonly pools: readonly Pick<
    PoolPlan,
    "name" | "shape" | "role" | "minNodes" | "maxNodes" | "scheduledNodeHours" | "localDisks" | "nodeCacheGiB"
  >[];
  readonly models: readonly ModelPlan[];
  /** Of the model store; 0: none. */
  readonly storeGiB: number;
  /** GiB by pool, where the environment sets it. */
  readonly bootVolumeGiB: ReadonlyMap<string, number>;
}

interface Quantity {
  readonly kind: ServiceKind;
  readonly name: string;
  readonly service: CloudService;
  readonly count: number;
  readonly maxCount: number;
  /** Hours a month of additional instances. @default 0 */
  readonly scheduledHours?: number;
  /** Of each volume. */
  readonly sizeGiB?: number;
  /** Of each load balancer that sells bandwidth. */
  readonly mbps?: number;
}

/** All billed services other than machines: with their price, or listed without one. */
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
      ...(billing.cluster ? [] : ["the cluster's own control plane, network and nodes' disks"]),
    ],
  };
}

/** US dollars a month; undefined without a price in the catalogue. */
export function roomUsdPerMonth(
  provider: Cloud,
  service: "volume" | "object-storage",
  sizeGiB: number,
): number | undefined {
  const price = cloudPrice(provider, service);
  const room = { kind: "volume", name: service, service, count: 1, maxCount: 1, sizeGiB } as const;
  return price && serviceCost(room, price).monthlyUsd;
}

function quantities(billing: CloudBilling, plan: BilledPlan): Quantity[] {
  const { cluster, loadBalancer } = billing;
  return [
    ...(cluster ? clusterQuantities(cluster) : []),
    ...(loadBalancer ? loadBalancerQuantities(loadBalancer) : []),
    ...volumes(billing, plan).map(
      ({ name, sizeGiB, count, maxCount = count }): Quantity => ({
        kind: "volume",
        name,
        service: "volume",
        count,
        maxCount,
        sizeGiB,
      }),
    ),
    ...(cluster ? bootVolumes(plan) : []),
  ];
}

/** Instances that run all the time; empty for none. */
function always(
  count: number,
  what: Pick<Quantity, "kind" | "name" | "service"> & Pick<Partial<Quantity>, "mbps">,
): Quantity[] {
  return count > 0 ? [{ ...what, count, maxCount: count }] : [];
}

function clusterQuantities({ natGateways, publicAddresses, endpoints, keys }: BilledCluster): Quantity[] {
  return [
    ...always(1, { kind: "control-plane", name: "control plane", service: "control-plane" }),
    ...always(natGateways, {
      kind: "nat-gateway",
      name: natGateways === 1 ? "NAT gateway" : "NAT gateways",
      service: "nat-gateway",
    }),
    ...always(publicAddresses, {
      kind: "public-address",
      name: "public addresses of the NAT gateways",
      service: "public-address",
    }),
    ...always(endpoints, { kind: "endpoint", name: "endpoints of services, by zone", service: "endpoint" }),
    ...always(keys, { kind: "key", name: "encryption keys", service: "key" }),
  ];
}

function loadBalancerQuantities({ service, minMbps, publicAddresses }: BilledLoadBalancer): Quantity[] {
  return [
    ...always(1, { kind: "load-balancer", name: "load balancer", service, mbps: minMbps }),
    ...always(publicAddresses, {
      kind: "public-address",
      name: "public addresses of the load balancer",
      service: "public-address",
    }),
  ];
}

/** Claimed volumes outlive their nodes. */
function volumes(
  { volumes: declared, spareModelGiB }: CloudBilling,
  { models, storeGiB }: BilledPlan,
): BilledVolumes[] {
  const ownStores = models.filter(
    ({ engine, serverOf }) => serverOf === undefined && engineOf(engine).weightsFrom === "registry",
  );
  return [
    ...(storeGiB > 0 ? [{ name: "model store", sizeGiB: storeGiB, count: 1 }] : []),
    // A deployment starts one replica, and claims outlive replicas.
    ...ownStores.map((model) => ({
      name: `models of ${model.name}`,
      sizeGiB: (model.server?.storageGiB ?? model.modelStorageGiB) + spareModelGiB,
      count: Math.max(firstReplicas(model), mostScheduled(model)),
      maxCount: Math.max(firstReplicas(model), model.maxReplicas),
    })),
    ...models.flatMap(({ name, engine }) => {
      const { stateGiB: sizeGiB } = engineOf(engine);
      return sizeGiB === undefined ? [] : [{ name: `state of ${name}`, sizeGiB, count: 1 }];
    }),
    ...declared,
  ].filter(({ count }) => count > 0);
}

/** Disks of provisioned nodes come and go with them. */
function bootVolumes({ pools, models, bootVolumeGiB }: BilledPlan): Quantity[] {
  return pools.map((pool) => ({
    kind: "node-disk",
    name: `disks of ${pool.name}`,
    service: "volume",
    count: pool.minNodes,
    maxCount: Math.max(pool.minNodes, pool.maxNodes),
    scheduledHours: pool.scheduledNodeHours,
    sizeGiB: bootVolumeGiB.get(pool.name) ?? bootVolumeNeed(pool, models).totalGiB,
  }));
}

function serviceCost(quantity: Quantity, price: CloudPrice): ServiceCost {
  const { kind, name, count, maxCount, scheduledHours = 0, sizeGiB = 0, mbps = 0 } = quantity;
  const { usd, usdPerMbpsHour = 0, leastGiB = 0 } = price;
  const isVolume = price.per === "GB-month";
  const billedGiB = Math.max(sizeGiB, leastGiB);
  const eachUsdPerHour =
    price.per === "hour" ? usd + mbps * usdPerMbpsHour : ((isVolume ? billedGiB : 1) * usd) / HOURS_PER_MONTH;
  return {
    kind,
    name,
    count,
    ...(isVolume && { sizeGiB: billedGiB }),
    hourlyUsd: count * eachUsdPerHour,
    monthlyUsd: monthlyUsd(count * eachUsdPerHour) + scheduledHours * eachUsdPerHour,
    maxMonthlyUsd: monthlyUsd(maxCount * eachUsdPerHour),
    note: priceNote(price, mbps),
  };
}

function priceNote({ usd, per, usdPerMbpsHour, region, confidence, source, asOf, notes }: CloudPrice, mbps: number) {
  const bandwidth = usdPerMbpsHour === undefined ? "" : ` and ${usdPerMbpsHour} for each of ${mbps} Mbit/s`;
  return `${usd} USD ${UNITS[per]}${bandwidth}, ${notes} (${region}; ${confidence} ${asOf}: ${source})`;
}

const UNITS: Readonly<Record<CloudPrice["per"], string>> = {
  hour: "an hour",
  month: "a month",
  "GB-month": "for each GB and month",
};
