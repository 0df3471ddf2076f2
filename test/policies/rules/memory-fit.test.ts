import { memoryFit } from "../../../policies/rules/memory-fit";
import { memoryVerdict } from "../../harness/plans";
import { container, deployment, gpuContainer, plan, podSpec, policyCases, UNKNOWN } from "../cases";

const MOST = "inference-stacks.io/memory-most-gib";
const LIMIT = "inference-stacks.io/memory-limit-gib";
const gpuPod = (annotations: unknown) => deployment(podSpec({ containers: [gpuContainer()] }), { annotations });
const planned = (totalGiB: number, limitGiB: number, above: number) => ({
  name: "chat",
  memoryPerGpu: { totalGiB, limitGiB },
  verdict: memoryVerdict({ intervalGiB: { below: 1, above } }),
});
const fitting = gpuPod({ [MOST]: "20", [LIMIT]: "21.5" });

policyCases(memoryFit, [
  ["fits", [plan(), fitting], "pass"],
  ["fits to the byte", [plan(), gpuPod({ [MOST]: "21.5", [LIMIT]: "21.5" })], "pass"],
  ["no GPU, no plan", [deployment(podSpec({ containers: [container()] }))], "pass"],
  [
    "too large in the plan",
    [plan({ models: [planned(81.2, 71.5, 1.5)] })],
    [
      'ConfigMap "inference-system/inference-plan": data["plan.json"].models[0].memoryPerGpu.totalGiB is 81.2 GiB for model "chat", and may be 1.5 GiB more (vLLM 0.33.0 not measured); allowed: at most 71.5 GiB together',
    ],
  ],
  ["at the edge in the plan", [plan({ models: [planned(71, 71.5, 1.5)] })], ["and may be 1.5 GiB more"]],
  ["fits for sure", [plan({ models: [planned(70, 71.5, 1.5)] })], "pass"],
  [
    "a verdict that promises more than the estimate",
    [plan({ models: [planned(70, 71.5, -1)] })],
    ["is no deployment plan"],
  ],
  [
    "too large on the pod",
    [plan(), gpuPod({ [MOST]: "22", [LIMIT]: "21.5" })],
    [`["${MOST}"] is "22"; allowed: at most 21.5 GiB`],
  ],
  ["compared as numbers", [plan(), gpuPod({ [MOST]: "100", [LIMIT]: "21.5" })], ['is "100"']],
  ["no annotations", [plan(), gpuPod(undefined)], [`["${MOST}"] is not set`, `["${LIMIT}"] is not set`]],
  ["no number", [plan(), gpuPod({ [MOST]: "20Gi", [LIMIT]: "21.5" })], ['is "20Gi"; allowed: GiB as a decimal number']],
  [
    "GPUs without a plan",
    [fitting],
    ["claims GPUs in a stack without a plan; allowed: a plan, published as ConfigMap inference-system/inference-plan"],
  ],
  ["no JSON", [plan("{"), fitting], ["is no JSON"]],
  ["no plan inside", [plan('{"stage":"test"}'), fitting], ["is no deployment plan"]],
  ["unknown annotation", [plan(), gpuPod({ [MOST]: UNKNOWN, [LIMIT]: "21.5" })], "unknown"],
  [
    "unknown plan",
    [{ ...plan(), inputs: { metadata: { name: "inference-plan" }, data: UNKNOWN } }, fitting],
    "unknown",
  ],
]);
