import { imagePullSeconds, LINK_EFFICIENCY } from "../catalog/image-pull";
import { modelImageName } from "../engines";
import type { DeploymentPlan } from "./types";

/** A limit, not an estimate: twice the expectation. */
const MARGIN = 2;

/**
 * Time limit, seconds, of a fresh cluster until every model answers: downloads of all models and of
 * the largest image over one link, then the slowest start.
 *
 * @param registryGbps internet link of the cluster, Gbit/s.
 */
export function firstStartSeconds({ models }: Pick<DeploymentPlan, "models">, registryGbps: number): number {
  const filesGB = models.reduce((sum, { weightsGB }) => sum + weightsGB, 0);
  const download = filesGB / ((registryGbps * LINK_EFFICIENCY) / 8);
  const images = models.map((model) => {
    return imagePullSeconds(modelImageName(model, model.gpuVendor ?? "cpu") ?? model.engine, registryGbps);
  });
  const starts = models.map(({ startupBudgetSeconds }) => startupBudgetSeconds);
  return Math.ceil((download + Math.max(0, ...images)) * MARGIN + Math.max(0, ...starts));
}
