import { autoscaling } from "./autoscaling";
import { costs } from "./costs";
import { gateway } from "./gateway";
import { gpus } from "./gpus";
import { models } from "./models";
import { nodesAndMesh } from "./nodes-and-mesh";
import { platformOverview } from "./platform-overview";
import { serviceLevels } from "./service-levels";
import type { DashboardSpec } from "./spec";

/** Dashboards of what every platform has; add-ons bring theirs along. A new one is one file and one row here. */
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
