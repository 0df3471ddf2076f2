/** Weights from the model store, or a volume of the user. */
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
 * @throws Error without the model store that the source needs.
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

/** Mounts only the folder, read-only. */
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
