import { ON_K3S } from "../components/cluster/k3s/on-k3s";
import type { HostBundle, K3sSettings } from "../components/cluster/k3s/settings";
import { plannedPools } from "../components/cluster/planned-pools";
import { leavingSeconds } from "../components/serving/drain";
import { hostRequirements } from "../planner/host-requirements";
import { BUNDLE_FOLDERS } from "./bundle/bundle-file";
import type { Bundle } from "./bundle/open-bundle";
import type { ClusterConfig } from "./config";
import type { StackArgs } from "./platform";
import { platformNamespaces } from "./platform-namespaces";

/** Undefined without a machine to set up. */
export function k3sSettings(
  { provision, hosts = {}, k3s }: ClusterConfig<"edge">,
  { environment, secrets, plan, addons, bundle }: StackArgs,
): K3sSettings | undefined {
  if (provision !== "create") {
    return undefined;
  }
  const { sshPrivateKey, sshPrivateKeyPassphrase, sshPassword, registryCredentials } = secrets;
  const { stage, pools } = plan;
  const [pool] = pools;
  const [[name, host] = []] = Object.entries(hosts);
  const [requirements] = hostRequirements(plan);
  if (name === undefined || host === undefined || pool === undefined || requirements === undefined) {
    throw new Error("provision: create without a machine or a pool: validation should have refused it");
  }
  const { address, user, port, hostKey } = host;
  return {
    environment: plan.environment,
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
    requirements,
    labels: pool.labels,
    serverNames: k3s?.serverNames ?? [],
    namespaces: platformNamespaces({ environment, plan, cluster: { ...ON_K3S, pools: plannedPools(pools) } }, addons),
    kubelet: { pool, leavingSeconds: Math.max(0, ...plan.models.map(leavingSeconds)) },
    images: { ...environment.images, ...(registryCredentials && { credentials: registryCredentials }) },
    bundle: bundle && hostBundle(bundle),
  };
}

function hostBundle({ folder, onHost, sha256, content }: Bundle): HostBundle {
  const images = `${BUNDLE_FOLDERS.images}/`;
  return {
    here: folder,
    onHost,
    sha256,
    archives: content.files.flatMap(({ path, sha256 }) =>
      path.startsWith(images) ? [{ name: path.slice(images.length), sha256 }] : [],
    ),
  };
}
