import type { Cloud } from "../../catalog/cloud-prices";
import { bucketUptime, uptimeOf } from "../../catalog/uptime";
import { decimal } from "../../names/decimal";
import { percent } from "../availability/text";
import { roomUsdPerMonth } from "../cloud-services";
import type { Replanning } from "../fixes/setting";
import type { CapacityProblem } from "../types";

/** A production cloud's model store is one pod with one volume: its cost, and a bucket's. */
export function singleStore({ request, plan }: Pick<Replanning, "request" | "plan">): CapacityProblem[] {
  const pool = request.pools.find(({ role }) => role === "system");
  const { models, sizeGiB, backend } = plan.storage;
  if (backend || plan.stage !== "production" || models.length === 0 || !pool || pool.shape.provider === "onprem") {
    return [];
  }
  const { provider } = pool.shape;
  const { node, volume } = { ...uptimeOf(provider), ...pool.uptime };
  return [
    {
      severity: "advisory",
      rule: "single-store",
      subject: "storage",
      message: `the model store is one pod with one volume in one zone, available ${percent(node * volume)} of the time (node ${percent(node)}, volume ${percent(volume)}). Without it, running replicas of ${models.join(", ")} continue, and new ones cannot start (alert ModelStoreDown). ${bucketText(bucketOf(provider, sizeGiB))}`,
    },
  ];
}

/** The catalogue's row of the store's cloud; undefined without one. */
interface Bucket {
  readonly sizeGiB: number;
  /** Availability, as a fraction of a month. */
  readonly there: number | undefined;
  /** US dollars a month. */
  readonly usd: number | undefined;
  readonly volumeUsd: number | undefined;
}

function bucketOf(provider: Cloud, sizeGiB: number): Bucket {
  return {
    sizeGiB,
    there: bucketUptime(provider),
    usd: roomUsdPerMonth(provider, "object-storage", sizeGiB),
    volumeUsd: roomUsdPerMonth(provider, "volume", sizeGiB),
  };
}

export function bucketText({ sizeGiB, there, usd, volumeUsd }: Bucket): string {
  const price =
    usd === undefined
      ? "without a price in the catalogue"
      : `${decimal(usd, 2, 2)} USD a month for ${sizeGiB} GiB, without requests`;
  const now =
    usd === undefined || volumeUsd === undefined ? "" : `, in place of the volume's ${decimal(volumeUsd, 2, 2)}`;
  return `Next step: a bucket of the cloud${there === undefined ? "" : `, ${percent(there)}`}: ${price}${now}. Write storage.backend: {bucket: <name>} (docs/own-weights.md).`;
}
