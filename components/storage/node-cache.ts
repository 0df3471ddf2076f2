import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { modelNamespaceName, NODE_CACHE_NAMESPACE } from "../../names/namespaces";
import { CACHED_MODEL_CONTAINER, NODE_CACHE, NODE_CACHE_CLAIM, NODE_CACHE_FOLDER } from "../../names/node-cache";
import { NODE_AGENTS } from "../../planner/node-agents";
import type { ModelPlan } from "../../planner/types";
import { configFile } from "../core/config-files";
import { hardenedPodSpec } from "../core/hardened-pod";
import { IsolatedNamespace } from "../core/isolated-namespace";
import { hashOf, jobScripts, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { nodePlacement } from "../core/node-placement";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { credentialsSecret, storeClient } from "./store-client";
import type { StoreKeys } from "./store-keys";
import { keyPrefix, nodeCachePods } from "./store-layout";
import type { StoreServer } from "./store-server";

const CONFIG = "/etc/node-cache";
const MODELS = "models.json";
const MOUNT = "/node-cache";
const PORT = 9103;

const SCRIPTS = [
  "node-cache.ts",
  "cache-folders.ts",
  "credentials.ts",
  "fetch.ts",
  "kubernetes.ts",
  "model-files.ts",
  "retry.ts",
  "s3.ts",
  "s3-signature.ts",
  "trusted-request.ts",
];

export interface NodeCacheArgs {
  readonly models: readonly ModelPlan[];
  readonly bucket: string;
  readonly sizeGiB: number;
  /** Of a user that may read these models in the store. */
  readonly keys: StoreKeys;
  readonly server: StoreServer;
}

/**
 * A cache of weights on every node that serves models of the store. Its pods alone write there: engines' pods mount the
 * folder of their own model read-only, so no model reads or changes another's. They run as root, without capabilities,
 * because the kubelet creates the folder as root's.
 */
export function nodeCache(name: string, args: NodeCacheArgs, opts: { readonly parent: pulumi.Resource }): void {
  const { models, bucket, sizeGiB } = args;
  const { namespace } = new IsolatedNamespace(`${name}-ns`, { namespace: NODE_CACHE_NAMESPACE }, opts);
  const labels = standardLabels(NODE_CACHE, NODE_CACHE);
  const metadata = { name: NODE_CACHE, namespace, labels };
  const content = credentialsSecret(args.keys);
  const secretName = `${NODE_CACHE}-keys`;
  const keys = new kubernetes.core.v1.Secret(
    `${name}-keys`,
    { metadata: { name: secretName, namespace, labels }, stringData: content },
    opts,
  );
  const authority = args.server.trustIn(`${name}-trust`, namespace, opts);
  const client = storeClient(named(keys, secretName), args.server, authority);
  const scripts = jobScripts(
    `${name}-scripts`,
    { namespace, name: `${NODE_CACHE}-scripts`, folder: "components/storage/scripts", files: SCRIPTS },
    opts,
  );
  const config = configFile(
    `${name}-models`,
    {
      name: `${NODE_CACHE}-models`,
      namespace,
      file: MODELS,
      content: {
        models: models.map((model) => ({
          model: model.name,
          namespace: modelNamespaceName(model.name),
          prefix: keyPrefix(model, bucket),
        })),
      },
    },
    opts,
  );
  const account = new kubernetes.core.v1.ServiceAccount(
    `${name}-account`,
    { metadata, automountServiceAccountToken: false },
    opts,
  );
  const size = { ...NODE_AGENTS.nodeCache, ephemeralStorageGiB: sizeGiB };
  const health = { httpGet: { path: "/", port: PORT }, periodSeconds: 20, timeoutSeconds: 5 };
  const pod = hardenedPodSpec({
    serviceAccountName: named(account, NODE_CACHE),
    usesKubernetesApi: true,
    priorityClassName: PRIORITY.platform.name,
    volumes: [
      scripts.volume,
      config.volume,
      ...client.volumes,
      { name: "cache", hostPath: { path: NODE_CACHE_FOLDER, type: "DirectoryOrCreate" } },
    ],
    containers: [
      {
        name: NODE_CACHE,
        image: image("node"),
        command: ["node", scriptPath("node-cache.ts")],
        env: [
          { name: "RUN", value: NODE_CACHE },
          { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
          { name: "BUCKET", value: bucket },
          { name: "CACHE", value: MOUNT },
          { name: "CAPACITY_BYTES", value: String(sizeGiB * 2 ** 30) },
          { name: "CLAIM", value: NODE_CACHE_CLAIM },
          { name: "CONTAINER", value: CACHED_MODEL_CONTAINER },
          { name: "MODELS", value: `${CONFIG}/${MODELS}` },
          { name: "PORT", value: String(PORT) },
          ...client.environment,
        ],
        ports: [{ name: "health", containerPort: PORT }],
        volumeMounts: [
          scripts.mount,
          ...client.mounts,
          { name: config.volume.name, mountPath: CONFIG, readOnly: true },
          { name: "cache", mountPath: MOUNT },
        ],
        writablePaths: ["/tmp"],
        // The disk is requested, so that the scheduler counts it; what is below a host path has no limit of Kubernetes.
        resources: burstable(size, { ...size, cpu: 8, memoryGiB: 2 }),
        livenessProbe: { ...health, failureThreshold: 6 },
        readinessProbe: health,
      },
    ],
  });
  const { affinity, tolerations } = nodePlacement(models);
  new kubernetes.apps.v1.DaemonSet(
    `${name}-agents`,
    {
      metadata,
      spec: {
        selector: { matchLabels: { ...nodeCachePods.podLabels } },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%" } },
        template: {
          metadata: {
            labels,
            annotations: {
              [ANNOTATIONS.configHash]: hashOf([scripts.hash, config.hash]),
              ...secretVersion(keys, content),
            },
          },
          spec: {
            ...pod,
            securityContext: { runAsUser: 0, runAsGroup: 0, seccompProfile: { type: "RuntimeDefault" } },
            ...(Object.keys(affinity).length > 0 && { affinity }),
            tolerations,
          },
        },
      },
    },
    { ...opts, dependsOn: [...args.server.ready] },
  );
}
