import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import { standardLabels } from "../../names/labels";
import { NODE_PROXY } from "../../planner/sidecars";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import { guaranteed } from "../core/resources";
import { ENVOY_ARGUMENTS } from "./envoy-arguments";
import { type NodeConfigArgs, nodeConfig } from "./envoy-config";
import type { NodeSidecar } from "./node-sidecar";
import { NODE_ALIVE_PATH, NODE_HEALTH_PATH, NODE_PORTS } from "./ports";

const NAME = "inference-node";
const CONFIG_FOLDER = "/etc/inference-node";
const CONFIG_FILE = "envoy.json";

export interface NodeProxyArgs extends NodeConfigArgs {
  readonly namespace: pulumi.Input<string>;
}

/** The configuration is read only at start: a change needs a new pod. */
export function nodeProxy(logicalName: string, args: NodeProxyArgs, opts: pulumi.CustomResourceOptions): NodeSidecar {
  const { namespace, ...configArgs } = args;
  const config = JSON.stringify(nodeConfig(configArgs));
  const configMap = new kubernetes.core.v1.ConfigMap(
    logicalName,
    {
      metadata: { name: NAME, namespace, labels: standardLabels(NAME, NAME) },
      data: { [CONFIG_FILE]: config },
    },
    opts,
  );
  return {
    hash: hashOf(config),
    volumes: [{ name: NAME, configMap: { name: named(configMap, NAME) } }],
    container: {
      name: "node",
      restartPolicy: "Always",
      image: image("envoy-node"),
      command: ["envoy"],
      args: ["--config-path", `${CONFIG_FOLDER}/${CONFIG_FILE}`, ...ENVOY_ARGUMENTS],
      ports: [
        { name: "node", containerPort: NODE_PORTS.http },
        { name: "node-metrics", containerPort: NODE_PORTS.metrics },
      ],
      volumeMounts: [{ name: NAME, mountPath: CONFIG_FOLDER, readOnly: true }],
      resources: guaranteed(NODE_PROXY),
      // Engine readiness, regardless of loading time. Separate from Envoy's liveness.
      readinessProbe: { httpGet: { path: NODE_HEALTH_PATH, port: "node" }, periodSeconds: 5, timeoutSeconds: 5 },
      livenessProbe: {
        httpGet: { path: NODE_ALIVE_PATH, port: "node-metrics" },
        periodSeconds: 10,
        timeoutSeconds: 5,
        failureThreshold: 6,
      },
    },
  };
}
