import { type AskDeployer, identityOf, isAdministrator } from "../components/cluster/eks/deployer";
import type { CoreConfig } from "./config/core/schema";

/** Who deploys could make nothing in the cluster; the message says what to write. Nothing was created. */
export class DeployerRefusedError extends Error {}

/**
 * Whoever deploys makes the platform's objects, and EKS lets in the administrators alone, whoever made the cluster. Asked
 * before anything is made: a cluster takes ten minutes. A stack of the cluster alone makes no objects in it.
 *
 * @returns what deserves a look all the same.
 * @throws DeployerRefusedError
 */
export async function checkDeployer(
  { environment: { cluster, scope } }: { readonly environment: Pick<CoreConfig, "cluster" | "scope"> },
  ask: AskDeployer,
): Promise<readonly string[]> {
  const eks = cluster.kind === "aws" && cluster.provision === "create" && scope === "all" ? cluster.eks : undefined;
  if (eks === undefined) {
    return [];
  }
  try {
    const arn = await ask(eks);
    if (!isAdministrator(arn, eks.administrators)) {
      throw new DeployerRefusedError(refusal(arn, eks.administrators));
    }
    return [];
  } catch (error) {
    if (error instanceof DeployerRefusedError) {
      throw error;
    }
    return [`the cloud did not say who deploys, whether they get into the cluster shows once it is there: ${error}`];
  }
}

function refusal(arn: string, administrators: readonly string[]): string {
  const identity = identityOf(arn);
  const own =
    identity === undefined
      ? "deploy as a role or a user: EKS gives access to no others"
      : identity.kind === "role"
        ? `add the ARN of the role (aws iam get-role --role-name ${identity.name} --query Role.Arn)`
        : `add ${arn}`;
  return [
    `${arn} deploys, and is no administrator of the cluster: it could make nothing there`,
    `  cluster.eks.administrators: ${administrators.join(", ")}`,
    `  ${own}, or deploy as one of these.`,
  ].join("\n");
}
