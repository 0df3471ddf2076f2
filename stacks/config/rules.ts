/** Rules between fields. Single fields are checked by their schema, arithmetic by the planner. */
import { ADDONS } from "../addons/table";
import { draftsInFile } from "./core/in-file";
import * as modelNamespaces from "./core/model-namespaces";
import type { ProblemDraft } from "./core/problems";
import type { Rule, RuleContext } from "./core/rule";
import * as adapters from "./rules/adapters";
import * as airGap from "./rules/air-gap";
import * as bucketEndpoints from "./rules/bucket-endpoints";
import * as canary from "./rules/canary";
import * as claims from "./rules/claims";
import * as cluster from "./rules/cluster";
import * as confidential from "./rules/confidential";
import * as edgeCluster from "./rules/edge-cluster";
import * as eksCluster from "./rules/eks-cluster";
import * as eksNetwork from "./rules/eks-network";
import * as eksPools from "./rules/eks-pools";
import * as engineOptions from "./rules/engine-options";
import * as existingController from "./rules/existing-controller";
import * as gateway from "./rules/gateway";
import * as gatewayName from "./rules/gateway-name";
import * as gpuSoftware from "./rules/gpu-software";
import * as imageVolumes from "./rules/image-volumes";
import * as kubernetesApi from "./rules/kubernetes-api";
import * as labels from "./rules/labels";
import * as localCluster from "./rules/local-cluster";
import * as madePools from "./rules/made-pools";
import * as mesh from "./rules/mesh";
import * as modelStore from "./rules/model-store";
import * as models from "./rules/models";
import * as nodes from "./rules/nodes";
import * as okeNetwork from "./rules/oke-network";
import * as okePools from "./rules/oke-pools";
import * as okeSelfManaged from "./rules/oke-self-managed";
import * as outsideServers from "./rules/outside-servers";
import * as ownImages from "./rules/own-images";
import * as people from "./rules/people";
import * as poolTaints from "./rules/pool-taints";
import * as pools from "./rules/pools";
import * as quotas from "./rules/quotas";
import * as registryAccess from "./rules/registry-access";
import * as scaling from "./rules/scaling";
import * as scalingSchedule from "./rules/scaling-schedule";
import * as serviceLevel from "./rules/service-level";
import * as sharedServers from "./rules/shared-servers";
import * as sharing from "./rules/sharing";
import * as sourceNames from "./rules/source-names";
import * as storeBackend from "./rules/store-backend";
import * as tenants from "./rules/tenants";
import * as transform from "./rules/transform";
import * as uptime from "./rules/uptime";
import * as userPods from "./rules/user-pods";
import type { EnvironmentConfig } from "./schema";

const rules: readonly Rule[] = [
  pools.atLeastOnePool,
  pools.poolsCanBeCompared,
  pools.poolsHaveOneMachine,
  cluster.provisioningIsWhole,
  cluster.okeVersionIsServed,
  cluster.keyIsOfTheCluster,
  cluster.scopeFitsTheCluster,
  localCluster.localClusterIsOneMachine,
  localCluster.localToolKnowsTheEngine,
  gpuSoftware.gpuSoftwareIsOfTheCluster,
  gpuSoftware.gpuNodeImageIsKnown,
  gpuSoftware.gpuSoftwareCanServe,
  okeNetwork.addressesFitTheNetwork,
  okeNetwork.subnetsHoldEveryNode,
  okeNetwork.rdmaAddressesAreFree,
  kubernetesApi.kubernetesApiHasKnownClients,
  edgeCluster.edgeIsOneMachine,
  edgeCluster.k3sIsOfOurMachines,
  edgeCluster.sshSecretsHaveAMachine,
  eksCluster.eksVersionIsServed,
  eksCluster.zonesAreOfTheRegion,
  eksCluster.administratorsAreSaidOnce,
  eksCluster.eksKeyIsOfTheRegion,
  eksNetwork.eksAddressesFitTheNetwork,
  eksNetwork.eksSubnetsHoldEveryNode,
  pools.machinesBelongToTheCluster,
  pools.poolRolesFitTheirMachines,
  pools.rdmaIsOfTheMachine,
  poolTaints.taintsAreOfNodesThatExist,
  sharing.gpusCanBeParted,
  sharing.smallSharesAreOfSharedCards,
  sharing.partsHaveNoFabric,
  sharing.partsAreAskedForBySharing,
  madePools.nodeKeysAreRead,
  madePools.nodeKeysAreOfTheCloud,
  madePools.localDisksAreThere,
  madePools.numaIsOfGpuPools,
  eksPools.zonesAreOfTheNetwork,
  eksPools.imagesHaveDrivers,
  eksPools.scarceMachinesHaveOneZone,
  eksPools.eksCapacityFitsThePool,
  eksPools.groupsHaveOneSize,
  eksPools.platformHasNodesFromTheStart,
  eksPools.placementGroupsHoldTheirMachines,
  okePools.gpuPoolsSayWhere,
  okePools.domainsAreOfTheRegion,
  okePools.rdmaPoolsAreWhole,
  okePools.amdPoolsNameAnImage,
  okePools.capacityFitsThePool,
  confidential.machinesCanBeConfidential,
  confidential.confidentialRegionsHaveThem,
  okeSelfManaged.confidentialPoolsAreWhole,
  okeSelfManaged.selfManagedPoolsHaveOneSize,
  okeSelfManaged.cyclingIsOkes,
  pools.poolSizesAreOrdered,
  pools.dedicatedModelsExist,
  models.modelsAreDescribedOnce,
  models.configLocationsCanBeRead,
  canary.canariesDiffer,
  canary.canariesHaveNames,
  canary.firstRevisionsAreInTheStore,
  ownImages.ownImagesNameARelease,
  userPods.userPodsCanStart,
  modelNamespaces.noModelInTheStore,
  models.sourcesFitTheEngines,
  storeBackend.backendsAreBuckets,
  storeBackend.backendsHaveTheirSettings,
  storeBackend.modelsHaveAStore,
  storeBackend.storesAreFilled,
  modelStore.bucketSourcesAreInTheStore,
  modelStore.storePrefixesDoNotNest,
  modelStore.bucketsElsewhereAreRead,
  modelStore.registriesAreRead,
  claims.mountedWeightsAreNotStreamed,
  claims.adaptersComeFromTheStore,
  claims.foldersAreOfOwnMachines,
  imageVolumes.imageVolumesAreServed,
  imageVolumes.imageVolumesUseTheNodesAccess,
  models.quantizationsAreKnown,
  sourceNames.quantizationsAgreeWithSources,
  sourceNames.sourcesRunHere,
  models.tasksFitTheEngines,
  models.baseModelsAnswerNoChats,
  models.legacyEnginesStayOutOfProduction,
  engineOptions.argumentsAreKnown,
  engineOptions.variablesAreKnown,
  engineOptions.ownSettingsFitTheTask,
  outsideServers.urlsAreServersOfOthers,
  bucketEndpoints.endpointsNameNoBucket,
  bucketEndpoints.regionsAreOfTheEndpoint,
  registryAccess.proxiesAreServersOfOthers,
  registryAccess.registryNetworksAreNetworks,
  registryAccess.registryNetworksAreRead,
  outsideServers.keysAreSecrets,
  outsideServers.apiKeysAreRead,
  outsideServers.callersHaveKeysOfTheirOwn,
  gateway.sessionHeadersAreRead,
  outsideServers.certificatesAreForTls,
  mesh.egressHostsHaveSidecars,
  mesh.egressHostsAreNamedOnce,
  mesh.limitsHaveAMesh,
  adapters.adaptersFitTheEngine,
  adapters.adapterRanksFit,
  adapters.adapterRoomHasAdapters,
  models.replicasAreOrdered,
  models.replicasAreSaidOnce,
  scaling.enginesCanBeScaled,
  scaling.scalingHasRoom,
  scaling.signalsAreReported,
  scaling.targetsHaveSignals,
  scaling.adaptersOfClustersAreKnownToServe,
  scaling.oneServerOfExternalMetrics,
  scaling.modelsThatSleepAreWoken,
  scaling.spareReplicasMayRun,
  scalingSchedule.schedulesAreTimes,
  scalingSchedule.schedulesKeepToReplicas,
  models.servedNamesAreUnique,
  models.servedNamesFitTheEngines,
  models.aliasesFitTheEngines,
  airGap.bundledPlatformsStayOffline,
  sharedServers.serversCanBeJoined,
  sharedServers.guestsLeaveTheServerToItsHost,
  models.modelPoolsExist,
  models.tensorParallelFitsANode,
  nodes.groupModelsExist,
  nodes.modelsAreInOneGroup,
  nodes.groupNamesAreFree,
  nodes.enginesHaveNodes,
  nodes.groupsOfOthersHaveNoPods,
  nodes.nodesAreCountedOnce,
  uptime.uptimesHoldWhatTheyStandOn,
  uptime.zonesAreCountedWhereOthersMakeNodes,
  serviceLevel.serviceLevelsSaySomething,
  serviceLevel.tokenTimesAreOfGeneratedText,
  serviceLevel.trafficFitsTheModel,
  serviceLevel.pricesAreOfModels,
  gatewayName.gatewayHasOneName,
  gatewayName.wildcardAddressIsKnown,
  gatewayName.publicAuthoritiesReachTheAddress,
  gateway.productionHasATrustedCertificate,
  gateway.issuersAreOfAnExistingCertManager,
  existingController.existingControllersGoAlone,
  existingController.existingControllersAreElsewhere,
  existingController.classesNameTheirController,
  existingController.controllersAreEnvoyGateways,
  gateway.consumersAreUnique,
  quotas.quotasFitOnePolicy,
  quotas.tokenQuotasCountEveryModel,
  gateway.loadBalancerSettingsAreRead,
  gateway.streamsOutliveTheirPauses,
  gateway.drainsLastNoLongerThanRequests,
  tenants.tenantModelsExist,
  tenants.sharersAreConsumers,
  tenants.prefixHashesKeepTenantsApart,
  tenants.tokenIssuersAreServersOfOthers,
  tenants.claimNamesOneTenant,
  people.groupsAreOfPeople,
  people.peoplesDomainsExist,
  labels.commonLabelsAreFree,
  transform.patchesLeaveWhatOthersGoBy,
];

/** In the order of the rules; add-ons' last. */
export function checkRules(context: RuleContext<Omit<EnvironmentConfig, "gateway">>): ProblemDraft[] {
  const found = [...rules.flatMap((rule) => [...rule(context)]), ...ADDONS.flatMap((addon) => addon.check(context))];
  return draftsInFile(found, context.sections.models ?? {});
}
