import type { OkePool } from "../settings";
import { type BootPart, bootFile, bootScript } from "./boot-part";
import { KUBELET_ARGUMENTS } from "./kubelet-arguments";

/** Where the start-up programs of Oracle's images look for the cluster of a machine that OKE did not make. */
const API_SERVER = "/etc/oke/oke-apiserver";
const AUTHORITY = "/etc/kubernetes/ca.crt";

/** What a machine that OKE did not make must know of the cluster that it joins. None of it is secret. */
export interface JoinedCluster {
  /** Private address of the API server, without a port: Oracle's programs put two of them behind it. */
  readonly apiServer: string;
  /** Certificate of its authority, PEM. */
  readonly authority: string;
}

/**
 * Makes the machine a node, with the kubelet's arguments that are in their file by then.
 *
 * @param kubernetesVersion with a leading v.
 * @param cluster of self-managed nodes: managed ones are told theirs by OKE. Paths and contents: Oracle's pages "Creating
 *   Cloud-init Scripts for Self-managed Nodes" and "Running Ubuntu on Worker Nodes", terraform-oci-oke 25ef9a0
 *   modules/workers/cloudinit.tf; read 2026-11-23.
 */
export function joinPart(pool: JoiningPool, kubernetesVersion: string, cluster?: JoinedCluster): BootPart {
  const script = bootScript("join-oke.sh");
  const ofCluster = cluster ? [bootFile(API_SERVER, cluster.apiServer), bootFile(AUTHORITY, cluster.authority)] : [];
  return {
    files: [...ofCluster, script],
    commands: [["bash", script.path, KUBELET_ARGUMENTS, kubernetesVersion, ...(pinsMemory(pool) ? ["unlimited"] : [])]],
  };
}

/** What of a pool decides how its machines join. */
export type JoiningPool = Pick<OkePool, "plan" | "computeCluster" | "madeBy">;

/** RDMA registers memory that must not be paged out. */
function pinsMemory({ computeCluster, madeBy }: JoiningPool): boolean {
  return computeCluster || madeBy === "cluster-network";
}
