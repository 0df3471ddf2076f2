import { Chosen } from "../../names/chosen";
import type { STANDARD_ADDONS } from "./standard";

/** The standard ones by type; a platform may lack some and have others. */
export type Addons = typeof STANDARD_ADDONS;

export const chosenAddons = new Chosen<Addons>("add-ons");
