import table from "./cloud-prices.json";
import type { Provider } from "./shapes";

/** A cloud that sends bills. */
export type Cloud = Exclude<Provider, "onprem">;

export const CLOUD_SERVICES = [
  "control-plane",
  "nat-gateway",
  "public-address",
  "endpoint",
  "key",
  "network-load-balancer",
  "load-balancer",
  "volume",
  "object-storage",
] as const;
export type CloudService = (typeof CLOUD_SERVICES)[number];

/** Per hour, per month, or per GB and month. */
export const PRICE_UNITS = ["hour", "month", "GB-month"] as const;

/** List price of something other than machines. */
export interface CloudPrice {
  readonly provider: Cloud;
  readonly service: CloudService;
  /** US dollars. */
  readonly usd: number;
  readonly per: (typeof PRICE_UNITS)[number];
  /** Of a load balancer, besides: for each Mbit/s that it keeps, and hour. */
  readonly usdPerMbpsHour?: number;
  /** Smallest volume that the cloud makes, and bills. */
  readonly leastGiB?: number;
  readonly region: string;
  readonly confidence: "read" | "reported";
  readonly source: string;
  /** Day of the source, or on which it was read where it bears none. */
  readonly asOf: string;
  /** What is counted, and what is not. */
  readonly notes: string;
}

// Checked against catalog/schema by test/catalog.
export const cloudPrices = table.prices as readonly CloudPrice[];

/** Undefined where no price with its source is recorded. */
export function cloudPrice(provider: Cloud, service: CloudService): CloudPrice | undefined {
  return cloudPrices.find((price) => price.provider === provider && price.service === service);
}

/** Part of the list price of a machine, and since when. */
export interface PriceShare {
  readonly share: number;
  readonly asOf: string;
  readonly source: string;
}

/** Share of the price for reclaimable machines. Undefined for market prices. */
export function spotShare(provider: Provider): PriceShare | undefined {
  return (table.spot as Readonly<Partial<Record<Provider, PriceShare>>>)[provider];
}

/** Cost of reserved machines that do not run. */
export function unusedReservationShare(provider: Provider): PriceShare | undefined {
  return (table.unusedReservation as Readonly<Partial<Record<Provider, PriceShare>>>)[provider];
}
