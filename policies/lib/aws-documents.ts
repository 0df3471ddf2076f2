import type { Field } from "./field";
import type { Resource } from "./resource";
import { select } from "./rows";

/** What a document is for: rights of who has it, who may work as a role, or who may use a thing. */
export type DocumentKind = "rights" | "trust" | "resource";

interface DocumentPlace {
  /** Property path; `[]` stands for every element of a list. */
  readonly path: string;
  readonly kind: DocumentKind;
}

const of = (kind: DocumentKind, path = "policy"): DocumentPlace[] => [{ kind, path }];

/** Where resources of AWS hold IAM documents, by type. */
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

/** A document as its resource holds it: as text, mostly. */
export interface IamDocument {
  readonly field: Field;
  readonly kind: DocumentKind;
}

/** The documents that a resource holds. */
export function documentsOf({ type, props }: Resource): IamDocument[] {
  return (DOCUMENT_PLACES[type] ?? []).flatMap(({ path, kind }) =>
    select(props, path)
      .filter((field) => !field.is((value) => value === undefined || value === null || Array.isArray(value)))
      .map((field) => ({ field, kind })),
  );
}

/**
 * Statements that allow something; those that deny give no right. Undefined where the text is no document: what it allows,
 * nobody can tell.
 */
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

/** Elements of a list, or the one that stands in place of it. None where there is nothing. */
export function oneOrMore(field: Field): Field[] {
  if (field.is(Array.isArray)) {
    return field.items();
  }
  return field.is((value) => value === undefined) ? [] : [field];
}

/** Principals by whom a statement is about: everybody as `*`, a service or an account by its name. */
export function principalsOf(statement: Field): Field[] {
  const principal = statement.get("Principal");
  return principal.text() === undefined ? principal.entries().flatMap(([, listed]) => oneOrMore(listed)) : [principal];
}

/** All actions, of a service or of AWS. */
export const WIDE = /^[\w*?-]*:?[*?]+$/;

export function wideActions(statement: Field): Field[] {
  return oneOrMore(statement.get("Action")).filter((action) =>
    action.is((name) => typeof name === "string" && WIDE.test(name)),
  );
}

/** A whole account, as its root or its number. */
const ACCOUNT = /^(arn:[\w-]+:iam::\d{12}:root|\d{12})$/;

export function accountsIn(statement: Field): Field[] {
  return principalsOf(statement).filter((principal) =>
    principal.is((arn) => typeof arn === "string" && ACCOUNT.test(arn)),
  );
}

/** Whether it speaks to the accounts that own things, as their root: IAM decides there. */
export function isAccountsOwn(statement: Field): boolean {
  const principals = principalsOf(statement);
  return (
    principals.length > 0 && accountsIn(statement).length === principals.length && wideActions(statement).length > 0
  );
}

/** Whether a pattern of actions holds an action: `iam:Pa*` holds `iam:PassRole`. IAM does not tell cases apart. */
export function holdsAction(pattern: string, action: string): boolean {
  return wildcard(pattern, "i").test(action);
}

/** A pattern of IAM: `*` matches any text, `?` any one character. */
export function wildcard(pattern: string, flags?: "i"): RegExp {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`, flags);
}

/** A test that a statement's condition makes: its operator, the key of the request, and the values. */
interface ConditionTest {
  readonly key: string;
  readonly values: readonly Field[];
}

/** Operators that hold where the key is there and equal. */
const EQUAL = /^(ForAnyValue:)?(String(Equals|EqualsIgnoreCase|Like)|Arn(Equals|Like)|IpAddress)$/i;

/** What must hold for a statement to allow something: tests of equality, of which all hold. */
function testsOf(statement: Field): ConditionTest[] {
  return statement
    .get("Condition")
    .entries()
    .filter(([operator]) => EQUAL.test(operator))
    .flatMap(([, keys]) => keys.entries())
    .map(([key, values]) => ({ key, values: oneOrMore(values) }));
}

/** Whether some test of a statement is of a key, and no known value of it fails `isNarrow`. */
export function isBound(statement: Field, key: RegExp, isNarrow: (value: string) => boolean): boolean {
  return testsOf(statement).some(
    (test) =>
      key.test(test.key) &&
      test.values.length > 0 &&
      !test.values.some((value) => value.is((it) => typeof it !== "string" || !isNarrow(it))),
  );
}

/** Keys of requests that identify the caller, or on whose behalf it calls (IAM User Guide, "AWS global condition context keys"). */
const CALLER = /^(aws:Principal(Arn|Account|OrgID|OrgPaths)|aws:Source(Arn|Account|OrgID|Owner)|kms:CallerAccount)$/i;
/** A word that the caller passes: any principal that knows it may pass it (IAM User Guide, "The confused deputy problem"). */
const EXTERNAL_ID = /^sts:ExternalId$/i;

/** Whether a condition binds a statement to callers that it names: every one of its values does. */
export function namesCallers(statement: Field): boolean {
  return isBound(statement, CALLER, namesSomebody);
}

/** Whether a condition asks for an external ID, which narrows down the principals of an account but is no principal. */
export function asksExternalId(statement: Field): boolean {
  return isBound(statement, EXTERNAL_ID, namesSomebody);
}

/** Callers that a statement names by a condition. */
export function callersOf(statement: Field): Field[] {
  return testsOf(statement)
    .filter(({ key }) => CALLER.test(key))
    .flatMap(({ values }) => values);
}

/** An account, an organization, or an ARN with the account or, in its place, the name of a thing in it. */
function namesSomebody(value: string): boolean {
  if (!value.startsWith("arn:")) {
    return !/[*?]/.test(value);
  }
  const [, , , , account = "", ...rest] = value.split(":");
  return account === "" ? /^[^*?]/.test(rest.join(":")) : /^\d{12}$/.test(account);
}
