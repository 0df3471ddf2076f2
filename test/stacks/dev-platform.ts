import { repositoryRoot } from "../../names/repository-root";
import { activeAddons } from "../../stacks/addons/active";
import { loadAddons } from "../../stacks/addons/build";
import { parseEnvironmentFile } from "../../stacks/config";
import { loadEnvironment } from "../../stacks/config/load";
import { local } from "../../stacks/local";
import { Platform, type PlatformArgs } from "../../stacks/platform";
import { planEnvironment } from "../../stacks/program";
import { type Deployment, deploy } from "../harness/deploy";
import { shippedText } from "./texts";

/** The platform of `dev`, on Pulumi's mocks, with what its caller gives it besides. */
export async function devPlatform(
  more: Pick<PlatformArgs, "charts"> = {},
  options: ConstructorParameters<typeof Platform>[2] = {},
): Promise<Deployment> {
  const file = parseEnvironmentFile(shippedText("dev"));
  if (!file.ok) {
    throw new Error("dev has problems");
  }
  return deploy(
    async () => {
      const loaded = loadEnvironment();
      const plan = await planEnvironment("dev", loaded, repositoryRoot());
      const args = { ...loaded, plan, addons: await loadAddons(activeAddons(loaded)), ...more };
      const { cluster: config } = loaded.environment;
      if (config.kind !== "local") {
        throw new Error("dev is no local cluster");
      }
      const cluster = local(config, args);
      new Platform("platform", { cluster, ...args }, { provider: cluster.provider, ...options });
    },
    { config: file.config, secretKeys: file.secretKeys },
  );
}
