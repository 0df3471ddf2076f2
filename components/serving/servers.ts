import type { EngineName } from "../../engines";
import type { ModelPlan } from "../../planner/types";
import type { ModelServerClass } from "./model-server";
import { OllamaServer } from "./ollama-server";
import { RayService } from "./ray-service";
import { TgiServer } from "./tgi-server";
import { TritonServer } from "./triton-server";
import { VllmGroup } from "./vllm-group";
import { VllmServer } from "./vllm-server";
import { isSplit, VllmSplit } from "./vllm-split";

/** For replicas on one node, and for those that span nodes. */
export interface EngineServers {
  readonly onOneNode: ModelServerClass;
  /** The first that serves the model. @default onOneNode */
  readonly variants?: readonly { readonly serves: (model: ModelPlan) => boolean; readonly server: ModelServerClass }[];
  readonly acrossNodes?: ModelServerClass;
}

/** Counterpart of the rows in `engines/table.ts`. */
export const SERVERS: Readonly<Record<EngineName, EngineServers>> = {
  ollama: { onOneNode: OllamaServer },
  triton: { onOneNode: TritonServer },
  ray: { onOneNode: RayService },
  tgi: { onOneNode: TgiServer },
  vllm: {
    onOneNode: VllmServer,
    variants: [{ serves: isSplit, server: VllmSplit }],
    acrossNodes: VllmGroup,
  },
};
