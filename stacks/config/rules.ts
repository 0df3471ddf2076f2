/** Rules between fields. What concerns one field alone is in its schema; what needs arithmetic is in the planner. */
import type { ProblemDraft } from "./problems";
import type { Rule, RuleContext } from "./rules/context";
import * as gateway from "./rules/gateway";
import * as models from "./rules/models";
import * as pools from "./rules/pools";

const rules: readonly Rule[] = [
  pools.atLeastOnePool,
  pools.poolsHaveOneMachine,
  pools.machinesBelongToTheCluster,
  pools.poolRolesFitTheirMachines,
  pools.poolSizesAreOrdered,
  pools.dedicatedModelsExist,
  models.modelsAreDescribedOnce,
  models.configLocationsCanBeRead,
  models.modelNamespacesAreFree,
  models.sourcesFitTheEngines,
  models.bucketSourcesAreInTheStore,
  models.quantizationsAreKnown,
  models.settingsFitTheEngines,
  models.replicasAreOrdered,
  models.servedNamesAreUnique,
  models.modelPoolsExist,
  models.tensorParallelFitsANode,
  gateway.productionHasATrustedCertificate,
  gateway.consumersAreUnique,
  gateway.streamsOutliveTheirPauses,
];

/** Everything that the rules find, in the order of the rules. */
export function checkRules(context: RuleContext): ProblemDraft[] {
  return rules.flatMap((rule) => [...rule(context)]);
}
