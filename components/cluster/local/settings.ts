import type { ContainerEngine, LocalClusterTool } from "../../../catalog/local-clusters";

/** Settings of a cluster in local containers. */
export interface LocalClusterSettings {
  /** Part of the cluster name: `inference-<environment>`. */
  readonly environment: string;
  readonly tool: LocalClusterTool;
  /** Container engine. */
  readonly engine: ContainerEngine;
  /** Node image, as the engine pulls it. */
  readonly nodeImage: string;
}
