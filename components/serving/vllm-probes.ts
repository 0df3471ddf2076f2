/** Probes of pods with vLLM's API server. */
import { VLLM_PORT } from "../../engines/vllm";
import { shippedText } from "../../names/shipped-file";
import { compareVersions } from "../../names/versions";
import type { ModelPlan } from "../../planner/types";
import { httpProbes, KILL_GRACE, type Probes } from "./probes";

/** Seconds without a step, with requests running, after which a vLLM engine hangs: no single step of a prefill takes as long. */
const STALLED_SECONDS = 300;

/**
 * Reports its figures after every step. Before, a step without output reported none (v1/core/sched/scheduler.py of 0.9.2 to 0.10.1.1), and an
 * idle engine whose last requests were aborted went on saying that they run (vllm-project/vllm#22545).
 */
const REPORTS_EACH_STEP = "0.10.2";

/**
 * Of a pod with vLLM's API server: liveness looks at what its engines do, because /health does not (vllm-project/vllm#36451). A hang
 * is noticed within 6 minutes: the seconds above, and three probes.
 */
export function vllmProbes(model: ModelPlan): Probes {
  if (compareVersions(model.engineVersion, REPORTS_EACH_STEP) < 0) {
    return httpProbes(model);
  }
  const script = shippedText("components/serving/scripts/engine_alive.py");
  const command = ["python3", "-c", script, String(VLLM_PORT), "/tmp/engine-alive.json", String(STALLED_SECONDS)];
  return {
    ...httpProbes(model),
    livenessProbe: { ...KILL_GRACE, exec: { command }, periodSeconds: 20, timeoutSeconds: 20, failureThreshold: 3 },
  };
}
