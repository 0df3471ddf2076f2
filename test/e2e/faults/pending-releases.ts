import { waitFor } from "../../../rehearsal/cluster/wait";
import { releaseRecord } from "../engine/providers/helm-release";
import type { FaultedStack } from "./faulted-stack";

/**
 * `helm uninstall` of each release whose installation was interrupted, as the runbook says. The provider outlived its
 * engine and ends what it was told to do: this waits for it.
 */
export async function uninstallPendingReleases(stack: FaultedStack): Promise<void> {
  const { pending_operations: operations = [] } = await stack.state();
  const { client } = stack.surroundings.plane;
  for (const { resource } of operations.filter(({ resource }) => resource.type.endsWith(":Release"))) {
    const { name, namespace } = resource.inputs as { readonly name: string; readonly namespace: string };
    const record = releaseRecord({ name, namespace }, "deployed");
    await waitFor(`release ${name} to be installed`, async () => {
      return (await client.get(record))?.metadata.labels?.status === "deployed" ? true : undefined;
    });
    await client.delete(record);
  }
}
