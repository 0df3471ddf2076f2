import { createHash } from "node:crypto";

/**
 * k3d limits names to this length (v5.9.0, pkg/types/defaults.go); for kind, more than 50
 * characters "might not work".
 */
const LONGEST = 32;
const PREFIX = "inference-";
const HASH_LENGTH = 6;

/**
 * Cluster name of an environment: `inference-<environment>` in host name characters. Changed names
 * get a hash, so that environments never share a cluster.
 */
export function localClusterName(environment: string): string {
  const plain = environment
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const whole = `${PREFIX}${plain}`;
  if (plain === environment && whole.length <= LONGEST) {
    return whole;
  }
  const hash = createHash("sha256").update(environment).digest("hex").slice(0, HASH_LENGTH);
  const kept = whole.slice(0, LONGEST - HASH_LENGTH - 1).replace(/-+$/, "");
  return `${kept}-${hash}`;
}
