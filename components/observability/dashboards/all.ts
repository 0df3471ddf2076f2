import { autoscaling } from "./autoscaling";
import type { DashboardSpec } from "./builder";
import { costs } from "./costs";
import { nodesAndMesh } from "./nodes-and-mesh";
import { platformOverview } from "./platform-overview";
import { serviceLevels } from "./service-levels";

/** Dashboards of what every platform has; add-ons bring theirs along. A new one is one file and one row here. */
export const DASHBOARDS: readonly DashboardSpec[] = [platformOverview, serviceLevels, costs, autoscaling, nodesAndMesh];
