import type { EngineName } from "../../engines";
import type { EngineServers } from "./engine-servers";
import { OllamaServer } from "./ollama-server";
import { RayService } from "./ray-service";
import { TgiServer } from "./tgi-server";
import { TritonServer } from "./triton-server";
import { VllmGroup } from "./vllm-group";
import { VllmServer } from "./vllm-server";
import { isSplit, VllmSplit } from "./vllm-split";

/** Every engine's components; the other half of an engine is its row in `engines/standard.ts`. */
export const STANDARD_SERVERS: Readonly<Record<EngineName, EngineServers>> = {
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
