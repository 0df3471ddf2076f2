import type * as automation from "@pulumi/pulumi/automation";

const PROVIDER = "pulumi:providers:aws";
const CLUSTER = "inference:cluster:EksCluster";

interface Resource {
  readonly urn: string;
  readonly type: string;
}

/**
 * The state of a program whose provider of AWS was a child of the cluster, as before decision 51: what the engine made of this
 * program, with the provider's former URN everywhere and its entry after its parent's.
 */
export function withChildProvider(made: automation.Deployment): automation.Deployment {
  const { resources } = made.deployment as { readonly resources: readonly Resource[] };
  const cluster = only(resources, CLUSTER);
  const provider = only(resources, PROVIDER);
  const former = provider.urn.replace(PROVIDER, `${CLUSTER}$${PROVIDER}`);
  const rest = resources.filter((resource) => resource !== provider);
  const after = rest.indexOf(cluster) + 1;
  const before = [...rest.slice(0, after), { ...provider, parent: cluster.urn }, ...rest.slice(after)];
  const text = JSON.stringify({ ...made.deployment, resources: before }).replaceAll(`"${provider.urn}`, `"${former}`);
  return { ...made, deployment: JSON.parse(text) };
}

/** @throws Error where there is none, or more than one. */
function only(resources: readonly Resource[], type: string): Resource {
  const [found, ...others] = resources.filter((resource) => resource.type === type);
  if (found === undefined || others.length > 0) {
    throw new Error(`not exactly one ${type} in the state`);
  }
  return found;
}
