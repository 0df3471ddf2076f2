import { memoryFit } from "../../../policies/rules/memory-fit";
import { container, deployment, gpuContainer, plan, podSpec, policyCases, UNKNOWN } from "../cases";

const TOTAL = "inference-stacks.io/memory-total-gib";
const LIMIT = "inference-stacks.io/memory-limit-gib";
const gpuPod = (annotations: unknown) => deployment(podSpec({ containers: [gpuContainer()] }), { annotations });
const fitting = gpuPod({ [TOTAL]: "20", [LIMIT]: "21.5" });

policyCases(memoryFit, [
  ["fits", [plan(), fitting], "pass"],
  ["fits to the byte", [plan(), gpuPod({ [TOTAL]: "21.5", [LIMIT]: "21.5" })], "pass"],
  ["no GPU, no plan", [deployment(podSpec({ containers: [container()] }))], "pass"],
  [
    "too large in the plan",
    [plan({ models: [{ name: "chat", memoryPerGpu: { totalGiB: 81.2, limitGiB: 71.5 } }] })],
    [
      'ConfigMap "inference-system/inference-plan": data["plan.json"].models[0].memoryPerGpu.totalGiB is 81.2 GiB for model "chat"; allowed: at most 71.5 GiB',
    ],
  ],
  [
    "too large on the pod",
    [plan(), gpuPod({ [TOTAL]: "22", [LIMIT]: "21.5" })],
    [`["${TOTAL}"] is "22"; allowed: at most 21.5 GiB`],
  ],
  ["compared as numbers", [plan(), gpuPod({ [TOTAL]: "100", [LIMIT]: "21.5" })], ['is "100"']],
  ["no annotations", [plan(), gpuPod(undefined)], [`["${TOTAL}"] is not set`, `["${LIMIT}"] is not set`]],
  [
    "no number",
    [plan(), gpuPod({ [TOTAL]: "20Gi", [LIMIT]: "21.5" })],
    ['is "20Gi"; allowed: GiB as a decimal number'],
  ],
  [
    "GPUs without a plan",
    [fitting],
    ["claims GPUs in a stack without a plan; allowed: a plan, published as ConfigMap inference-system/inference-plan"],
  ],
  ["no JSON", [plan("{"), fitting], ["is no JSON"]],
  ["no plan inside", [plan('{"stage":"test"}'), fitting], ["is no deployment plan"]],
  ["unknown annotation", [plan(), gpuPod({ [TOTAL]: UNKNOWN, [LIMIT]: "21.5" })], "unknown"],
  [
    "unknown plan",
    [{ ...plan(), inputs: { metadata: { name: "inference-plan" }, data: UNKNOWN } }, fitting],
    "unknown",
  ],
]);
