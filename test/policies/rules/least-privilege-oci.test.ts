import { leastPrivilegeOci } from "../../../policies/rules/least-privilege-oci";
import { policyCases, resource, UNKNOWN } from "../cases";

const COMPARTMENT = "compartment id ocid1.compartment.oc1..platform";
const says = (...statements: unknown[]) => [resource("oci:Identity/policy:Policy", { statements })];
const holds = (matchingRule: unknown, type = "oci:Identity/dynamicGroup:DynamicGroup") => [
  resource(type, { matchingRule }),
];

policyCases(leastPrivilegeOci, [
  [
    "secrets of a compartment that is named twice",
    says(`Allow dynamic-group a to read secret-family in ${COMPARTMENT} where target.compartment.name = 'a'`),
    ["statements[0] is"],
  ],
  [
    "clusters of a compartment that is named twice",
    says(`Allow dynamic-group a to manage cluster-family in ${COMPARTMENT} where target.compartment.id = 'a'`),
    ["statements[0] is"],
  ],
  [
    "secrets of any OCID",
    says(
      `Allow dynamic-group a to read secret-family in ${COMPARTMENT} where target.secret.id = '/ocid1.vaultsecret.*/'`,
    ),
    ["statements[0] is"],
  ],
  [
    "secrets of one of some names",
    says(`Allow dynamic-group a to read secret-family in ${COMPARTMENT} where target.secret.name = '/inference-*/'`),
    "pass",
  ],
  ["machines of any compartment's OCID", holds("instance.compartment.id = '/ocid1.compartment*/'"), ["a rule that"]],
  [
    "what a cluster needs of its key",
    says(
      `Allow any-user to use keys in ${COMPARTMENT} where ALL {request.principal.type='cluster', target.key.id='ocid1.key.oc1..k'}`,
    ),
    "pass",
  ],
  [
    "an autoscaler by its workload identity",
    says(
      `Allow any-user to manage cluster-node-pools in ${COMPARTMENT} where ALL {request.principal.type = 'workload', request.principal.namespace = 'kube-system', request.principal.service_account = 'cluster-autoscaler', request.principal.cluster_id = 'ocid1.cluster.oc1..a'}`,
    ),
    "pass",
  ],
  [
    "who is in which group, to look at",
    says(`Allow service mysql_dp_auth to {GROUP_MEMBERSHIP_INSPECT, DYNAMIC_GROUP_INSPECT} in ${COMPARTMENT}`),
    "pass",
  ],
  [
    "permissions by name, for node pools",
    says(
      `Allow any-user to {COMPUTE_CLUSTER_LAUNCH_INSTANCE} in ${COMPARTMENT} where request.principal.type='nodepool'`,
    ),
    "pass",
  ],
  [
    "machines that join one cluster",
    [
      ...says(
        `Allow dynamic-group id ocid1.dynamicgroup.oc1..g to {CLUSTER_JOIN} in ${COMPARTMENT} where ALL {target.cluster.id='ocid1.cluster.oc1..c'}`,
      ),
      ...holds("ALL {instance.compartment.id = 'ocid1.compartment.oc1..platform'}"),
    ],
    "pass",
  ],
  [
    "a dynamic group, a service and a definition",
    says(
      "Define tenancy other as ocid1.tenancy.oc1..other",
      `ALLOW dynamic-group 'Default'/'nodes' TO use subnets IN ${COMPARTMENT}`,
      `Allow service blockstorage to use keys in ${COMPARTMENT}`,
    ),
    "pass",
  ],
  [
    "either of two principals",
    says(
      `Allow any-user to use keys in compartment platform where ANY {request.principal.type='cluster', request.principal.type='nodepool'}`,
    ),
    "pass",
  ],
  [
    "everything",
    says(`Allow dynamic-group nodes to manage all-resources in ${COMPARTMENT}`),
    ['statements[0] is "Allow dynamic-group nodes to manage all-resources'],
  ],
  [
    "reading everything, secrets too",
    says(`Allow group ops to read all-resources in ${COMPARTMENT}`),
    ["named resource types"],
  ],
  ["the whole tenancy", says("Allow group ops to manage clusters in tenancy"), ["allowed: in compartment id …"]],
  [
    "the whole tenancy by its OCID",
    says("Allow group ops to manage clusters in compartment id ocid1.tenancy.oc1..t"),
    ["allowed: in compartment id …"],
  ],
  [
    "the whole tenancy, whatever the condition",
    says("Allow any-user to use keys in tenancy where request.principal.type='cluster'"),
    ["allowed: in compartment id …"],
  ],
  ["anybody", says(`Allow any-user to use keys in ${COMPARTMENT}`), ["any-user where request.principal.type"]],
  ["any group", says(`Allow any-group to use keys in ${COMPARTMENT}`), ["any-user where request.principal.type"]],
  [
    "anybody, for one key",
    says(`Allow any-user to use keys in ${COMPARTMENT} where target.key.id='ocid1.key.oc1..k'`),
    ["any-user where request.principal.type"],
  ],
  [
    "a principal in one of two cases",
    says(
      `Allow any-user to use keys in ${COMPARTMENT} where ANY {request.principal.type='cluster', target.key.id='ocid1.key.oc1..k'}`,
    ),
    ["any-user where request.principal.type"],
  ],
  [
    "all principals but one",
    says(`Allow any-user to use keys in ${COMPARTMENT} where request.principal.type != 'cluster'`),
    ["any-user where request.principal.type"],
  ],
  [
    "a principal of any name",
    says(`Allow any-user to use keys in ${COMPARTMENT} where request.principal.type = /*/`),
    ["any-user where request.principal.type"],
  ],
  [
    "three at once",
    says("Allow any-user to manage all-resources in tenancy"),
    ["named resource types", "in compartment id …", "any-user where request.principal.type"],
  ],
  ["across tenancies", says("Endorse group ops to manage buckets in any-tenancy"), ["rights in this tenancy alone"]],
  ["a text that is no statement", says("Permit all"), ["a statement such as Allow"]],
  [
    "a condition that is none",
    says(`Allow any-user to use keys in ${COMPARTMENT} where request.principal.type`),
    ["a statement such as Allow"],
  ],
  ["a statement that nobody knows yet", says(UNKNOWN), "unknown"],
  [
    "one known excess beside an unknown one",
    says("Allow group ops to use keys in tenancy", UNKNOWN),
    ["in compartment id"],
  ],
  ["statements that nobody knows yet", [resource("oci:Identity/policy:Policy", { statements: UNKNOWN })], "unknown"],

  ["instances of a compartment", holds("ALL {instance.compartment.id = 'ocid1.compartment.oc1..c'}"), "pass"],
  ["by a tag", holds("tag.department.operations.value"), "pass"],
  [
    "one of two compartments",
    holds(
      "any {instance.compartment.id='ocid1.compartment.oc1..a', resource.compartment.id='ocid1.compartment.oc1..b'}",
    ),
    "pass",
  ],
  ["every instance of a type", holds("resource.type = 'cluster'"), ["matchingRule is"]],
  ["all but one compartment", holds("instance.compartment.id != 'ocid1.compartment.oc1..a'"), ["matchingRule is"]],
  ["an empty rule", holds("ALL {}"), ["a rule that names a compartment"]],
  [
    "the root compartment, in a domain's group",
    holds(
      "instance.compartment.id = 'ocid1.tenancy.oc1..t'",
      "oci:Identity/domainsDynamicResourceGroup:DomainsDynamicResourceGroup",
    ),
    ["a rule that names a compartment"],
  ],
  ["a rule that nobody knows yet", holds(UNKNOWN), "unknown"],
]);
