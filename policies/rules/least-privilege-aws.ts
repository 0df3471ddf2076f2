import { allowing, type DocumentKind, documentOf, namesCallers, oneOrMore, principalsOf } from "../lib/aws-documents";
import type { Field } from "../lib/field";
import { resourcePolicy } from "../lib/policy";

const ATTACHMENTS = [
  "aws:iam/groupPolicyAttachment:GroupPolicyAttachment",
  "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
  "aws:iam/userPolicyAttachment:UserPolicyAttachment",
];
/** Policies of Amazon's that give all rights, or the right to take them. */
const EVERYTHING = /:policy\/(AdministratorAccess|IAMFullAccess|PowerUserAccess)$/;

interface Excess {
  readonly field: Field;
  readonly allowed: string;
}

export const leastPrivilegeAws = resourcePolicy(
  {
    name: "least-privilege-aws",
    description:
      "IAM documents on AWS grant named actions: none grants all actions of AWS or of a service, or all but some; nobody is trusted by everybody's principal without a condition on who calls; a role is passed by its name to a named service; no administrator policy is attached.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "identity"],
    remediationSteps:
      "Name the actions that are used, the ARNs that they are used on, and who calls; give iam:PassRole the role's ARN and the condition iam:PassedToService.",
  },
  (resource, report) => {
    if (ATTACHMENTS.includes(resource.type)) {
      const field = resource.props.get("policyArn");
      if (field.is((arn) => typeof arn === "string" && EVERYTHING.test(arn))) {
        report({ resource, field, allowed: "a policy with the rights that are used" });
      }
    }
    const document = documentOf(resource);
    if (document === undefined || document.field.is((value) => value === undefined)) {
      return;
    }
    const statements = allowing(document.field);
    if (statements === undefined) {
      report({ resource, field: document.field, found: "is no JSON", allowed: "an IAM document" });
    }
    for (const statement of statements ?? []) {
      for (const excess of excesses(statement, document.kind)) {
        report({ resource, ...excess });
      }
    }
  },
);

/** What a statement that allows grants too much. */
function excesses(statement: Field, kind: DocumentKind): Excess[] {
  return [
    ...(["NotAction", "NotPrincipal"] as const)
      .map((key) => statement.get(key))
      .filter((field) => field.is((value) => value !== undefined))
      .map((field) => ({ field, allowed: "what is allowed, by name" })),
    // A resource's policy that lets its own account decide by IAM says so by all actions of the resource's service.
    ...(kind === "resource" && isAccountsOwn(statement) ? [] : wideActions(statement)),
    ...(namesCallers(statement) ? [] : anybodys(statement)),
    ...(kind === "rights" ? looselyPassed(statement) : []),
  ];
}

function wideActions(statement: Field): Excess[] {
  return oneOrMore(statement.get("Action"))
    .filter((action) => action.is((name) => typeof name === "string" && /^[\w*-]*:?[*?]+$/.test(name)))
    .map((field) => ({ field, allowed: "actions by name" }));
}

/** Whether it speaks to the accounts that own things, as their root: IAM decides there. */
function isAccountsOwn(statement: Field): boolean {
  const principals = principalsOf(statement);
  return (
    principals.length > 0 &&
    principals.every((principal) =>
      principal.is((arn) => typeof arn === "string" && /^arn:[\w-]+:iam::\d{12}:root$/.test(arn)),
    )
  );
}

function anybodys(statement: Field): Excess[] {
  return principalsOf(statement)
    .filter((principal) => principal.is((name) => name === "*"))
    .map((field) => ({ field, allowed: "a principal by name, or a condition on aws:PrincipalArn or aws:SourceArn" }));
}

/** Whoever passes a role gets its rights. */
function looselyPassed(statement: Field): Excess[] {
  const passes = oneOrMore(statement.get("Action")).some((action) =>
    action.is((name) => typeof name === "string" && /^iam:(PassRole|Pass\*|P\*|\*)$/i.test(name)),
  );
  if (!passes) {
    return [];
  }
  const roles = oneOrMore(statement.get("Resource"))
    .filter((resource) => resource.is((arn) => typeof arn === "string" && arn.includes("*")))
    .map((field) => ({ field, allowed: "the ARN of a role" }));
  const service = statement.get("Condition", "StringEquals", "iam:PassedToService");
  return service.is((value) => value === undefined)
    ? [...roles, { field: service, allowed: "the service that the role is for, in StringEquals" }]
    : roles;
}
