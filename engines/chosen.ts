import { Chosen } from "../names/chosen";
import type { Engine } from "./engine";
import type { STANDARD_ENGINES } from "./standard";

/** The standard ones by name; a platform may lack some and have others. */
export type EngineName = keyof typeof STANDARD_ENGINES;

export type Engines = Readonly<Record<EngineName, Engine>>;

export const chosenEngines = new Chosen<Engines>("engines");
