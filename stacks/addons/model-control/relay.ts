import type { RunTimeModels } from "../../../components/gateway/run-time-models";
import { MODEL_RELAY_PORTS, modelRelayPods } from "../../../components/model-control/names";
import { needsRelay } from "../../../components/model-control/relay-settings";
import { MODEL_RELAY } from "../../../names/services";
import type { DeploymentPlan } from "../../../planner/types";
import { type ModelControlSettings, outsideWorkers } from "./config";

/** Whether models can come at run time, to an engine that the gateway then leads to. */
export function relays(plan: Pick<DeploymentPlan, "models">, settings: ModelControlSettings): boolean {
  return needsRelay(
    plan.models.map(({ engine }) => engine),
    outsideWorkers(settings),
  );
}

/** As the gateway publishes them. */
export function relayedModels({ ollamaApi }: ModelControlSettings): RunTimeModels {
  return { service: MODEL_RELAY, pods: modelRelayPods, port: MODEL_RELAY_PORTS.http, ollamaApi };
}
