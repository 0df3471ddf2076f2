import type * as kubernetes from "@pulumi/kubernetes";
import { engineOf, type SidecarResources } from "../../engines";
import type { HardenedContainer, HardenedPodArgs } from "../core/hardened-pod";
import { PRIORITY } from "../core/priority-classes";
import { gibibytes, modelResources } from "../core/resources";
import type { Weights } from "./copied-weights";
import { type BusyTest, leaving, leavingSeconds } from "./drain";
import { engineImage } from "./engine-image";
import type { ModelServerArgs } from "./model-server";
import type { Probes } from "./probes";

export interface EnginePodArgs extends Pick<ModelServerArgs, "model" | "gpu"> {
  /** Name of the engine's container. */
  readonly name: string;
  readonly weights: Weights;
  readonly command: readonly string[];
  readonly arguments: readonly string[];
  readonly port: number;
  /** Where it listens besides. @default nowhere */
  readonly furtherPorts?: readonly { readonly name: string; readonly containerPort: number }[];
  /** All of the engine's, those of the weights too. */
  readonly environment: readonly kubernetes.types.input.core.v1.EnvVar[];
  readonly environmentFrom?: readonly kubernetes.types.input.core.v1.EnvFromSource[];
  /** Besides those of the weights. */
  readonly volumes?: readonly kubernetes.types.input.core.v1.Volume[];
  readonly mounts?: readonly kubernetes.types.input.core.v1.VolumeMount[];
  readonly writablePaths: readonly string[];
  readonly probes: Probes;
  /** Its resources are part of the pod's. @default by the engine's descriptor */
  readonly sidecar?: { readonly container: HardenedContainer; readonly resources: SidecarResources };
  /** For engines that cut requests on stop. @default requests finish */
  readonly busy?: BusyTest | undefined;
}

/** The GPUs belong to its engine container only. */
export function enginePod({ model, gpu, weights, volumes = [], mounts = [], ...args }: EnginePodArgs): HardenedPodArgs {
  const { sharedMemoryGiB } = model.resources;
  return {
    nodeSelector: model.nodeSelector,
    tolerations: model.tolerations,
    runtimeClassName: gpu?.runtimeClass,
    supplementalGroups: gpu?.groups,
    priorityClassName: PRIORITY.serving.name,
    terminationGracePeriodSeconds: leavingSeconds(model),
    volumes: [
      ...weights.volumes,
      ...volumes,
      ...(sharedMemoryGiB > 0
        ? [{ name: "shared-memory", emptyDir: { medium: "Memory", sizeLimit: gibibytes(sharedMemoryGiB) } }]
        : []),
    ],
    initContainers: [...weights.initContainers, ...(args.sidecar ? [args.sidecar.container] : [])],
    containers: [
      {
        name: args.name,
        image: engineImage(model),
        command: [...args.command],
        args: [...args.arguments],
        ports: [{ name: "http", containerPort: args.port }, ...(args.furtherPorts ?? [])],
        env: [...args.environment],
        ...(args.environmentFrom && { envFrom: [...args.environmentFrom] }),
        volumeMounts: [
          ...weights.mounts,
          ...mounts,
          ...(sharedMemoryGiB > 0 ? [{ name: "shared-memory", mountPath: "/dev/shm" }] : []),
        ],
        writablePaths: [...args.writablePaths],
        resources: modelResources(model, args.sidecar?.resources ?? engineOf(model.engine).sidecar),
        lifecycle: leaving(model, args.busy),
        ...args.probes,
      },
    ],
  };
}
