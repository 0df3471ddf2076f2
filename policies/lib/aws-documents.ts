import type { Field } from "./field";
import type { Resource } from "./resource";

/** What a document is for: rights of who has it, who may work as a role, or who may use a thing. */
export type DocumentKind = "rights" | "trust" | "resource";

export interface DocumentPlace {
  readonly property: string;
  readonly kind: DocumentKind;
}

/** Where resources of AWS hold IAM documents, by type. */
export const DOCUMENT_PLACES: Readonly<Record<string, DocumentPlace>> = {
  "aws:iam/policy:Policy": { property: "policy", kind: "rights" },
  "aws:iam/rolePolicy:RolePolicy": { property: "policy", kind: "rights" },
  "aws:iam/userPolicy:UserPolicy": { property: "policy", kind: "rights" },
  "aws:iam/groupPolicy:GroupPolicy": { property: "policy", kind: "rights" },
  "aws:iam/role:Role": { property: "assumeRolePolicy", kind: "trust" },
  "aws:ecr/repositoryPolicy:RepositoryPolicy": { property: "policy", kind: "resource" },
  "aws:kms/key:Key": { property: "policy", kind: "resource" },
  "aws:kms/keyPolicy:KeyPolicy": { property: "policy", kind: "resource" },
  "aws:s3/bucketPolicy:BucketPolicy": { property: "policy", kind: "resource" },
  "aws:secretsmanager/secretPolicy:SecretPolicy": { property: "policy", kind: "resource" },
  "aws:sns/topicPolicy:TopicPolicy": { property: "policy", kind: "resource" },
  "aws:sqs/queue:Queue": { property: "policy", kind: "resource" },
  "aws:sqs/queuePolicy:QueuePolicy": { property: "policy", kind: "resource" },
};

/** The document of a resource, as it holds it: as text, mostly. Undefined: such a resource has none. */
export function documentOf(resource: Resource): { readonly field: Field; readonly kind: DocumentKind } | undefined {
  const place = DOCUMENT_PLACES[resource.type];
  return place && { field: resource.props.get(place.property), kind: place.kind };
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
  return principal.text() === undefined ? principal.entries().flatMap(([, of]) => oneOrMore(of)) : [principal];
}

/** Keys of requests that say who calls, or on whose behalf (IAM User Guide, "AWS global condition context keys"). */
const CALLER = /^(aws:Principal(Arn|Account|OrgID)|aws:Source(Arn|Account|OrgID)|kms:CallerAccount)$/i;
/** Operators that hold where the key is there and equal. */
const EQUAL = /^(String(Equals|EqualsIgnoreCase|Like)|Arn(Equals|Like))$/;

/** Whether a condition binds a statement to callers that it names: every one of its values does. */
export function namesCallers(statement: Field): boolean {
  return statement
    .get("Condition")
    .entries()
    .filter(([operator]) => EQUAL.test(operator))
    .flatMap(([, keys]) => keys.entries())
    .some(
      ([key, values]) =>
        CALLER.test(key) &&
        oneOrMore(values).every((value) => value.is((it) => typeof it === "string" && !/^(arn:)?[*?:]+$/.test(it))),
    );
}
