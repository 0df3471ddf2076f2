import { image } from "../../../catalog/images";
import { memoryVerdict } from "../../harness/plans";
import { container, deployment, gpuContainer, object, plan, podSpec } from "../subjects";
import type { Attack } from "./attack";

const MODEL = {
  name: "chat",
  memoryPerGpu: { totalGiB: 20, limitGiB: 21.5 },
  verdict: memoryVerdict(),
  maxReplicas: 2,
};
const modelWith = (changes: object) => [plan({ models: [{ ...MODEL, ...changes }] })];
const pod = (changes: Record<string, unknown>) => deployment(podSpec(changes));
const armPools = [
  { name: "system", role: "system", cpuArch: "arm64", selector: { "kubernetes.io/arch": "arm64" }, taints: [] },
];

/** Pods and plans of mistakes that nobody makes on purpose: the reference shows their messages. */
export const PLANS: readonly Attack[] = [
  [
    "a plan over its budget",
    "monthly-budget",
    [plan({ cost: { hourlyUsd: 1, monthlyUsd: 812.5, monthlyBudgetUsd: 800 } })],
  ],
  [
    "a model larger than its GPUs",
    "memory-fit",
    modelWith({
      memoryPerGpu: { totalGiB: 81.2, limitGiB: 71.5 },
      verdict: memoryVerdict({ intervalGiB: { below: 1, above: 1.5 } }),
    }),
  ],
  [
    "traffic beyond the replicas that are allowed",
    "service-level",
    modelWith({ speed: { basis: "same-card", neededReplicas: 3 } }),
  ],
  [
    "a level that the error of its prediction would break",
    "service-level-certainty",
    modelWith({ serviceLevel: { confidence: 0.9 }, speed: { basis: "same-card", sure: false, neededReplicas: 2 } }),
  ],
  ["a peak that leaves no room", "service-level-headroom", modelWith({ speed: { basis: "same-card", headroom: 0.1 } })],
  [
    "GPUs in two containers of a pod",
    "gpu-claimed-once",
    [pod({ containers: [gpuContainer(), gpuContainer("1", { name: "sidecar" })] })],
  ],
  ["a GPU pod without a toleration", "gpu-tolerations", [plan(), pod({ containers: [gpuContainer()] })]],
  [
    "an image for amd64 on nodes of arm64",
    "image-architecture",
    [plan({ pools: armPools }), pod({ containers: [container({ image: image("tgi") })] })],
  ],
  ["an object without a namespace", "no-default-namespace", [object("core/v1", "ConfigMap", {})]],
  ["a container without limits", "resources-set", [pod({ containers: [container({ resources: {} })] })]],
  ["service links left on", "service-links-off", [pod({ enableServiceLinks: undefined })]],
];
