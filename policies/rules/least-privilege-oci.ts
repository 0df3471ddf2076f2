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
      "OCI policies grant named resource types in a compartment: nothing on all-resources, nothing in the whole tenancy or across tenancies, and any-user only with a condition on who calls; no dynamic group holds every instance or resource.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "identity"],
    remediationSteps:
      "Name the resource types that are used, the compartment that they are in, and who asks: request.principal.type, and the cluster, namespace and service account of a workload.",
  },
  (resource, report) => {
    if (resource.type === POLICY) {
      for (const field of resource.props.get("statements").items()) {
        for (const excess of excesses(field)) {
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

/** What a statement grants too much. Definitions of names grant nothing. */
function excesses(field: Field): Excess[] {
  const statement = field.text()?.trim();
  if (statement === undefined || /^define\s/i.test(statement)) {
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
    // The OCID of a tenancy stands for its root compartment, with all that is in it.
    isExcess: ({ location }) => /^(tenancy$|compartment (id )?ocid1\.tenancy\.)/i.test(location),
    allowed: "in compartment id …, of the compartment that everything is made in",
  },
  {
    isExcess: ({ subject, condition }) =>
      /^any-(user|group)$/i.test(subject) && !bindsAlways(condition, ({ variable }) => PRINCIPAL.test(variable)),
    allowed: "any-user where request.principal.type = '…', in every case that the condition allows",
  },
];

/** Variables that say who calls. */
const PRINCIPAL = /^request\.(principal|user|groups|instance|service)\./;

/** Variables of matching rules that say which resources are in. Their type alone leaves those of the whole tenancy. */
function namesResources({ variable, value }: { readonly variable: string; readonly value: string }): boolean {
  const isCompartment = /\.compartment\.id$/.test(variable);
  return (
    (isCompartment && !value.startsWith("ocid1.tenancy.")) || /^(instance|resource)\.id$|^tag\.|\.tag\./.test(variable)
  );
}
