import encryption from "../data/encryption.json";
import { hasCompanion, S3_BUCKETS } from "../lib/buckets";
import { STAGE_SCHEMA, type StageConfig, stageOf } from "../lib/plan";
import { stackPolicy } from "../lib/policy";
import type { Resource } from "../lib/resource";
import { select } from "../lib/rows";

interface Requirement {
  readonly type: string;
  /** Property path; `[]` is every element of a list. */
  readonly path: string;
  readonly requires: string;
  readonly onlyIf?: { readonly path: string; readonly pattern: string };
}

const REQUIREMENTS: readonly Requirement[] = encryption.requirements;
const S3_ENCRYPTION = "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration";

export const encryptionAtRest = stackPolicy<StageConfig>(
  {
    name: "encryption-at-rest",
    description: "Volumes, buckets, databases and cluster secrets are encrypted; in production with a key of our own.",
    severity: "critical",
    enforcementLevel: "mandatory",
    tags: ["encryption", "storage"],
    configSchema: STAGE_SCHEMA,
    remediationSteps: "Turn encryption on, and pass the environment's KMS key.",
  },
  (resources, report, config) => {
    const isProduction = stageOf(resources, config.stage) === "production";
    const requirements = REQUIREMENTS.filter(({ requires }) => isProduction || requires === "encryption");
    for (const resource of resources) {
      for (const { path, requires } of requirements.filter((requirement) => applies(requirement, resource))) {
        for (const field of select(resource.props, path)) {
          if (requires === "encryption" && field.is((value) => value !== true && value !== "true")) {
            report({ resource, field, allowed: "true" });
          }
          if (requires === "own key" && field.is((value) => value === undefined || value === null || value === "")) {
            report({ resource, field, allowed: "the id of a KMS key" });
          }
        }
      }
      if (isProduction && S3_BUCKETS.includes(resource.type) && !hasCompanion(resource, S3_ENCRYPTION, resources)) {
        report({
          resource,
          field: resource.props.get("bucket"),
          found: "has no encryption configuration",
          allowed: `a ${S3_ENCRYPTION} with a KMS key`,
        });
      }
    }
  },
);

function applies({ type, onlyIf }: Requirement, resource: Resource): boolean {
  return (
    resource.type === type &&
    (!onlyIf ||
      resource.props.get(...onlyIf.path.split(".")).is((value) => new RegExp(onlyIf.pattern).test(String(value))))
  );
}
