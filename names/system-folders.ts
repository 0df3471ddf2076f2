const SYSTEM_FOLDER =
  /^\/*($|(boot|dev|etc|proc|root|run|sys)(\/|$)|(home|usr|var|var\/lib)\/*$|var\/(run|log)(\/|$)|var\/lib\/(kubelet|containerd|rancher|etcd|docker|cni)(\/|$))/;

/** Folders of a node's system; all others are data. */
export function isSystemFolder(path: string): boolean {
  return path.split("/").includes("..") || SYSTEM_FOLDER.test(path);
}
