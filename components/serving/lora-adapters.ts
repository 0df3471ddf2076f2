/** LoRA adapters in a model's pod. */
import type * as kubernetes from "@pulumi/kubernetes";
import { image } from "../../catalog/images";
import type { AdaptersPlan, ArgumentValue, ModelPlan } from "../../planner/types";
import type { HardenedContainer } from "../core/hardened-pod";
import { hashOf, scriptPath } from "../core/job-scripts";
import { besidesSidecars, gibibytes, guaranteed } from "../core/resources";
import { adapterLimits, adaptersToFetch } from "../storage/adapters";
import { PIN_FOLDER } from "../storage/manifest-pin";
import type { ModelStoreAccess } from "../storage/model-store-access";
import { variables } from "./pod-settings";

type Volume = kubernetes.types.input.core.v1.Volume;
type VolumeMount = kubernetes.types.input.core.v1.VolumeMount;

const ADAPTER_FOLDER = "/adapters";

export const ADAPTER_SCRIPTS = ["fetch-adapters.ts", "adapter-files.ts"];

export interface AdapterFiles {
  readonly container: HardenedContainer;
  readonly volume: Volume;
  /** Of the engine's container. */
  readonly mount: VolumeMount;
  /** Changes when the pods must be replaced. */
  readonly hash: string;
}

/**
 * vLLM reads adapters from a folder, even with streamed weights.
 * @param mounts scripts, trust and pins of the pod.
 */
export function adapterFiles(
  model: ModelPlan,
  { list, storageGiB }: AdaptersPlan,
  access: ModelStoreAccess,
  mounts: readonly VolumeMount[],
): AdapterFiles {
  const { cpu, memoryGiB, ephemeralStorageGiB } = besidesSidecars(model);
  const volume = { name: "adapters", emptyDir: { sizeLimit: gibibytes(storageGiB) } };
  return {
    hash: hashOf([list, adapterLimits(model)]),
    volume,
    mount: { name: volume.name, mountPath: ADAPTER_FOLDER, readOnly: true },
    container: {
      name: "fetch-adapters",
      image: image("node"),
      command: ["node", scriptPath("fetch-adapters.ts")],
      env: [
        ...variables({
          RUN: "fetch-adapters",
          BUCKET: access.bucket,
          TARGET: ADAPTER_FOLDER,
          PIN_FOLDER,
          ADAPTERS: JSON.stringify(adaptersToFetch(model, access.bucket)),
          ADAPTER_LIMITS: JSON.stringify(adapterLimits(model)),
        }),
        ...access.client.environment,
      ],
      volumeMounts: [...mounts, { name: volume.name, mountPath: ADAPTER_FOLDER }],
      writablePaths: ["/tmp"],
      // At most the engine's: a pod requests the maximum of both.
      resources: guaranteed({ cpu: Math.min(2, cpu), memoryGiB: Math.min(1, memoryGiB), ephemeralStorageGiB }),
    },
  };
}

/** Arguments of vLLM for a model's adapters; none without. */
export function adapterArguments({ adapters }: ModelPlan): Readonly<Record<string, ArgumentValue>> {
  if (adapters === undefined) {
    return {};
  }
  const { list, slots, maxRank } = adapters;
  return {
    "enable-lora": true,
    "max-loras": slots,
    "max-lora-rank": maxRank,
    // Keeps all in memory, so none is read from disk again.
    "max-cpu-loras": Math.max(slots, list.length),
    "lora-modules": list.map(({ name }) => `${name}=${ADAPTER_FOLDER}/${name}`),
  };
}
