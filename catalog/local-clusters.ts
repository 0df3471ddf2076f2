import table from "./local-clusters.json";

/** What makes a cluster in containers of one computer, by the name of its command line. */
export const LOCAL_CLUSTER_TOOLS = ["k3d", "kind"] as const;
export type LocalClusterTool = (typeof LOCAL_CLUSTER_TOOLS)[number];

/** What runs the containers, by the name of its command line. */
export const CONTAINER_ENGINES = ["docker", "podman"] as const;
export type ContainerEngine = (typeof CONTAINER_ENGINES)[number];

export interface LocalClusterToolEntry {
  readonly name: LocalClusterTool;
  readonly what: string;
  /** Without experimental engines. */
  readonly engines: readonly ContainerEngine[];
  /** Oldest version of the command line, such as "5.4.0". */
  readonly oldest: string;
  /** Its page on installation. */
  readonly install: string;
  /** Image of the node. */
  readonly nodeImage: string;
  /** What the image runs, as nodes say it. */
  readonly kubernetesVersion: string;
  /** The class that its clusters come with. */
  readonly storageClass: string;
  readonly source: string;
  readonly asOf: string;
}

// Checked against catalog/schema by test/catalog.
export const localClusterTools = table.tools as readonly LocalClusterToolEntry[];

/** What is pinned for a tool. */
export function localClusterTool(name: LocalClusterTool): LocalClusterToolEntry {
  const found = localClusterTools.find((tool) => tool.name === name);
  if (found === undefined) {
    throw new Error(`catalog/local-clusters.json has no row for "${name}"`);
  }
  return found;
}
