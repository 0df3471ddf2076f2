import { allowing, callersOf, documentsOf, isAccountsOwn, principalsOf } from "../lib/aws-documents";
import { type Field, holdsUnknown, isObject } from "../lib/field";
import { type Finding, stackPolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";
import { broken, isTrue, type Row } from "../lib/rows";

interface Config {
  readonly trustedAccounts: readonly string[];
}

/** AWS properties that name an account or principal with access, or a destination. */
const OPENED_TO =
  /^((peerOwner|registry|account|awsAccount|destinationAccount|sourceAccount)(Ids?|s)?|sharedAccounts|((granteeP|retiringP|allowedP|p)rincipals?)(Arns?)?)$/;

const SHARED: readonly Row[] = [
  {
    on: ["aws:ram/resourceShare:ResourceShare"],
    path: "allowExternalPrincipals",
    isWrong: isTrue,
    allowed: "false: shares within the organization",
  },
];

export const knownAccounts = stackPolicy<Config>(
  {
    name: "known-accounts",
    description:
      "Nothing of a stack on AWS is opened to another account: principals of documents, grants, shares and peerings are of the account that the stack's own ARNs name, or of one that is listed as trusted.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["isolation", "identity"],
    configSchema: {
      properties: {
        trustedAccounts: {
          type: "array",
          items: { type: "string" },
          default: [],
          description: "Numbers of other accounts of AWS whose principals may be named.",
        },
      },
    },
    remediationSteps:
      "Name principals of the stack's own account; list a partner's account under trustedAccounts of this policy (--policy-pack-config).",
  },
  (resources, report, { trustedAccounts }) => {
    const ofAws = resources.filter(({ type }) => type.startsWith("aws:"));
    const byArn = new Set(ofAws.flatMap(accountsOfThings));
    const own = byArn.size > 0 ? byArn : new Set(ofAws.flatMap(decidingAccounts));
    const callers = ofAws.flatMap((resource) =>
      principals(resource).flatMap((field) => {
        const account = accountOf(field.text());
        return account === undefined ? [] : [{ resource, field, account }];
      }),
    );
    const strangers = callers.filter(({ account }) => !own.has(account) && !trustedAccounts.includes(account));
    if (own.size > 0) {
      for (const { resource, field, account } of strangers) {
        report({
          resource,
          field,
          found: `is of the account ${account}`,
          allowed: `${[...own, ...trustedAccounts].join(", ")}; add other accounts to trustedAccounts`,
        });
      }
    } else if (new Set(strangers.map(({ account }) => account)).size > 1 || ofAws.some(isPartlyUnknown)) {
      // With a single account that nothing else names, it is taken for the stack's.
      strangers[0]?.field.cannotTell("the stack's own account of AWS");
    }
    for (const finding of ofAws.flatMap(nameless)) {
      report(finding);
    }
    for (const resource of ofAws) {
      for (const finding of broken(SHARED, resource)) {
        report({ resource, ...finding });
      }
    }
  },
);

function isPartlyUnknown({ props }: Resource): boolean {
  return holdsUnknown(props.value);
}

function principals(resource: Resource): Field[] {
  const statements = documentsOf(resource)
    .filter(({ kind }) => kind !== "rights")
    .flatMap(({ field }) => allowing(field) ?? []);
  return [
    ...openedTo(resource),
    ...statements.flatMap((statement) => [...principalsOf(statement), ...callersOf(statement)]),
  ];
}

function openedTo({ props }: Resource): Field[] {
  return named("", props);
}

function named(key: string, field: Field): Field[] {
  const { value } = field;
  if (Array.isArray(value)) {
    return field.items().flatMap((item) => named(key, item));
  }
  return isObject(value)
    ? field.entries().flatMap(([name, child]) => named(name, child))
    : OPENED_TO.test(key)
      ? [field]
      : [];
}

/** Everyone, and users without an account. */
function nameless(resource: Resource): Finding[] {
  const users = documentsOf(resource)
    .filter(({ kind }) => kind !== "rights")
    .flatMap(({ field }) => allowing(field) ?? [])
    .map((statement) => statement.get("Principal", "CanonicalUser"))
    .filter((field) => field.is((value) => value !== undefined));
  const everybody = openedTo(resource).filter((field) => field.is((value) => value === "*" || value === "all"));
  return [...users, ...everybody].map((field) => ({ resource, field, allowed: "principals by an account's number" }));
}

const ARN = /^arn:[\w-]+:[\w-]*:[\w-]*:(\d{12}):/;

function accountOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (ARN.exec(text)?.[1] ?? /^\d{12}$/.exec(text)?.[0]);
}

/** From ARNs outside documents and grants: the stack's own. */
function accountsOfThings(resource: Resource): string[] {
  const apart = [...documentsOf(resource).map(({ field }) => field), ...openedTo(resource)].map(({ path }) => path);
  return textsIn(resource.props, apart).flatMap((text) => ARN.exec(text)?.[1] ?? []);
}

function textsIn(field: Field, apart: readonly string[]): string[] {
  if (apart.includes(field.path)) {
    return [];
  }
  const { value } = field;
  if (typeof value === "string") {
    return [value];
  }
  const below = Array.isArray(value) ? field.items() : isObject(value) ? field.entries().map(([, child]) => child) : [];
  return below.flatMap((child) => textsIn(child, apart));
}

/** IAM of the owner's account decides. */
function decidingAccounts(resource: Resource): string[] {
  return documentsOf(resource)
    .filter(({ kind }) => kind === "resource")
    .flatMap(({ field }) => allowing(field) ?? [])
    .filter(isAccountsOwn)
    .flatMap(principalsOf)
    .flatMap((principal) => accountOf(principal.text()) ?? []);
}
