import { autoscaling } from "./autoscaling";
import { costs } from "./costs";
import { gateway } from "./gateway";
import { gpus } from "./gpus";
import { models } from "./models";
import { nodesAndMesh } from "./nodes-and-mesh";
import { platformOverview } from "./platform-overview";
import { serviceLevels } from "./service-levels";
import type { DashboardSpec } from "./spec";

/** Dashboards of every platform; add-ons bring theirs. */
export const DASHBOARDS: readonly DashboardSpec[] = [
  platformOverview,
  models,
  gpus,
  gateway,
  costs,
  serviceLevels,
  autoscaling,
  nodesAndMesh,
];
