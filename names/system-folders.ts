import { posix } from "node:path";

/** By their whole names, without leading slashes: folders that hold nothing of the system but others, and all below the rest. */
const SYSTEM_FOLDERS = [
  /^$|^(home|usr|var|var\/lib)$/,
  /^(bin|boot|dev|etc|lib(32|64|exec)?|proc|root|run|sbin|sys)(\/|$)/,
  /^usr\/(bin|lib(32|64|exec)?|sbin)(\/|$)/,
  /^var\/(run|log|snap|spool)(\/|$)/,
  // Credentials: of kubelets and registries, of a node's first start (cloud), of accounts.
  /^var\/lib\/(cloud|cni|containerd|containers|crio|docker|etcd|k0s|kubelet|rancher)(\/|$)/,
  /(^|\/)\.(aws|azure|docker|gnupg|kube|oci|ssh)(\/|$)/,
];

/** Folders of a node's system, and of its accounts' credentials; all others are data. */
export function isSystemFolder(path: string): boolean {
  const name = posix.normalize(path).replace(/^\/+|\/+$/g, "");
  return path.split("/").includes("..") || SYSTEM_FOLDERS.some((folder) => folder.test(name));
}
