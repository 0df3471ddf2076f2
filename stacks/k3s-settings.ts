import type { K3sSettings } from "../components/cluster/k3s/settings";
import type { DeploymentPlan } from "../planner/types";
import type { ClusterConfig } from "./config";
import type { EnvironmentSecrets } from "./config/load";

/** What the section says of the machine that becomes the cluster. Undefined where none does. */
export function k3sSettings(
  { provision, hosts = {}, k3s }: ClusterConfig<"edge">,
  { environment, stage, pools: [pool] }: Pick<DeploymentPlan, "environment" | "stage" | "pools">,
  { sshPrivateKey, sshPrivateKeyPassphrase, sshPassword }: EnvironmentSecrets,
): K3sSettings | undefined {
  if (provision !== "create") {
    return undefined;
  }
  const [[name, host] = []] = Object.entries(hosts);
  if (name === undefined || host === undefined || pool === undefined) {
    throw new Error("provision: create without a machine or a pool: validation should have refused it");
  }
  const { address, user, port, hostKey } = host;
  return {
    environment,
    host: {
      name,
      address,
      user,
      port,
      hostKey,
      privateKey: sshPrivateKey,
      privateKeyPassphrase: sshPrivateKeyPassphrase,
      password: sshPassword,
    },
    production: stage === "production",
    arch: pool.shape.cpu.arch,
    labels: pool.labels,
    serverNames: k3s?.serverNames ?? [],
    bundle: k3s?.bundle && (host.bundle ?? k3s.bundle),
  };
}
