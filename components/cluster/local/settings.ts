import type { ContainerEngine, LocalClusterTool } from "../../../catalog/local-clusters";

export interface LocalClusterSettings {
  /** Part of the cluster name: `inference-<environment>`. */
  readonly environment: string;
  readonly tool: LocalClusterTool;
  /** Container engine. */
  readonly engine: ContainerEngine;
  /** Node image, as the engine pulls it. */
  readonly nodeImage: string;
}
