import { engineSettings } from "../settings";
import { classFix, classOutcome, releaseGaps } from "../vllm/asked-of-release";
import { parsersAskedFor } from "../vllm/asked-parsers";
import { remoteCodeProblems } from "../vllm/remote-code";
import { chatFaults, vllmBlock } from "../vllm/settings";
import { stateTransferProblems } from "../vllm/state-transfer";
import { onVllm, vllmVersionOf } from "./releases";

/** `models.<name>.ray`: the keys of vLLM's block that Ray passes on. */
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
    const version = vllmVersionOf(model.engineVersion);
    const parsers = parsersAskedFor({ key: "ray", version, hasTemplates: false }, block, model);
    const isReasoningWithTools = block.reasoning && block.toolCalling;
    const gaps = releaseGaps({ model: onVllm(model), own: {}, isReasoningWithTools });
    const computes = `Ray ${model.engineVersion} computes with vLLM ${version}`;
    const ofClass = classOutcome(
      onVllm(model),
      computes,
      (span) =>
        `write engine: vllm${span.until === undefined ? "" : `, and ${classFix(span, {}).replace("write ", "")}`}`,
    );
    return {
      ...parsers,
      ...ofClass,
      problems: [
        ...parsers.problems,
        ...gaps.map(({ reason }) => ({
          rule: "engine-release",
          message: `${computes}: ${reason}. To fix it: write engine: vllm.`,
        })),
        ...ofClass.problems,
        ...remoteCodeProblems(onVllm(model)),
        ...stateTransferProblems(onVllm(model), {}),
      ],
    };
  },
});
