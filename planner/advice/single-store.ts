import type { Cloud } from "../../catalog/cloud-prices";
import { bucketUptime, uptimeOf } from "../../catalog/uptime";
import { decimal } from "../../names/decimal";
import { percent } from "../availability/text";
import { roomUsdPerMonth } from "../cloud-services";
import type { Replanning } from "../fixes/setting";
import type { CapacityProblem } from "../types";

/** The model store of a production platform in a cloud is one pod with one volume: what that costs, and what a bucket of the cloud would. */
export function singleStore({ request, plan }: Pick<Replanning, "request" | "plan">): CapacityProblem[] {
  const pool = request.pools.find(({ role }) => role === "system");
  const { models, sizeGiB } = plan.storage;
  if (plan.stage !== "production" || models.length === 0 || !pool || pool.shape.provider === "onprem") {
    return [];
  }
  const { provider } = pool.shape;
  const { node, volume } = { ...uptimeOf(provider), ...pool.uptime };
  return [
    {
      severity: "advisory",
      rule: "single-store",
      subject: "storage",
      message: `the model store is one pod with one volume in one zone, there ${percent(node * volume)} of the time (node ${percent(node)}, volume ${percent(volume)}). While it is away, running replicas of ${models.join(", ")} go on, and none starts, scales or moves; ModelStoreDown reports it. ${bucketText(bucketOf(provider, sizeGiB))}`,
    },
  ];
}

/** What the catalogue knows of the cloud that the store is in; undefined where it has no row. */
interface Bucket {
  readonly sizeGiB: number;
  /** Part of a month in which it answers. */
  readonly there: number | undefined;
  /** US dollars a month for that room. */
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

/** Nothing here renders a bucket: the step has a price, and no setting. */
export function bucketText({ sizeGiB, there, usd, volumeUsd }: Bucket): string {
  const price =
    usd === undefined
      ? "without a price in the catalogue"
      : `${decimal(usd, 2, 2)} USD a month for ${sizeGiB} GiB, without requests`;
  const now =
    usd === undefined || volumeUsd === undefined ? "" : `, in place of the volume's ${decimal(volumeUsd, 2, 2)}`;
  return `Next step: a bucket of the cloud${there === undefined ? "" : `, ${percent(there)}`}: ${price}${now}. It is not offered yet (docs/availability.md).`;
}
