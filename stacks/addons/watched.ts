/** Monitoring of all add-ons, independent of the environment's choice. */
import { ADDONS } from "./table";

/** Besides the platform's. */
export const ADDON_ALERTS = ADDONS.flatMap(({ alerts = [] }) => alerts);

/** Besides the platform's. */
export const ADDON_DASHBOARDS = ADDONS.flatMap(({ dashboards = [] }) => dashboards);
