import { chosenAddons } from "./chosen";
import { STANDARD_ADDONS } from "./standard";

/** Add-ons of this platform, in build order. */
export const ADDONS = chosenAddons.or(STANDARD_ADDONS);
