import type * as pulumi from "@pulumi/pulumi";
import type { ModelPlan } from "../../planner/types";
import { hashOf } from "../core/job-scripts";
import type { ModelStoreAccess } from "../storage/model-store-access";
import { copiedWeights, type Weights } from "./copied-weights";
import { variables } from "./pod-settings";

/** Weights as the plan says: copied to the node before the engine starts, or streamed into the GPUs by the engine. */
export function vllmWeights(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  access: ModelStoreAccess,
  opts: pulumi.CustomResourceOptions,
): Weights {
  return model.loading === "stream"
    ? streamed(model, access)
    : copiedWeights(logicalName, model, namespace, access, opts);
}

/**
 * The RunAI model streamer, an extra of the vLLM package. That the images hold it was read in public notes on them
 * (2026-11-21), not checked on the pinned ones; an image without it stops at start-up and says so.
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
