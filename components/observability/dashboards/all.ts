import type { DashboardSpec } from "./builder";
import { modelControl } from "./model-control";
import { platformOverview } from "./platform-overview";

/** All dashboards. A new one is one file and one row here. */
export const DASHBOARDS: readonly DashboardSpec[] = [platformOverview, modelControl];
