import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { standardLabels } from "../../names/labels";
import { NODE_CACHE_NAMESPACE } from "../../names/namespaces";
import { CACHED_MODEL_CONTAINER, NODE_CACHE, NODE_CACHE_CLAIM, nodeCacheFolder } from "../../names/node-cache";
import { MODEL_FOLDER } from "../../names/pod-folders";
import type { ModelPlan } from "../../planner/types";
import type { HardenedContainer } from "../core/hardened-pod";
import { hashOf, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { gibibytes, guaranteed } from "../core/resources";
import { PIN_FILE } from "../storage/manifest-pin";
import { nodeFolder } from "../storage/node-folder";
import type { StoreFetch, Weights } from "./copied-weights";
import { variables } from "./pod-settings";

const CACHE_FOLDER = "/node-cache";
const TERMINATION_LOG = "/dev/termination-log";

/** Files of the init container that links cached weights. */
export const CACHE_SCRIPTS = ["cached-model.ts", "cache-folders.ts", "retry.ts"];

/** Links files of the node's cache into the pod, on any node. */
export function cachedWeights(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  { mounts, volumes, hash }: StoreFetch,
  opts: pulumi.CustomResourceOptions,
): Weights {
  const cache = { name: "node-cache", mountPath: CACHE_FOLDER, readOnly: true };
  const claimName = modelCache(logicalName, model, namespace, opts);
  const link: HardenedContainer = {
    name: CACHED_MODEL_CONTAINER,
    image: image("node"),
    command: ["node", scriptPath("cached-model.ts")],
    env: variables({
      RUN: "cached-model",
      CACHE: CACHE_FOLDER,
      TARGET: MODEL_FOLDER,
      MANIFEST_PIN: PIN_FILE,
      TERMINATION_LOG,
    }),
    // Lists used files for the cache.
    terminationMessagePath: TERMINATION_LOG,
    volumeMounts: [...mounts, cache, { name: "model", mountPath: MODEL_FOLDER }],
    resources: guaranteed({ cpu: 0.1, memoryGiB: 0.25 }),
  };
  return {
    location: MODEL_FOLDER,
    initContainers: [link],
    environment: [],
    mounts: [{ name: "model", mountPath: MODEL_FOLDER, readOnly: true }, cache],
    volumes: [
      ...volumes,
      { name: cache.name, persistentVolumeClaim: { claimName, readOnly: true } },
      // Links alone.
      { name: "model", emptyDir: { sizeLimit: gibibytes(1) } },
    ],
    hash: hashOf([hash, model.source]),
  };
}

/**
 * The model's node folder as a claim, and the cache's right to see the model's pods.
 * @returns the claim's name.
 */
function modelCache(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  opts: pulumi.CustomResourceOptions,
): pulumi.Output<string> {
  const labels = standardLabels(NODE_CACHE, model.name);
  const metadata = { name: NODE_CACHE_CLAIM, namespace, labels };
  const claim = nodeFolder(
    `${logicalName}-cache`,
    {
      volume: `${NODE_CACHE}-${model.name}`,
      claim: NODE_CACHE_CLAIM,
      namespace,
      labels,
      // The cache limits what is there.
      size: gibibytes(1),
      at: { hostPath: { path: nodeCacheFolder(model.name), type: "DirectoryOrCreate" } },
    },
    opts,
  );
  const role = new kubernetes.rbac.v1.Role(
    `${logicalName}-cache-role`,
    { metadata, rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }] },
    opts,
  );
  new kubernetes.rbac.v1.RoleBinding(
    `${logicalName}-cache-binding`,
    {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: named(role, NODE_CACHE_CLAIM) },
      subjects: [{ kind: "ServiceAccount", name: NODE_CACHE, namespace: NODE_CACHE_NAMESPACE }],
    },
    opts,
  );
  return claim;
}
