import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { image } from "../../catalog/images";
import type { HardenedContainer } from "../core/hardened-pod";
import { jobScripts, scriptPath } from "../core/job-scripts";
import { type ContainerSize, guaranteed } from "../core/resources";
import { variables } from "./pod-settings";
import type { LoaderJob } from "./scripts/model-loader";

const SCRIPT = "model-loader.ts";
const READY_PORT = 11435;

export interface ModelLoaderArgs {
  readonly namespace: pulumi.Input<string>;
  readonly job: Omit<LoaderJob, "readyPort">;
  readonly resources: ContainerSize;
}

export interface ModelLoader {
  readonly container: HardenedContainer;
  readonly volume: kubernetes.types.input.core.v1.Volume;
  /** Of the script: a change rolls the pods. */
  readonly hash: string;
}

/**
 * Native sidecar: the pod is ready once its loader has had its models answer. The kubelet restarts
 * it after failures.
 */
export function modelLoader(name: string, args: ModelLoaderArgs, opts: pulumi.CustomResourceOptions): ModelLoader {
  const scripts = jobScripts(
    name,
    { namespace: args.namespace, name: "model-loader", folder: "components/serving/scripts", files: [SCRIPT] },
    opts,
  );
  const job: LoaderJob = { ...args.job, readyPort: READY_PORT };
  return {
    volume: scripts.volume,
    hash: scripts.hash,
    container: {
      name: "loader",
      restartPolicy: "Always",
      image: image("node"),
      command: ["node", scriptPath(SCRIPT)],
      env: variables({ RUN: "model-loader", MODEL_LOADER: JSON.stringify(job) }),
      ports: [{ name: "loaded", containerPort: READY_PORT }],
      volumeMounts: [scripts.mount],
      writablePaths: ["/tmp"],
      resources: guaranteed(args.resources),
      // The port opens once the models are loaded.
      readinessProbe: { tcpSocket: { port: "loaded" }, periodSeconds: 5 },
    },
  };
}
