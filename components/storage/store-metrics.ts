import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { ANNOTATIONS, standardLabels } from "../../names/labels";
import { childrenOfGone, type OptionsOfGone } from "../core/gone-component";
import { jobScripts, scriptPath } from "../core/job-scripts";
import { named } from "../core/known";
import { PRIORITY } from "../core/priority-classes";
import { burstable } from "../core/resources";
import { secretVersion } from "../core/secret-version";
import { Workload } from "../core/workload";
import { caFile, SERVER_CERTIFICATE_SECRET } from "./store-certificates";
import { credentialsSecret, storeClient } from "./store-client";
import type { StoreKeys } from "./store-keys";
import { METRICS, storeMetricsPods } from "./store-layout";
import { CLUSTER_ENDPOINT } from "./store-server";

const KEYS = `${METRICS}-keys`;

export interface StoreMetricsArgs {
  readonly namespace: pulumi.Input<string>;
  /** Of a user that may read metrics. */
  readonly keys: StoreKeys;
  /** What makes that user. */
  readonly dependsOn: pulumi.Resource[];
}

/**
 * The store's metrics for Prometheus. The server has one port for everything, which every model's pods reach; so it asks
 * for a token, and these pods have the key to make one: Prometheus needs none, in whichever way Secrets come to a cluster.
 */
export function storeMetrics(name: string, args: StoreMetricsArgs, opts: OptionsOfGone): void {
  const options = { ...opts, aliases: childrenOfGone("storage:StoreMetrics", name, opts) };
  const { namespace } = args;
  const content = credentialsSecret(args.keys);
  const keys = new kubernetes.core.v1.Secret(
    `${name}-keys`,
    {
      metadata: { name: KEYS, namespace, labels: standardLabels(METRICS, METRICS) },
      stringData: content,
    },
    options,
  );
  const scripts = jobScripts(
    `${name}-scripts`,
    {
      namespace,
      name: METRICS,
      folder: "components/storage/scripts",
      files: ["metrics.ts", "credentials.ts", "retry.ts"],
    },
    options,
  );
  const client = storeClient(named(keys, KEYS), CLUSTER_ENDPOINT, caFile(SERVER_CERTIFICATE_SECRET));
  const { port } = storeMetricsPods;
  const timing = { periodSeconds: 10, timeoutSeconds: 5 };
  new Workload(
    `${name}-server`,
    {
      namespace,
      app: METRICS,
      instance: METRICS,
      ports: [{ name: "metrics", port }],
      podAnnotations: {
        [ANNOTATIONS.configHash]: scripts.hash,
        ...secretVersion(keys, content),
      },
      controller: { kind: "Deployment" },
      controllerOptions: { dependsOn: args.dependsOn },
      pod: {
        priorityClassName: PRIORITY.platform.name,
        volumes: [scripts.volume, ...client.volumes],
        containers: [
          {
            name: METRICS,
            image: image("node"),
            command: ["node", scriptPath("metrics.ts")],
            ports: [{ name: "metrics", containerPort: port }],
            env: [{ name: "RUN", value: "metrics" }, { name: "PORT", value: String(port) }, ...client.environment],
            volumeMounts: [scripts.mount, ...client.mounts],
            resources: burstable({ cpu: 0.02, memoryGiB: 0.0625 }, { cpu: 0.5, memoryGiB: 0.25 }),
            livenessProbe: { tcpSocket: { port: "metrics" }, ...timing },
            readinessProbe: { httpGet: { path: "/health", port: "metrics" }, ...timing },
          },
        ],
      },
    },
    options,
  );
}
