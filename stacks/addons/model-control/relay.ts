import type { RunTimeModels } from "../../../components/gateway/run-time-models";
import { MODEL_RELAY_PORTS, modelRelayPods } from "../../../components/model-control/names";
import { needsRelay } from "../../../components/model-control/relay-settings";
import { MODEL_RELAY } from "../../../names/services";
import type { DeploymentPlan } from "../../../planner/types";
import { type ModelControlSettings, outsideWorkers } from "./config";

/** Whether models can be added at run time, to an engine behind the gateway. */
export function relays(plan: Pick<DeploymentPlan, "models">, settings: ModelControlSettings): boolean {
  return needsRelay(
    plan.models.map(({ engine }) => engine),
    outsideWorkers(settings),
  );
}

export function relayedModels({ ollamaApi }: ModelControlSettings): RunTimeModels {
  return { service: MODEL_RELAY, pods: modelRelayPods, port: MODEL_RELAY_PORTS.http, ollamaApi };
}
