/** How a model's pods come by its weights, whatever serves it: through the model store, or from a volume of the user's. */
import type * as pulumi from "@pulumi/pulumi";
import { type ClaimSource, isClaim } from "../../engines/sources";
import { MODEL_FOLDER } from "../../names/pod-folders";
import { hashOf } from "../core/job-scripts";
import type { localWeights, Weights } from "./copied-weights";
import { type ModelServerArgs, requireStore } from "./model-server";

export interface ModelWeights {
  readonly weights: Weights;
  /** What must be done before pods find them. */
  readonly ready: readonly pulumi.Resource[];
}

/**
 * @param child logical name of a part of the server.
 * @param fromStore brings weights of the model store into pods.
 * @throws Error when there is no model store, and the model's source is in it.
 */
export function modelWeights(
  child: (part: string) => string,
  args: Pick<ModelServerArgs, "model" | "store">,
  namespace: pulumi.Input<string>,
  fromStore: typeof localWeights,
  opts: Omit<pulumi.CustomResourceOptions, "aliases">,
): ModelWeights {
  const { model } = args;
  if (isClaim(model.source)) {
    return { weights: mountedWeights(model.source), ready: [] };
  }
  const store = requireStore(args);
  const access = store.grant(child("weights"), model, namespace, opts);
  return { weights: fromStore(child("fetch"), model, namespace, access, opts), ready: store.whenFilled(model.name) };
}

/** The claim's folder alone, and only to read: a pod sees nothing else on the volume and changes nothing for others. */
function mountedWeights(source: ClaimSource): Weights {
  const { claim, path } = source;
  const name = "model";
  return {
    location: MODEL_FOLDER,
    initContainers: [],
    environment: [],
    mounts: [{ name, mountPath: MODEL_FOLDER, readOnly: true, ...(path !== "" && { subPath: path }) }],
    volumes: [{ name, persistentVolumeClaim: { claimName: claim, readOnly: true } }],
    hash: hashOf(source),
  };
}
