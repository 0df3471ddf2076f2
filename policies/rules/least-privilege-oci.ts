import rights from "../data/oci-rights.json";
import { isSystemNamespace } from "../lib/cluster-rights";
import type { Field } from "../lib/field";
import { type Allowance, bindsAlways, parseAllowance, parseCondition } from "../lib/oci-statements";
import { resourcePolicy } from "../lib/policy";

const POLICY = "oci:Identity/policy:Policy";
const GROUPS = [
  "oci:Identity/dynamicGroup:DynamicGroup",
  "oci:Identity/domainsDynamicResourceGroup:DomainsDynamicResourceGroup",
];

interface Excess {
  readonly found: string;
  readonly allowed: string;
}

export const leastPrivilegeOci = resourcePolicy(
  {
    name: "least-privilege-oci",
    description:
      "OCI policies grant named resource types in a compartment: nothing on all-resources, nothing on policies, groups and users, for programs nothing that runs code on machines, reads all secrets or administers clusters, nothing in the whole tenancy or across tenancies, and any-user only with a condition on who calls, which names workloads by cluster, namespace and service account; no dynamic group holds every instance or resource.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "identity"],
    remediationSteps:
      "Name the resource types that are used, the compartment that they are in, and who asks: request.principal.type, and the cluster, namespace and service account of a workload.",
  },
  (resource, report) => {
    if (resource.type === POLICY) {
      for (const field of resource.props.get("statements").items()) {
        for (const excess of statementsIn(field).flatMap(excesses)) {
          report({ resource, field, ...excess });
        }
      }
    }
    if (GROUPS.includes(resource.type)) {
      const field = resource.props.get("matchingRule");
      if (field.is((rule) => typeof rule !== "string" || !bindsAlways(parseCondition(rule), namesResources))) {
        report({ resource, field, allowed: "a rule that names a compartment, resources or a tag in every case" });
      }
    }
  },
);

/** Statements of a text, one per line. */
function statementsIn(field: Field): string[] {
  return (field.text() ?? "")
    .split(/\n(?=\s*(?:allow|endorse|admit|deny|define)\s)/i)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
}

/** Definitions and denials grant nothing. */
function excesses(statement: string): Excess[] {
  if (/^(define|deny)\s/i.test(statement)) {
    return [];
  }
  const said = `is "${statement}"`;
  if (/^(endorse|admit)\s/i.test(statement)) {
    return [{ found: said, allowed: "rights in this tenancy alone, by Allow" }];
  }
  const allowance = parseAllowance(statement);
  if (allowance === undefined) {
    return [{ found: said, allowed: "a statement such as Allow … to … in compartment id … where …" }];
  }
  return CHECKS.filter(({ isExcess }) => isExcess(allowance)).map(({ allowed }) => ({ found: said, allowed }));
}

const CHECKS: readonly { readonly isExcess: (allowance: Allowance) => boolean; readonly allowed: string }[] = [
  {
    isExcess: ({ resourceType }) => resourceType === "all-resources",
    allowed: "named resource types, such as cluster-node-pools or keys",
  },
  {
    isExcess: ({ verb, resourceType }) =>
      (/^(manage|use)$/.test(verb) && RIGHTS.includes(resourceType)) || RIGHTS_PERMISSION.test(verb),
    allowed: "nothing that changes who has which rights: policies, groups, users and their credentials",
  },
  {
    isExcess: (allowance) => powerOf(allowance) !== undefined,
    allowed:
      "for programs nothing that runs code on machines, reads all secrets or administers clusters, other than on a target that a condition names",
  },
  {
    // A tenancy's OCID is its root compartment, with everything in it.
    isExcess: ({ location }) => /^(tenancy$|compartment (id )?ocid1\.tenancy\.)/i.test(location),
    allowed: "in compartment id …, of the compartment that everything is made in",
  },
  {
    isExcess: ({ subject, condition }) => /^any-(user|group)$/i.test(subject) && !namesCallers(condition),
    allowed:
      "any-user where request.principal.type = 'cluster' or 'nodepool', or where a cluster, namespace and service account are named, in every case that the condition allows",
  },
];

/**
 * Managing these grants all rights. Keys, tokens and secrets of users belong to `users`;
 * `credentials` are for mail. Source: docs.oracle.com, Policy Reference, "Details for IAM with
 * Identity Domains" and "… without Identity Domains" (the last three), read 2026-11-28. Without
 * `tag-namespaces`, which setting a tag needs.
 */
const RIGHTS = [
  "authentication-policies",
  "compartments",
  "credentials",
  "domains",
  "dynamic-groups",
  "groups",
  "identity-providers",
  "network-sources",
  "policies",
  "tag-defaults",
  "tenancies",
  "users",
  "domain",
  "group-memberships",
  "oauth2-clients",
];
/** Their permissions, except read-only ones. */
const RIGHTS_PERMISSION =
  /[{,\s](AUTHENTICATION_POLICY|COMPARTMENT|CREDENTIAL|DOMAIN|DYNAMIC_GROUP|GROUP|IDENTITY_PROVIDER|NETWORK_SOURCE|POLICY|TAG_DEFAULT|TENANCY|USER)_(?!(\w+_)?(INSPECT|READ)\b)/i;

/**
 * Starting or entering a machine, or writing a function, grants its rights. Exempt: groups of
 * people, which have administrators; a condition on one resource, except a compartment, which holds
 * many; programs in the cluster's namespaces, such as its autoscaler, which control the nodes
 * anyway.
 */
function powerOf({ subject, verb, resourceType, condition }: Allowance): string | undefined {
  const isBound = bindsAlways(
    condition,
    ({ variable, value }) =>
      (/^target\..*(id|name)$/.test(variable) && !/\bcompartment\.(id|name)$/.test(variable)) ||
      (variable === "request.principal.namespace" && isSystemNamespace(value)),
  );
  if (/^group\s/i.test(subject) || isBound) {
    return undefined;
  }
  const power = POWERS.find(
    ({ verbs, resourceTypes, permissions }) =>
      (verbs.includes(verb) && resourceTypes.includes(resourceType)) ||
      (verb.startsWith("{") && verb.split(/[{},\s]+/).some((name) => permissions.includes(name.toUpperCase()))),
  );
  return power?.leads;
}

const POWERS = rights.powers;

/** Principals of OKE itself. */
const OKE_PRINCIPALS = /^(cluster|nodepool)$/i;
/** What identifies one workload of a tenancy. */
const WORKLOAD = ["cluster_id", "namespace", "service_account"].map((name) => `request.principal.${name}`);
/** Variables that identify the caller; a type alone covers all of its kind. */
const PRINCIPAL =
  /^request\.(principal\.(?!type$|cluster_id$|namespace$|service_account$)|(user|groups|instance|service)\.)/;

function namesCallers(condition: Allowance["condition"]): boolean {
  return (
    bindsAlways(condition, ({ variable }) => PRINCIPAL.test(variable)) ||
    bindsAlways(
      condition,
      ({ variable, value }) => variable === "request.principal.type" && OKE_PRINCIPALS.test(value),
    ) ||
    WORKLOAD.every((name) => bindsAlways(condition, ({ variable }) => variable === name))
  );
}

/** Matching rule variables that limit resources. A type alone covers the whole tenancy. */
function namesResources({ variable, value }: { readonly variable: string; readonly value: string }): boolean {
  const isCompartment = /\.compartment\.id$/.test(variable);
  return (
    (isCompartment && !value.startsWith("ocid1.tenancy.")) || /^(instance|resource)\.id$|^tag\.|\.tag\./.test(variable)
  );
}
