import { type Document, isMap, isPair, isScalar, parseDocument } from "yaml";
import type { Tools } from "./needs";

/** Environment and stack of a trial. */
export const TRIAL = "try";

/** Namespace of our keys in a Pulumi stack file. */
export const CONFIG_NAMESPACE = "inference-stacks";

const COMMENT = ` try: written by npm run try from Pulumi.dev.yaml, with a cluster of its own on this computer. It is yours to change: npm run try
 again brings the change up, and does not write this file anew. npm run try -- --remove takes all of it away.`;

/**
 * Environment of a trial: `dev` on a new cluster, on a machine as large as containers may be.
 *
 * @param dev text of Pulumi.dev.yaml.
 */
export function trialEnvironment(dev: string, { tool, engine, size }: Tools): string {
  const document = parseDocument(dev);
  const cluster = document.createNode({ kind: "local", provision: "create", local: { tool, engine } });
  document.setIn(["config", `${CONFIG_NAMESPACE}:cluster`], cluster);
  for (const pool of poolsOf(document)) {
    document.setIn(["config", `${CONFIG_NAMESPACE}:pools`, pool, "node"], document.createNode(size, { flow: true }));
  }
  // Its image is a placeholder until built, so its pods would never start.
  document.deleteIn(["config", `${CONFIG_NAMESPACE}:modelControl`]);
  document.commentBefore = COMMENT;
  return document.toString({ lineWidth: 0 });
}

function poolsOf(document: Document): string[] {
  const pools = document.getIn(["config", `${CONFIG_NAMESPACE}:pools`]);
  return isMap(pools)
    ? pools.items.flatMap((pair) => (isPair(pair) && isScalar(pair.key) ? [String(pair.key.value)] : []))
    : [];
}
