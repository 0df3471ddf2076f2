import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import type { Provider } from "@pulumi/aws/provider";

/** Returns the ARN of the deployer's identity in STS. */
export type AskDeployer = () => Promise<string>;

/** Uses a provider function, in previews too. `GetCallerIdentity` needs no permissions. */
export function askAwsDeployer(provider: Provider): AskDeployer {
  return async () => (await getCallerIdentity({}, { provider })).arn;
}

/** A role or user. Names are unique in an account, regardless of path. */
interface Identity {
  readonly accountId: string;
  readonly kind: "role" | "user";
  readonly name: string;
}

/**
 * Whether an STS ARN is an administrator. For roles STS returns name and session
 * (`arn:aws:sts::111122223333:assumed-role/Admin/ann`) without path.
 */
export function isAdministrator(callerArn: string, administrators: readonly string[]): boolean {
  const caller = identityOf(callerArn);
  return (
    caller !== undefined &&
    administrators.some((arn) => {
      const identity = identityOf(arn);
      return identity?.accountId === caller.accountId && identity.kind === caller.kind && identity.name === caller.name;
    })
  );
}

/** Undefined for identities that EKS cannot admit: the root user, and other sessions. */
export function identityOf(arn: string): Identity | undefined {
  const [, , service, , accountId = "", resource = ""] = arn.split(":");
  const [kind, ...path] = resource.split("/");
  const of = (found: Identity["kind"], name: string | undefined) =>
    name === undefined || name === "" ? undefined : { accountId, kind: found, name };
  switch (`${service}:${kind}`) {
    case "sts:assumed-role":
      return of("role", path[0]);
    case "iam:role":
      return of("role", path.at(-1));
    case "iam:user":
      return of("user", path.at(-1));
    default:
      return undefined;
  }
}
