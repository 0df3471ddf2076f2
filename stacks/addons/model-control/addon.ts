import { modelControlAlerts } from "../../../components/model-control/alerts";
import { modelControlConnections } from "../../../components/model-control/connections";
import { modelControlDashboard } from "../../../components/model-control/dashboard";
import { modelControlService } from "../../../components/model-control/gateway-service";
import { modelControlPods } from "../../../components/model-control/names";
import { publishedWorker } from "../../../components/model-control/outside-worker";
import { queueSize } from "../../../components/model-control/queue-size";
import { modelControlTarget, modelRelayTarget } from "../../../components/model-control/scrape-target";
import { MODEL_CONTROL_NAMESPACE } from "../../../names/namespaces";
import { tenantsOf } from "../../../planner/tenants";
import { addon } from "../addon";
import { controlImage, controlImageArchitecture } from "./advice";
import { type ModelControlConfig, type ModelControlSettings, modelControlSection, outsideWorkers } from "./config";
import { idleAdvice, idleProblems } from "./idle-models";
import { inferenceConsumers } from "./inference-advice";
import * as inferenceRules from "./inference-rules";
import { modelControlProblems } from "./problems";
import { relayedModels, relays } from "./relay";
import * as rules from "./rules";
import * as workerRules from "./worker-rules";

/** API that fetches, loads, unloads and stops models at run time. */
export const modelControl = addon({
  key: "modelControl",
  componentName: "control",
  section: modelControlSection,
  settings: ({ enabled, image, ...section }: ModelControlConfig): ModelControlSettings | undefined =>
    enabled && image !== undefined ? { ...section, enabled, image } : undefined,
  rules: [
    rules.noModelInModelControl,
    rules.modelControlHasAnImage,
    rules.nodesReachItsImage,
    rules.modelControlHasItsOwnHostname,
    rules.warmModelsHaveAnEngine,
    rules.warmModelsHaveAnEngineThatRuns,
    rules.warmModelsAreAllowed,
    rules.plannedRegistriesAreAllowed,
    rules.ollamaApiHasAnOllama,
    workerRules.workersAreServersOfOthers,
    workerRules.workersHaveNamesOfTheirOwn,
    workerRules.workersNameTheirModels,
    inferenceRules.inferenceHasAnApi,
    inferenceRules.inferenceLimitsGoTogether,
    inferenceRules.inferenceFitsItsQueue,
    inferenceRules.idleHasAnApi,
    inferenceRules.idleModelsWaitForTasks,
  ],
  problems: ({ settings, plan }) => [
    ...modelControlProblems(plan.models, Object.keys(settings.workers)),
    ...idleProblems(settings, plan.models),
  ],
  advice: ({ settings, environment, plan }) => [
    ...controlImage(settings),
    ...controlImageArchitecture(settings, plan.pools),
    ...idleAdvice(settings, plan.models),
    ...inferenceConsumers(settings, tenantsOf(environment.gateway.consumers, environment.models)),
  ],
  volumes: ({ settings: { spareStorageGiB, inference } }) => ({
    volumes: [
      { name: "task queue", sizeGiB: queueSize(inference.enabled ? inference : undefined).volumeGiB, count: 1 },
    ],
    spareModelGiB: spareStorageGiB,
  }),
  engineControl: ({ settings }) => ({ client: modelControlPods, spareStorageGiB: settings.spareStorageGiB }),
  outside: ({ settings }) => outsideWorkers(settings).flatMap((worker) => publishedWorker(worker) ?? []),
  services: ({ settings: { hostname } }) => (hostname === undefined ? [] : [modelControlService(hostname)]),
  runTimeModels: ({ settings, plan }) => (relays(plan, settings) ? relayedModels(settings) : undefined),
  targets: ({ settings, plan }) => [modelControlTarget, ...(relays(plan, settings) ? [modelRelayTarget] : [])],
  namespaces: () => [MODEL_CONTROL_NAMESPACE],
  connections: ({ settings, endpoints, cluster, traces }) =>
    modelControlConnections({
      endpoints,
      workers: outsideWorkers(settings),
      networks: cluster,
      warmModels: settings.warmModels.length > 0,
      traces,
    }),
  alerts: [modelControlAlerts],
  dashboards: [modelControlDashboard],
  load: () => import("./build"),
});
