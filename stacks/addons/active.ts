import type { ActiveAddon } from "./addon";
import type { AddonSecrets } from "./contract";
import type { AddonSecretKey, AddonsConfig } from "./sections";
import { ADDONS } from "./table";

interface AddonsOfEnvironment {
  readonly environment: AddonsConfig;
  readonly secrets: AddonSecrets<AddonSecretKey>;
}

/** In the table's order. */
export function activeAddons({ environment, secrets }: AddonsOfEnvironment): ActiveAddon[] {
  return ADDONS.flatMap((addon) => addon.activate(environment, secrets) ?? []);
}
