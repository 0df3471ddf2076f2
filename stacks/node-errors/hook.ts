import * as pulumi from "@pulumi/pulumi";
import { type NodeError, nodeErrorMessage, type PoolFacts, poolOf } from "./message";

/** Resources that provision nodes. */
const NODES: ReadonlySet<string> = new Set([
  "aws:eks/nodeGroup:NodeGroup",
  "oci:ContainerEngine/nodePool:NodePool",
  "oci:Core/clusterNetwork:ClusterNetwork",
  "oci:Core/instancePool:InstancePool",
]);

/**
 * Adds a warning to failed nodes with what the cloud does not know: what waits for them, and
 * alternatives. The cloud's error stays, and nothing is retried.
 *
 * The state names the hook. A destroy, which runs no program, skips it and shows the cloud's error
 * (engine 3.259, tested).
 *
 * @param facts requested after a failure.
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
      // Without the resource, whose URN is only known after the hook.
      await pulumi.log.warn(message);
    }
  } catch (failure) {
    // Failed advice must not replace the cloud's error.
    await pulumi.log.debug(`no advice on ${name}: ${String(failure)}`);
  }
}
