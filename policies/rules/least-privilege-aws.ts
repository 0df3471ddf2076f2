import rights from "../data/aws-rights.json";
import {
  accountsIn,
  allowing,
  asksExternalId,
  type DocumentKind,
  documentsOf,
  holdsAction,
  isAccountsOwn,
  isBound,
  namesCallers,
  oneOrMore,
  principalsOf,
  WIDE,
  wideActions,
} from "../lib/aws-documents";
import { AWS_ADMINISTRATION } from "../lib/aws-managed-policies";
import { matchesAnyName } from "../lib/aws-resource-patterns";
import type { Field } from "../lib/field";
import { resourcePolicy } from "../lib/policy";
import { broken } from "../lib/rows";

interface Excess {
  readonly field: Field;
  readonly found?: string;
  readonly allowed: string;
}

export const leastPrivilegeAws = resourcePolicy(
  {
    name: "least-privilege-aws",
    description:
      "IAM documents on AWS grant named actions: none grants all actions of AWS or of a service, or all but some, nor what leads to further rights, secrets or keys on every resource; no role trusts every principal or a whole account without a condition on who calls, nor by an identity provider without one on the subject; a role is passed by its name to a named service; no administrator policy is attached.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "identity"],
    remediationSteps:
      "Name the actions that are used, the ARNs that they are used on, and who calls; give iam:PassRole the role's ARN and the condition iam:PassedToService.",
  },
  (resource, report) => {
    for (const finding of broken(AWS_ADMINISTRATION, resource)) {
      report({ resource, ...finding });
    }
    for (const { field, kind } of documentsOf(resource)) {
      const statements = allowing(field);
      if (statements === undefined) {
        report({ resource, field, found: "is no JSON", allowed: "an IAM document" });
        continue;
      }
      const excesses = [
        ...statements.flatMap((statement) => excessesOf(statement, kind)),
        ...(kind === "resource" ? severalOwners(statements) : []),
      ];
      for (const excess of excesses) {
        report({ resource, ...excess });
      }
    }
  },
);

function excessesOf(statement: Field, kind: DocumentKind): Excess[] {
  const negations = kind === "rights" ? ["NotAction", "NotPrincipal", "NotResource"] : ["NotAction", "NotPrincipal"];
  return [
    ...negations
      .map((key) => statement.get(key))
      .filter((field) => field.is((value) => value !== undefined))
      .map((field) => ({ field, allowed: "what is allowed, by name" })),
    // A resource policy delegates to its account's IAM by all actions of the service.
    ...(kind === "resource" && isAccountsOwn(statement) ? [] : wideActions(statement)).map((field) => ({
      field,
      allowed: "actions by name",
    })),
    ...(namesCallers(statement) ? [] : anybodys(statement)),
    ...(namesCallers(statement) || asksExternalId(statement) ? [] : wholeAccounts(statement, kind)),
    ...(kind === "rights" ? [...looselyPassed(statement), ...onEverything(statement)] : []),
    ...(kind === "trust" ? anySubject(statement) : []),
  ];
}

function textsOf(field: Field): string[] {
  return oneOrMore(field).flatMap((item) => item.text() ?? []);
}

/** A resource has one owner: any other account with all actions is foreign. */
function severalOwners(statements: readonly Field[]): Excess[] {
  const owners = statements.filter(isAccountsOwn).flatMap(accountsIn);
  return owners
    .filter(({ value }) => value !== owners[0]?.value)
    .map((field) => ({ field, allowed: "only the owner's account as principal, limited by IAM" }));
}

function anybodys(statement: Field): Excess[] {
  return principalsOf(statement)
    .filter((principal) =>
      principal.is((name) => typeof name === "string" && /^[*?]+$|^arn:[^:]*:iam::[*?]/.test(name)),
    )
    .map((field) => ({ field, allowed: "a principal by name, or a condition on aws:PrincipalArn or aws:SourceArn" }));
}

function wholeAccounts(statement: Field, kind: DocumentKind): Excess[] {
  return kind === "resource" && isAccountsOwn(statement)
    ? []
    : accountsIn(statement).map((field) => ({
        field,
        allowed:
          "a role by its ARN, or a condition on aws:PrincipalArn or sts:ExternalId: a whole account is everybody in it",
      }));
}

/** Passing a role grants its rights. */
function looselyPassed(statement: Field): Excess[] {
  const names = textsOf(statement.get("Action")).filter((name) => !WIDE.test(name) || /^iam:/i.test(name));
  if (!names.some((name) => holdsAction(name, "iam:PassRole"))) {
    return [];
  }
  const roles = oneOrMore(statement.get("Resource"))
    .filter((resource) => resource.is((arn) => typeof arn === "string" && /[*?]/.test(arn)))
    .map((field) => ({ field, allowed: "the ARN of a role" }));
  const service = statement.get("Condition", "StringEquals", "iam:PassedToService");
  return service.is((value) => value === undefined)
    ? [...roles, { field: service, allowed: "the service that the role is for, in StringEquals" }]
    : roles;
}

const POWERS = Object.entries(rights.onEverything);
/**
 * Condition keys that restrict a resource or its use. Its account (all own resources) and the
 * caller's tag do not.
 */
const RESTRICTING = new RegExp(rights.restrictingKeys, "i");
const saysSomething = (value: string) => /[^*?]/.test(value);
/** Actions that lead to all rights, on every resource. */
function onEverything(statement: Field): Excess[] {
  const patterns = textsOf(statement.get("Resource")).filter((arn) => /[*?]/.test(arn));
  if (patterns.length === 0 || isBound(statement, RESTRICTING, saysSomething) || isForAws(statement)) {
    return [];
  }
  return oneOrMore(statement.get("Action")).flatMap((field): Excess[] => {
    const name = field.text();
    // Wider patterns are reported as such.
    if (name === undefined || WIDE.test(name)) {
      return [];
    }
    const power = POWERS.find(([, actions]) =>
      actions.some(
        (action) => holdsAction(name, action) && patterns.some((arn) => matchesAnyName(arn, serviceOf(action))),
      ),
    );
    return power === undefined
      ? []
      : [
          {
            field,
            found: `is "${name}" on every resource, which ${power[0]}`,
            allowed: "the ARNs that it is used on, or a condition on their tags",
          },
        ];
  });
}

const serviceOf = (action: string) => action.slice(0, action.indexOf(":"));

/** Grants that AWS services need for what they create. */
function isForAws(statement: Field): boolean {
  return statement.get("Condition", "Bool", "kms:GrantIsForAWSResource").is((value) => String(value) === "true");
}

/** Identity providers have many subjects: a condition must name them. */
function anySubject(statement: Field): Excess[] {
  const actions = textsOf(statement.get("Action"));
  const byToken = actions.some((name) => holdsAction(name, "sts:AssumeRoleWithWebIdentity"));
  const bySaml = actions.some((name) => holdsAction(name, "sts:AssumeRoleWithSAML"));
  const isNamed =
    (!byToken || isBound(statement, /:(sub|amr)$/i, isSubject)) && (!bySaml || isBound(statement, /^SAML:/i, isNarrow));
  const field = statement.get("Condition");
  return isNamed || !field.is(() => true)
    ? []
    : [
        {
          field,
          allowed: "the subject in StringEquals, such as <issuer>:sub: system:serviceaccount:<namespace>:<name>",
        },
      ];
}

const isNarrow = (value: string) => !/[*?]/.test(value);

/**
 * A subject with its first parts: `system:serviceaccount:<namespace>:<name>`,
 * `repo:<owner>/<name>:…`.
 */
function isSubject(value: string): boolean {
  const parts = value.split(":");
  return parts.slice(0, parts[0] === "system" ? 4 : 2).every((part) => part !== "" && isNarrow(part));
}
