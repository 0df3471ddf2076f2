import type { ActiveAddon } from "./addon";
import type { AddonSecrets } from "./contract";
import type { AddonSecretKey, AddonsConfig } from "./sections";
import { ADDONS } from "./table";

/** The part of a loaded environment that is about add-ons. */
interface AddonsOfEnvironment {
  readonly environment: AddonsConfig;
  readonly secrets: AddonSecrets<AddonSecretKey>;
}

/** The add-ons that an environment has, in the order of the table. */
export function activeAddons({ environment, secrets }: AddonsOfEnvironment): ActiveAddon[] {
  return ADDONS.flatMap((addon) => addon.activate(environment, secrets) ?? []);
}
