import resources from "../data/aws-resources.json";
import { wildcard } from "./aws-documents";

const ARNS: Readonly<Record<string, readonly string[]>> = resources.arns;
/** Two names that share no character: a pattern that matches both names neither. */
const NAMES = ["zjxqzjxqzjxq7408", "kvwykvwykvwykvwy31625"] as const;

/**
 * Whether a pattern of ARNs matches resources of any name, of some type that guarded actions of a service are used on.
 * `*` and `?` match colons and slashes too, as in IAM (IAM User Guide, "IAM JSON policy elements: Resource"), so that
 * samples are matched as a whole. Partition, region and account do not tell resources apart: samples take the pattern's.
 *
 * @param service of the action, as in `iam:PutRolePolicy`
 */
export function matchesAnyName(pattern: string, service: string): boolean {
  const expression = wildcard(pattern);
  return [...(ARNS[service] ?? []), `arn:{partition}:${service}:{region}:{account}:{name}`].some((arn) =>
    placesOf(pattern).some((place) => NAMES.every((name) => expression.test(place(arn).replaceAll("{name}", name)))),
  );
}

/** Ways to fill in the partition, region and account: sample values, or what the pattern's own segments hold. */
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
