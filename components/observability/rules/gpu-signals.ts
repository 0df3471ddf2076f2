import { SIGNAL_SERIES } from "../../../names/recorded-series";
import { modelNamespaceSeries, ofModels } from "./models";
import type { RecordingRule } from "./types";

/** The mean: a new replica lowers it, as autoscalers assume, but not the maximum. */
function meanOfModel(record: string, ofGpu: string, about: string): RecordingRule {
  const gpu = (pod: string) =>
    `${ofGpu}{vendor="intel",instance="10.0.0.1:9400",node="gpu-1",gpu="${pod}",product="Model X",namespace="model-chat",pod="${pod}"}`;
  return {
    record,
    expr: `avg by (namespace, model) (${ofModels(ofGpu)})`,
    about,
    cases: {
      gives: {
        series: { ...modelNamespaceSeries("chat", "1x20"), [gpu("chat-0")]: "90x20", [gpu("chat-1")]: "30x20" },
        at: "15m",
        samples: { [`${record}{namespace="model-chat",model="chat"}`]: 60 },
      },
    },
  };
}

export const gpuSignals: readonly RecordingRule[] = [
  meanOfModel(
    SIGNAL_SERIES.gpuMemory,
    "gpu_memory_utilization",
    "Share of the memory of a model's GPUs in use, 0 to 100.",
  ),
  meanOfModel(
    SIGNAL_SERIES.gpuUtilization,
    "gpu_utilization_percent",
    "Share of time in which a model's GPUs ran a kernel, 0 to 100.",
  ),
];
