import { z } from "zod";
import { engineSettings } from "../settings";
import { classFix, classOutcome, releaseGaps } from "../vllm/asked-of-release";
import { parsersAskedFor } from "../vllm/asked-parsers";
import { remoteCodeProblems } from "../vllm/remote-code";
import { chatFaults, vllmBlock } from "../vllm/settings";
import { stateTransferProblems } from "../vllm/state-transfer";
import { onVllm, vllmVersionOf } from "./releases";

/** `models.<name>.ray`: the keys of vLLM's block that Ray passes on. Its vLLM shares no card. */
const rayBlock = vllmBlock
  .pick({
    tensorParallel: true,
    pipelineParallel: true,
    kvCacheDtype: true,
    maxNumSeqs: true,
    loading: true,
    toolCalling: true,
    reasoning: true,
    chatTemplate: true,
  })
  .extend({
    gpuMemoryUtilization: z.number().min(0.5).max(0.97).optional().meta({
      description:
        "Fraction of GPU memory that it may use. Less than 0.5 leaves idle what no other pod gets; more than 0.97 leaves too little for the CUDA context next to it, and vLLM may not start. Default: the engine's.",
      allowed:
        "a number from 0.5 to 0.97: more leaves too little for the CUDA context next to it, less leaves GPU memory idle",
      example: 0.92,
    }),
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
