import type { OkePool } from "../settings";
import { type BootPart, bootFile, bootScript } from "./boot-part";
import { KUBELET_ARGUMENTS } from "./kubelet-arguments";

/** Where Oracle's start-up programs read the cluster of a self-managed node. */
const API_SERVER = "/etc/oke/oke-apiserver";
const AUTHORITY = "/etc/kubernetes/ca.crt";

/** Cluster data of a self-managed node. Not secret. */
export interface JoinedCluster {
  /** Private address of the API server, without a port: Oracle's programs append two. */
  readonly apiServer: string;
  /** CA certificate, PEM. */
  readonly authority: string;
}

/**
 * Joins the machine with the kubelet arguments written before.
 *
 * @param kubernetesVersion with a leading v.
 * @param cluster of self-managed nodes; OKE configures managed ones. Paths and contents: Oracle's
 *   pages "Creating Cloud-init Scripts for Self-managed Nodes" and "Running Ubuntu on Worker
 *   Nodes", terraform-oci-oke 25ef9a0 modules/workers/cloudinit.tf; read 2026-11-23.
 */
export function joinPart(pool: JoiningPool, kubernetesVersion: string, cluster?: JoinedCluster): BootPart {
  const script = bootScript("join-oke.sh");
  const ofCluster = cluster ? [bootFile(API_SERVER, cluster.apiServer), bootFile(AUTHORITY, cluster.authority)] : [];
  return {
    files: [...ofCluster, script],
    commands: [["bash", script.path, KUBELET_ARGUMENTS, kubernetesVersion, ...(pinsMemory(pool) ? ["unlimited"] : [])]],
  };
}

/** Pool properties that determine how its machines join. */
export type JoiningPool = Pick<OkePool, "plan" | "computeCluster" | "madeBy">;

/** RDMA registers memory that must not be paged out. */
function pinsMemory({ computeCluster, madeBy }: JoiningPool): boolean {
  return computeCluster || madeBy === "cluster-network";
}
