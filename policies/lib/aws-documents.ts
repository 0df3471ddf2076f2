import type { Field } from "./field";
import type { Resource } from "./resource";
import { select } from "./rows";

/** Rights of an identity, who may assume a role, or who may use a resource. */
export type DocumentKind = "rights" | "trust" | "resource";

interface DocumentPlace {
  /** Property path; `[]` is every element of a list. */
  readonly path: string;
  readonly kind: DocumentKind;
}

const of = (kind: DocumentKind, path = "policy"): DocumentPlace[] => [{ kind, path }];

export const DOCUMENT_PLACES: Readonly<Record<string, readonly DocumentPlace[]>> = {
  "aws:iam/policy:Policy": of("rights"),
  "aws:iam/rolePolicy:RolePolicy": of("rights"),
  "aws:iam/userPolicy:UserPolicy": of("rights"),
  "aws:iam/groupPolicy:GroupPolicy": of("rights"),
  "aws:iam/role:Role": [...of("trust", "assumeRolePolicy"), ...of("rights", "inlinePolicies[].policy")],
  "aws:ssoadmin/permissionSetInlinePolicy:PermissionSetInlinePolicy": of("rights", "inlinePolicy"),
  "aws:backup/vaultPolicy:VaultPolicy": of("resource"),
  "aws:cloudwatch/eventBusPolicy:EventBusPolicy": of("resource"),
  "aws:cloudwatch/logDestinationPolicy:LogDestinationPolicy": of("resource", "accessPolicy"),
  "aws:cloudwatch/logResourcePolicy:LogResourcePolicy": of("resource", "policyDocument"),
  "aws:dynamodb/resourcePolicy:ResourcePolicy": of("resource"),
  "aws:ecr/registryPolicy:RegistryPolicy": of("resource"),
  "aws:ecr/repositoryPolicy:RepositoryPolicy": of("resource"),
  "aws:efs/fileSystemPolicy:FileSystemPolicy": of("resource"),
  "aws:kms/key:Key": of("resource"),
  "aws:kms/keyPolicy:KeyPolicy": of("resource"),
  "aws:kms/replicaKey:ReplicaKey": of("resource"),
  "aws:opensearch/domain:Domain": of("resource", "accessPolicies"),
  "aws:opensearch/domainPolicy:DomainPolicy": of("resource", "accessPolicies"),
  "aws:s3/accessPoint:AccessPoint": of("resource"),
  "aws:s3/bucket:Bucket": of("resource"),
  "aws:s3/bucketV2:BucketV2": of("resource"),
  "aws:s3/bucketPolicy:BucketPolicy": of("resource"),
  "aws:secretsmanager/secret:Secret": of("resource"),
  "aws:secretsmanager/secretPolicy:SecretPolicy": of("resource"),
  "aws:sns/topic:Topic": of("resource"),
  "aws:sns/topicPolicy:TopicPolicy": of("resource"),
  "aws:sqs/queue:Queue": of("resource"),
  "aws:sqs/queuePolicy:QueuePolicy": of("resource"),
};

export interface IamDocument {
  readonly field: Field;
  readonly kind: DocumentKind;
}

export function documentsOf({ type, props }: Resource): IamDocument[] {
  return (DOCUMENT_PLACES[type] ?? []).flatMap(({ path, kind }) =>
    select(props, path)
      .filter((field) => !field.is((value) => value === undefined || value === null || Array.isArray(value)))
      .map((field) => ({ field, kind })),
  );
}

/** Undefined where the text cannot be parsed. */
export function allowing(document: Field): Field[] | undefined {
  const text = document.text();
  const parsed = text === undefined ? document : parse(document, text);
  if (parsed === undefined) {
    return undefined;
  }
  return oneOrMore(parsed.get("Statement")).filter((statement) => !statement.get("Effect").is((it) => it === "Deny"));
}

function parse(document: Field, text: string): Field | undefined {
  try {
    return document.containing(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A list's elements, or the single value in its place. */
export function oneOrMore(field: Field): Field[] {
  if (field.is(Array.isArray)) {
    return field.items();
  }
  return field.is((value) => value === undefined) ? [] : [field];
}

/** `*`, a service or an account. */
export function principalsOf(statement: Field): Field[] {
  const principal = statement.get("Principal");
  return principal.text() === undefined ? principal.entries().flatMap(([, listed]) => oneOrMore(listed)) : [principal];
}

/** All actions of a service or of AWS. */
export const WIDE = /^[\w*?-]*:?[*?]+$/;

export function wideActions(statement: Field): Field[] {
  return oneOrMore(statement.get("Action")).filter((action) =>
    action.is((name) => typeof name === "string" && WIDE.test(name)),
  );
}

/** A whole account: its root or its number. */
const ACCOUNT = /^(arn:[\w-]+:iam::\d{12}:root|\d{12})$/;

export function accountsIn(statement: Field): Field[] {
  return principalsOf(statement).filter((principal) =>
    principal.is((arn) => typeof arn === "string" && ACCOUNT.test(arn)),
  );
}

/** Whether a statement gives whole accounts whole services: their IAM then decides. */
export function isAccountsOwn(statement: Field): boolean {
  const principals = principalsOf(statement);
  return (
    principals.length > 0 && accountsIn(statement).length === principals.length && wideActions(statement).length > 0
  );
}

/** Whether a pattern includes an action: `iam:Pa*` includes `iam:PassRole`. IAM ignores case. */
export function holdsAction(pattern: string, action: string): boolean {
  return wildcard(pattern, "i").test(action);
}

/** IAM pattern: `*` matches any text, `?` one character. */
export function wildcard(pattern: string, flags?: "i"): RegExp {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, flags);
}

interface ConditionTest {
  readonly key: string;
  readonly values: readonly Field[];
}

/** Operators that require the key to be present and equal. */
const EQUAL = /^(ForAnyValue:)?(String(Equals|EqualsIgnoreCase|Like)|Arn(Equals|Like)|IpAddress)$/i;

/** All must hold. */
function testsOf(statement: Field): ConditionTest[] {
  return statement
    .get("Condition")
    .entries()
    .filter(([operator]) => EQUAL.test(operator))
    .flatMap(([, keys]) => keys.entries())
    .map(([key, values]) => ({ key, values: oneOrMore(values) }));
}

/** Whether a test of a matching key has only values that pass `isNarrow`, or unknown ones. */
export function isBound(statement: Field, key: RegExp, isNarrow: (value: string) => boolean): boolean {
  return testsOf(statement).some(
    (test) =>
      key.test(test.key) &&
      test.values.length > 0 &&
      !test.values.some((value) => value.is((it) => typeof it !== "string" || !isNarrow(it))),
  );
}

/**
 * Keys that identify the caller, or the one it calls for (IAM User Guide, "AWS global condition
 * context keys").
 */
const CALLER = /^(aws:Principal(Arn|Account|OrgID|OrgPaths)|aws:Source(Arn|Account|OrgID|Owner)|kms:CallerAccount)$/i;
/**
 * A shared word: any principal that knows it passes (IAM User Guide, "The confused deputy
 * problem").
 */
const EXTERNAL_ID = /^sts:ExternalId$/i;

/** Whether a condition limits a statement to named callers: all its values do. */
export function namesCallers(statement: Field): boolean {
  return isBound(statement, CALLER, namesSomebody);
}

/** An external ID narrows an account's principals but identifies none. */
export function asksExternalId(statement: Field): boolean {
  return isBound(statement, EXTERNAL_ID, namesSomebody);
}

export function callersOf(statement: Field): Field[] {
  return testsOf(statement)
    .filter(({ key }) => CALLER.test(key))
    .flatMap(({ values }) => values);
}

/** An account, an organization, or an ARN with the account or a resource name. */
function namesSomebody(value: string): boolean {
  if (!value.startsWith("arn:")) {
    return !/[*?]/.test(value);
  }
  const [, , , , account = "", ...rest] = value.split(":");
  return account === "" ? /^[^*?]/.test(rest.join(":")) : /^\d{12}$/.test(account);
}
