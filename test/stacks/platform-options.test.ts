import { expect, it } from "vitest";
import { repositoryRoot } from "../../names/repository-root";
import { activeAddons } from "../../stacks/addons/active";
import { loadAddons } from "../../stacks/addons/build";
import { parseEnvironmentFile } from "../../stacks/config";
import { loadEnvironment } from "../../stacks/config/load";
import { local } from "../../stacks/local";
import { Platform } from "../../stacks/platform";
import { planEnvironment } from "../../stacks/program";
import { deploy } from "../harness/deploy";
import { shippedText } from "./texts";

it("the platform runs transformations of its caller on every resource, besides its own", async () => {
  const file = parseEnvironmentFile(shippedText("dev"));
  if (!file.ok) {
    throw new Error("dev has problems");
  }
  const seen = new Set<string>();
  const deployment = await deploy(
    async () => {
      const loaded = loadEnvironment();
      const plan = await planEnvironment("dev", loaded, repositoryRoot());
      const args = { ...loaded, plan, addons: await loadAddons(activeAddons(loaded)) };
      const { cluster: config } = loaded.environment;
      if (config.kind !== "local") {
        throw new Error("dev is no local cluster");
      }
      const cluster = local(config, args);
      const transformations = [({ name }: { readonly name: string }) => void seen.add(name)];
      new Platform("platform", { cluster, ...args }, { provider: cluster.provider, transformations });
    },
    { config: file.config, secretKeys: file.secretKeys },
  );
  const own = deployment.recording.resources.filter(({ urn }) => urn.includes("::inference:platform:Platform"));
  expect(own.length).toBeGreaterThan(100);
  expect(own.filter(({ name }) => !seen.has(name)).map(({ name }) => name)).toEqual([]);
});
