import { autoscaling } from "./autoscaling";
import type { DashboardSpec } from "./builder";
import { nodesAndMesh } from "./nodes-and-mesh";
import { platformOverview } from "./platform-overview";

/** Dashboards of what every platform has; add-ons bring theirs along. A new one is one file and one row here. */
export const DASHBOARDS: readonly DashboardSpec[] = [platformOverview, autoscaling, nodesAndMesh];
