import { chosenEngines, type Engines } from "./chosen";
import { STANDARD_ENGINES } from "./standard";

export type { EngineName } from "./chosen";

/** Engines of this platform. */
export const ENGINES: Engines = chosenEngines.or(STANDARD_ENGINES);
