/** What the add-ons of the table have to be watched by. It does not depend on which of them an environment has. */
import { ADDONS } from "./table";

/** Alerts and recorded series, beside those of the platform. */
export const ADDON_ALERTS = ADDONS.flatMap(({ alerts = [] }) => alerts);

/** Dashboards, beside those of the platform. */
export const ADDON_DASHBOARDS = ADDONS.flatMap(({ dashboards = [] }) => dashboards);
