import { EKS_AS_OF, EKS_VERSIONS } from "../../catalog/eks";
import type { CapacityProblem } from "../../planner/types";
import type { EnvironmentConfig } from "../config";

/** Notice before the end of standard support; EKS itself announces it 60 days ahead. */
const NOTICE_DAYS = 90;
const DAY_MS = 86_400_000;

/**
 * A version that EKS will soon upgrade by itself: clusters made here do not pay for extended
 * support. By the day the dates were read, not today's, so that plans are reproducible.
 */
export function eksVersion({
  environment: { cluster },
}: {
  readonly environment: Pick<EnvironmentConfig, "cluster">;
}): CapacityProblem[] {
  const said = cluster.kind === "aws" && cluster.provision === "create" ? cluster.eks?.kubernetesVersion : undefined;
  const index = EKS_VERSIONS.findIndex(({ minor }) => minor === said);
  const ends = EKS_VERSIONS[index]?.ends;
  const next = EKS_VERSIONS[index + 1]?.minor;
  if (ends === undefined || next === undefined || Date.parse(ends) - Date.parse(EKS_AS_OF) > NOTICE_DAYS * DAY_MS) {
    return [];
  }
  return [
    {
      severity: "advisory",
      rule: "eks-version",
      subject: "cluster.eks.kubernetesVersion",
      message: `Kubernetes ${said} leaves EKS's standard support on ${ends}: from then on EKS moves the control plane to ${next} when it likes, and nodes and add-ons stay behind. Write kubernetesVersion: "${next}" before; it goes up by one minor version at a time.`,
    },
  ];
}
