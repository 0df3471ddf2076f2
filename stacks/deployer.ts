import { type AskDeployer, identityOf, isAdministrator } from "../components/cluster/eks/deployer";
import type { CoreConfig } from "./config/core/schema";

/** The deployer lacks rights in the cluster; the message has the fix. Nothing was created. */
export class DeployerRefusedError extends Error {}

/**
 * The deployer creates platform objects, but EKS admits only administrators. Checked first, as a
 * cluster takes ten minutes. Stacks with the cluster only need no rights.
 *
 * @param ask undefined where no cluster is created in AWS.
 * @returns advice.
 * @throws DeployerRefusedError
 */
export async function checkDeployer(
  { environment: { cluster, scope } }: { readonly environment: Pick<CoreConfig, "cluster" | "scope"> },
  ask: AskDeployer | undefined,
): Promise<readonly string[]> {
  const eks = cluster.kind === "aws" && cluster.provision === "create" && scope === "all" ? cluster.eks : undefined;
  if (eks === undefined || ask === undefined) {
    return [];
  }
  try {
    const arn = await ask();
    const remedy = administratorRefusal(arn, eks.administrators);
    if (remedy !== undefined) {
      throw new DeployerRefusedError(refusal(arn, eks.administrators, remedy));
    }
    return [];
  } catch (error) {
    if (error instanceof DeployerRefusedError) {
      throw error;
    }
    return [`the cloud did not say who deploys, whether they get into the cluster shows once it is there: ${error}`];
  }
}

/**
 * Fix for access; undefined for administrators.
 *
 * @param arn from STS.
 */
export function administratorRefusal(arn: string, administrators: readonly string[]): string | undefined {
  if (isAdministrator(arn, administrators)) {
    return undefined;
  }
  const identity = identityOf(arn);
  if (identity === undefined) {
    return "deploy as a role or a user: EKS gives access to no others";
  }
  return identity.kind === "role"
    ? `add the ARN of the role (aws iam get-role --role-name ${identity.name} --query Role.Arn)`
    : `add ${arn}`;
}

function refusal(arn: string, administrators: readonly string[], remedy: string): string {
  return [
    `${arn} deploys, and is no administrator of the cluster: it could make nothing there`,
    `  cluster.eks.administrators: ${administrators.join(", ")}`,
    `  ${remedy}, or deploy as one of these.`,
  ].join("\n");
}
