import * as pulumi from "@pulumi/pulumi";
import { type NodeError, nodeErrorMessage, type PoolFacts, poolOf } from "./message";

/** What nodes are made by. */
const NODES: ReadonlySet<string> = new Set([
  "aws:eks/nodeGroup:NodeGroup",
  "oci:ContainerEngine/nodePool:NodePool",
  "oci:Core/clusterNetwork:ClusterNetwork",
  "oci:Core/instancePool:InstancePool",
]);

/**
 * Has the engine tell of failed nodes what the cloud does not know: what waits for them, and what else would do. It adds a warning; the
 * cloud's error stays the engine's, and nothing is tried again.
 *
 * The state names the hook. A destroy, which runs no program, passes over it and shows the cloud's error (engine 3.259, tried).
 *
 * @param facts asked for once something has failed.
 */
export function explainNodeErrors(facts: () => Promise<PoolFacts>): void {
  const hook = new pulumi.ErrorHook("node-errors", async ({ name, failedOperation, errors: [error = ""] }) => {
    await explain({ name, operation: failedOperation, error }, facts);
    return false;
  });
  pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
    NODES.has(type) ? { props, opts: pulumi.mergeOptions(opts, { hooks: { onError: [hook] } }) } : undefined,
  );
}

async function explain(
  { name, operation, error }: Omit<NodeError, "pool"> & { readonly name: string },
  facts: () => Promise<PoolFacts>,
): Promise<void> {
  try {
    const known = await facts();
    const pool = poolOf(name, known.plan.pools);
    const message = pool && nodeErrorMessage({ pool, operation, error }, known);
    if (message) {
      // Without the resource: its URN is told once the hook has returned.
      await pulumi.log.warn(message);
    }
  } catch (failure) {
    // Advice that cannot be given must not take the place of the cloud's error.
    await pulumi.log.debug(`no advice on ${name}: ${String(failure)}`);
  }
}
