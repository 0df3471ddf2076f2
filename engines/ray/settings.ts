import { engineSettings } from "../settings";
import { parsersAskedFor } from "../vllm/asked-parsers";
import { remoteCodeProblems } from "../vllm/remote-code";
import { chatFaults, vllmBlock } from "../vllm/settings";
import { rayArgument } from "./options";
import { onVllm } from "./releases";

/** `models.<name>.ray`: of vLLM's block what Ray hands on to the vLLM in it. */
const rayBlock = vllmBlock.pick({
  tensorParallel: true,
  pipelineParallel: true,
  kvCacheDtype: true,
  gpuMemoryUtilization: true,
  maxNumSeqs: true,
  loading: true,
  toolCalling: true,
  reasoning: true,
  chatTemplate: true,
});

export const raySettings = engineSettings(rayBlock, {
  requested: ({ toolCalling: _, reasoning: __, ...requested }) => requested,
  faults: chatFaults,
  outcome: (block, model) => {
    const parsers = parsersAskedFor({ key: "ray", argument: rayArgument, hasTemplates: () => false }, block, model);
    return { ...parsers, problems: [...parsers.problems, ...remoteCodeProblems(onVllm(model))] };
  },
});
