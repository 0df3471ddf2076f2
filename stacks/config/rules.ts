/** Rules between fields. What concerns one field alone is in its schema; what needs arithmetic is in the planner. */
import type { ProblemDraft } from "./problems";
import * as beta9 from "./rules/beta9";
import type { Rule, RuleContext } from "./rules/context";
import * as engineOptions from "./rules/engine-options";
import * as gateway from "./rules/gateway";
import * as labels from "./rules/labels";
import * as modelControl from "./rules/model-control";
import * as modelStore from "./rules/model-store";
import * as models from "./rules/models";
import * as pools from "./rules/pools";
import * as serviceLevel from "./rules/service-level";

const rules: readonly Rule[] = [
  pools.atLeastOnePool,
  pools.poolsCanBeCompared,
  pools.poolsHaveOneMachine,
  pools.machinesBelongToTheCluster,
  pools.poolRolesFitTheirMachines,
  pools.poolSizesAreOrdered,
  pools.dedicatedModelsExist,
  models.modelsAreDescribedOnce,
  models.configLocationsCanBeRead,
  models.modelNamespacesAreFree,
  models.sourcesFitTheEngines,
  modelStore.bucketSourcesAreInTheStore,
  modelStore.storePrefixesDoNotNest,
  models.quantizationsAreKnown,
  models.settingsFitTheEngines,
  models.tasksFitTheEngines,
  engineOptions.argumentsAreKnown,
  engineOptions.variablesAreKnown,
  engineOptions.chatSettingsAreForChats,
  models.replicasAreOrdered,
  models.servedNamesAreUnique,
  models.servedNamesFitTheEngines,
  models.modelPoolsExist,
  models.tensorParallelFitsANode,
  serviceLevel.serviceLevelsSaySomething,
  serviceLevel.tokenTimesAreOfGeneratedText,
  gateway.productionHasATrustedCertificate,
  gateway.consumersAreUnique,
  gateway.loadBalancerSettingsAreRead,
  gateway.streamsOutliveTheirPauses,
  modelControl.modelControlHasAnImage,
  modelControl.modelControlHasItsOwnHostname,
  modelControl.warmModelsHaveAnEngine,
  modelControl.warmModelsAreAllowed,
  modelControl.plannedRegistriesAreAllowed,
  labels.commonLabelsAreFree,
  beta9.beta9PoolsExist,
  beta9.beta9CpuPoolFits,
  beta9.beta9GpuPoolsFit,
  beta9.beta9SecretsAreSet,
];

/** Everything that the rules find, in the order of the rules. */
export function checkRules(context: RuleContext): ProblemDraft[] {
  return rules.flatMap((rule) => [...rule(context)]);
}
