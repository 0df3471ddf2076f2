import { engineMonitor, leaveToFolder } from "./leave-to-folder";
import { assertReleased, engineState, thisStack } from "./still-owned";

/**
 * With `gitops`, limits `up` to its part. Called before resources are registered.
 *
 * @throws StillOwnedError while the stack's state holds what the rendered folder has.
 */
export async function leaveFolder({ gitops }: { readonly gitops?: unknown }): Promise<void> {
  if (gitops !== undefined) {
    await assertReleased(thisStack(), engineState);
    leaveToFolder(engineMonitor());
  }
}
