import type { ResourcePolicy, StackPolicy } from "./lib/policy";
import { admissionEnforced } from "./rules/admission-enforced";
import { chartAuthentication } from "./rules/chart-authentication";
import { chartPriorities } from "./rules/chart-priorities";
import { encryptionAtRest } from "./rules/encryption-at-rest";
import { gatewayExtensions } from "./rules/gateway-extensions";
import { gpuClaimedOnce } from "./rules/gpu-claimed-once";
import { gpuExclusive } from "./rules/gpu-exclusive";
import { gpuTolerations } from "./rules/gpu-tolerations";
import { imageArchitecture } from "./rules/image-architecture";
import { knownAccounts } from "./rules/known-accounts";
import { knownServers } from "./rules/known-servers";
import { leastPrivilegeAws } from "./rules/least-privilege-aws";
import { leastPrivilegeOci } from "./rules/least-privilege-oci";
import { memoryFit } from "./rules/memory-fit";
import { meshClosed } from "./rules/mesh-closed";
import { meshMembers } from "./rules/mesh-members";
import { monthlyBudget } from "./rules/monthly-budget";
import { networkDestinations } from "./rules/network-destinations";
import { networkPolicyPerNamespace } from "./rules/network-policy-per-namespace";
import { noClusterAdmin } from "./rules/no-cluster-admin";
import { noDefaultNamespace } from "./rules/no-default-namespace";
import { noLatestImage } from "./rules/no-latest-image";
import { noPlaintextSecret } from "./rules/no-plaintext-secret";
import { noPublicEndpoint } from "./rules/no-public-endpoint";
import { nodeMetadataService } from "./rules/node-metadata-service";
import { pinnedCharts } from "./rules/pinned-charts";
import { protectedStateful } from "./rules/protected-stateful";
import { resourcesSet } from "./rules/resources-set";
import { restrictedSecurityContext } from "./rules/restricted-security-context";
import { schedulingLimits } from "./rules/scheduling-limits";
import { serviceLevel } from "./rules/service-level";
import { serviceLevelCertainty } from "./rules/service-level-certainty";
import { serviceLevelHeadroom } from "./rules/service-level-headroom";
import { serviceLinksOff } from "./rules/service-links-off";
import { singleAutoscalerPerTarget } from "./rules/single-autoscaler-per-target";
import { tenantIsolation } from "./rules/tenant-isolation";

/** A new policy is a file in `rules/` and a line here. */
export const policies: readonly (ResourcePolicy | StackPolicy)[] = [
  admissionEnforced,
  chartAuthentication,
  chartPriorities,
  encryptionAtRest,
  gatewayExtensions,
  gpuClaimedOnce,
  gpuExclusive,
  gpuTolerations,
  imageArchitecture,
  knownAccounts,
  knownServers,
  leastPrivilegeAws,
  leastPrivilegeOci,
  memoryFit,
  meshClosed,
  meshMembers,
  monthlyBudget,
  networkDestinations,
  networkPolicyPerNamespace,
  noClusterAdmin,
  noDefaultNamespace,
  noLatestImage,
  noPlaintextSecret,
  noPublicEndpoint,
  nodeMetadataService,
  pinnedCharts,
  protectedStateful,
  resourcesSet,
  restrictedSecurityContext,
  schedulingLimits,
  serviceLevel,
  serviceLevelCertainty,
  serviceLevelHeadroom,
  serviceLinksOff,
  singleAutoscalerPerTarget,
  tenantIsolation,
];
