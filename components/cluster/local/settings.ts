import type { ContainerEngine, LocalClusterTool } from "../../../catalog/local-clusters";

/** What a cluster in containers of one computer is made of. */
export interface LocalClusterSettings {
  /** Of whose name the cluster has a part: `inference-<environment>`. */
  readonly environment: string;
  readonly tool: LocalClusterTool;
  /** What runs the containers. */
  readonly engine: ContainerEngine;
  /** Image of the node, as the engine pulls it. */
  readonly nodeImage: string;
}
