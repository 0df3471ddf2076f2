import * as pulumi from "@pulumi/pulumi";
import { assertKeepsPlatform, engineState, thisStack } from "./keeps-platform";
import { engineMonitor, leaveToFolder } from "./leave-to-folder";

/**
 * With `gitops`, limits `up` to its part. Called before resources are registered.
 *
 * @throws StillOwnedError while that would delete the platform.
 */
export async function leaveFolder({ gitops }: { readonly gitops?: { readonly name?: string } }): Promise<void> {
  await assertKeepsPlatform(thisStack(), gitops && (gitops.name ?? pulumi.getStack()), engineState);
  if (gitops !== undefined) {
    leaveToFolder(engineMonitor());
  }
}
