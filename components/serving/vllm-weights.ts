import type * as pulumi from "@pulumi/pulumi";
import type { ModelPlan } from "../../planner/types";
import { hashOf } from "../core/job-scripts";
import type { ModelStoreAccess } from "../storage/model-store-access";
import { localWeights, storeFetch, type Weights, withAdapters } from "./copied-weights";
import { adapterFiles } from "./lora-adapters";
import { variables } from "./pod-settings";

/**
 * Copied before the start, or streamed into GPUs. vLLM reads adapters from folders in both cases.
 */
export function vllmWeights(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  access: ModelStoreAccess,
  opts: pulumi.CustomResourceOptions,
): Weights {
  if (model.loading !== "stream") {
    return localWeights(logicalName, model, namespace, access, opts);
  }
  if (model.adapters === undefined) {
    return streamed(model, access);
  }
  const { mounts, volumes, hash } = storeFetch(logicalName, model, namespace, access, opts);
  const weights = streamed(model, access);
  return withAdapters(
    { ...weights, volumes, hash: hashOf([weights.hash, hash]) },
    adapterFiles(model, model.adapters, access, mounts),
  );
}

/**
 * The RunAI streamer is an extra of vLLM. Public notes say that images have it (2026-11-21), not
 * checked; without it vLLM fails at start.
 */
function streamed(model: ModelPlan, access: ModelStoreAccess): Weights {
  return {
    // With the slash: the keys list nothing above it.
    location: `s3://${access.bucket}/${access.prefix}/`,
    initContainers: [],
    environment: [
      ...access.client.environment,
      ...variables({ RUNAI_STREAMER_S3_USE_VIRTUAL_ADDRESSING: "0", AWS_EC2_METADATA_DISABLED: "true" }),
    ],
    mounts: access.client.mounts,
    volumes: access.client.volumes,
    hash: hashOf(model.source),
  };
}
