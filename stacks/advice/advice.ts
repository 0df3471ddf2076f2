import type { CapacityProblem, DeploymentPlan } from "../../planner/types";
import { activeAddons } from "../addons/active";
import type { LoadedEnvironment } from "../config";
import { apiServerCidrs } from "./api-server-cidrs";
import { addedStages, assumedConcurrency } from "./assumptions";
import { certificateChallenge } from "./certificate-challenge";
import { cloudCapacity } from "./cloud-capacity";
import { declaredLevels } from "./declared-levels";
import { eksNodeImage } from "./eks-node-image";
import { eksVersion } from "./eks-version";
import { engineOptionAdvice } from "./engine-options";
import { exampleNames } from "./example-names";
import { existingController } from "./existing-controller";
import { gatedModels } from "./gated-models";
import { gpuOverrides } from "./gpu-overrides";
import { imagesByUrl } from "./images-by-url";
import { changesBeside, cutRequests, interruptedModels, replicasOverNodes, singleHeads } from "./interruptions";
import { keysOnTheInternet } from "./keys-on-the-internet";
import { legacyEngines } from "./legacy-engines";
import { mountedClaims } from "./mounted-claims";
import { movingRevisions } from "./moving-revisions";
import { nodesOfOthers } from "./nodes-of-others";
import { okeVersion } from "./oke-version";
import { openEgress } from "./open-egress";
import { ownImages } from "./own-images";
import { sharedImageCaches, sharedPrefixCaches } from "./prefix-caches";
import { privateEndpoint } from "./private-endpoint";
import { promotedCanaries } from "./promoted-canaries";
import { tokenQuotas } from "./quotas";
import { sessions } from "./sessions";
import { spotWithoutFallback } from "./spot-without-fallback";
import { transformed } from "./transformed";
import { unneededNodes } from "./unneeded-nodes";
import { unusedNodeCache } from "./unused-node-cache";
import { wildcardDns } from "./wildcard-dns";

/** Input of advice beyond the planner's. */
export interface Advised extends LoadedEnvironment {
  readonly plan: DeploymentPlan;
}

type Piece = (advised: Advised) => CapacityProblem[];

const OF_CLUSTER: readonly Piece[] = [
  privateEndpoint,
  eksVersion,
  eksNodeImage,
  okeVersion,
  spotWithoutFallback,
  unneededNodes,
  cloudCapacity,
];

/** Advice never forbids a deployment. Failures and hangs come first. */
const PIECES: readonly Piece[] = [
  gatedModels,
  nodesOfOthers,
  exampleNames,
  certificateChallenge,
  keysOnTheInternet,
  wildcardDns,
  privateEndpoint,
  eksVersion,
  eksNodeImage,
  okeVersion,
  ofAddons,
  legacyEngines,
  ownImages,
  transformed,
  engineOptionAdvice,
  imagesByUrl,
  mountedClaims,
  unusedNodeCache,
  existingController,
  openEgress,
  gpuOverrides,
  declaredLevels,
  assumedConcurrency,
  addedStages,
  movingRevisions,
  promotedCanaries,
  cutRequests,
  interruptedModels,
  changesBeside,
  singleHeads,
  replicasOverNodes,
  sessions,
  tokenQuotas,
  sharedPrefixCaches,
  sharedImageCaches,
  apiServerCidrs,
  spotWithoutFallback,
  unneededNodes,
  cloudCapacity,
];

function ofAddons(advised: Advised): CapacityProblem[] {
  return activeAddons(advised).flatMap((addon) => addon.advice(advised) ?? []);
}

/** Only for accepted plans: refused ones have more urgent problems. */
export function adviseOnEnvironment(advised: Advised): CapacityProblem[] {
  if (advised.plan.problems.some((p) => p.severity === "mandatory")) {
    return [];
  }
  // The platform's own stack advises on it.
  const pieces = advised.environment.scope === "cluster" ? OF_CLUSTER : PIECES;
  return pieces.flatMap((advise) => advise(advised));
}
