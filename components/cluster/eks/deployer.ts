import { getCallerIdentity } from "@pulumi/aws/getCallerIdentity";
import type { Provider } from "@pulumi/aws/provider";

/** Asks the cloud as whom a deployment works: the ARN that STS knows them by. */
export type AskDeployer = () => Promise<string>;

/** Asks by a function of the provider, in previews too. Everybody may: `GetCallerIdentity` needs no rights. */
export function askAwsDeployer(provider: Provider): AskDeployer {
  return async () => (await getCallerIdentity({}, { provider })).arn;
}

/** A role or a user. Their names are unlike all others of their account, whatever path stands before them. */
interface Identity {
  readonly accountId: string;
  readonly kind: "role" | "user";
  readonly name: string;
}

/**
 * Whether somebody whom STS knows by an ARN is one of the administrators. Of a role STS tells the name and the session
 * (`arn:aws:sts::111122223333:assumed-role/Admin/ann`), not the path that an administrator's ARN may have.
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

/** Undefined for whom EKS gives no access: the account's root, and sessions that are neither a role's nor a user's. */
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
