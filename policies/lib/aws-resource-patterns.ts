import resources from "../data/aws-resources.json";
import { wildcard } from "./aws-documents";

const ARNS: Readonly<Record<string, readonly string[]>> = resources.arns;
/** Two names without a common character: a pattern that matches both matches any name. */
const NAMES = ["zjxqzjxqzjxq7408", "kvwykvwykvwykvwy31625"] as const;

/**
 * Whether a pattern of ARNs matches resources of any name, of a type that guarded actions of a
 * service are used on. `*` and `?` match colons and slashes too (IAM User Guide, "IAM JSON policy
 * elements: Resource"), so that whole samples are matched. Samples take partition, region and
 * account from the pattern.
 *
 * @param service of the action, as in `iam:PutRolePolicy`
 */
export function matchesAnyName(pattern: string, service: string): boolean {
  const expression = wildcard(pattern);
  return [...(ARNS[service] ?? []), `arn:{partition}:${service}:{region}:{account}:{name}`].some((arn) =>
    placesOf(pattern).some((place) => NAMES.every((name) => expression.test(place(arn).replaceAll("{name}", name)))),
  );
}

/** Samples, or the pattern's own segments, for partition, region and account. */
function placesOf(pattern: string): ((arn: string) => string)[] {
  const [, partition = "", , region = "", account = ""] = pattern.split(":");
  const choices = (segment: string, sample: string) => [
    ...new Set([segment.replace(/\*/g, "").replace(/\?/g, "1"), sample]),
  ];
  return choices(partition, "aws").flatMap((ofPartition) =>
    choices(region, "eu-west-1").flatMap((ofRegion) =>
      choices(account, "111122223333").map(
        (ofAccount) => (arn: string) =>
          arn.replace("{partition}", ofPartition).replace("{region}", ofRegion).replace("{account}", ofAccount),
      ),
    ),
  );
}
