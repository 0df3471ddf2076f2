import type { LoadedEnvironment } from "../config";
import type { ActiveAddon } from "./addon";
import { ADDONS } from "./table";

/** The add-ons that an environment has, in the order of the table. */
export function activeAddons({ environment, secrets }: LoadedEnvironment): ActiveAddon[] {
  return ADDONS.flatMap((addon) => addon.activate(environment, secrets) ?? []);
}
