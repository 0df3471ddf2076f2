/** Probes of pods with vLLM's API server. */
import { VLLM_PORT } from "../../engines/vllm";
import { featureGap } from "../../engines/vllm/releases";
import { shippedText } from "../../names/shipped-file";
import type { ModelPlan } from "../../planner/types";
import { GROUP_PERIOD, GROUP_PLACE } from "./group-member";
import { httpProbes, KILL_GRACE, type Probes } from "./probes";

/** A prefill step may take five minutes: three probes, 20 s apart, detect a hang within six. */
const STALLED_SECONDS = 270;
const PERIOD = { periodSeconds: 20, failureThreshold: 3 } as const;

/** Where no release reports steps, none is missed. */
const NEVER = "inf";

/**
 * Liveness checks steps, which /health does not (vllm-project/vllm#36451): a hang is detected
 * within 6 minutes (test/engines-real/vllm/hang.test.ts). A leader also checks its workers.
 */
export function vllmProbes(model: ModelPlan): Probes {
  const reportsSteps = featureGap("figuresOfEachStep", model.engineVersion) === undefined;
  const isLeader = model.nodesPerReplica > 1;
  if (!(reportsSteps || isLeader)) {
    return httpProbes(model);
  }
  const script = shippedText("components/serving/scripts/engine_alive.py");
  const stalled = reportsSteps ? String(STALLED_SECONDS) : NEVER;
  const others = isLeader ? [GROUP_PLACE] : [];
  const command = ["python3", "-c", script, String(VLLM_PORT), "/tmp/engine-alive.json", stalled, ...others];
  return {
    ...httpProbes(model),
    livenessProbe: { ...KILL_GRACE, exec: { command }, timeoutSeconds: 20, ...(isLeader ? GROUP_PERIOD : PERIOD) },
  };
}
