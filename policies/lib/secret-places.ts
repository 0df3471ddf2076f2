import { askedOnce } from "./asked-once";
import type { Field } from "./field";
import { HELM_CHART, type Resource } from "./resource";
import { select } from "./rows";

/**
 * Outside Kubernetes, by type; `[]` is every element of a list. Each may hold a Pulumi secret,
 * which only offline runs report: they are judged there.
 */
const PLACES: readonly (readonly [type: RegExp, paths: readonly string[]])[] = [
  [HELM_CHART, ["repositoryOpts"]],
  [/^pulumi:providers:/, [""]],
  [/^command:(local|remote):/, [""]],
  [/^aws:ec2\/(launchTemplate|launchConfiguration|instance|spotInstanceRequest):/, ["userData", "userDataBase64"]],
  [/^oci:ContainerEngine\/nodePool:/, ["nodeMetadata"]],
  [/^oci:Core\/instance:/, ["metadata", "extendedMetadata"]],
  [
    /^oci:Core\/instanceConfiguration:/,
    ["instanceDetails.launchDetails.metadata", "instanceDetails.launchDetails.extendedMetadata"],
  ],
  [/^oci:ContainerEngine\/addon:/, ["configurations"]],
  [/^aws:eks\/addon:/, ["configurationValues"]],
  [/^aws:(ssm\/parameter|secretsmanager\/secretVersion):/, ["value", "secretString"]],
  [/^aws:lambda\/function:/, ["environment"]],
  [/^aws:(rds\/(instance|cluster)|docdb\/cluster|redshift\/cluster):/, ["password", "masterPassword"]],
  [/^aws:elasticache\/replicationGroup:/, ["authToken"]],
  [/^oci:(Database|Mysql|Psql)\//, ["adminPassword", "credentials"]],
];

/** The property is the secret itself, whatever its name. */
const WHOLE = /^aws:(ssm\/parameter|secretsmanager\/secretVersion):/;

export interface SecretPlace {
  readonly field: Field;
  /** The property is a secret by purpose. */
  readonly isNamed: boolean;
}

export function secretPlaces(resource: Resource): SecretPlace[] {
  const { type, props, secretInputs } = resource;
  if (secretInputs === undefined) {
    return [];
  }
  return pathsOn(type)
    .flatMap((path) => (path === "" ? props.entries().map(([, field]) => field) : select(props, path)))
    .filter((field) => !secretInputs.includes(topOf(field)) && field.is((value) => value !== undefined))
    .map((field) => ({ field, isNamed: WHOLE.test(type) && props.get("type").value !== "String" }));
}

const pathsOn = askedOnce((type) => PLACES.flatMap(([pattern, paths]) => (pattern.test(type) ? paths : [])));

function topOf({ path }: Field): string {
  return path.replace(/[.[].*$/, "");
}
