/** Weights from the model store, or a volume of the user. */
import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { artifactText, type FolderSource, isClaim, isFolder, isImageVolume } from "../../engines/sources";
import { MODEL_LABEL, standardLabels } from "../../names/labels";
import { modelNamespaceName } from "../../names/namespaces";
import { MODEL_FOLDER } from "../../names/pod-folders";
import type { ModelPlan, ModelSource } from "../../planner/types";
import { hashOf } from "../core/job-scripts";
import { gibibytes } from "../core/resources";
import { nodeFolder } from "../storage/node-folder";
import type { localWeights, Weights } from "./copied-weights";
import { type ModelServerArgs, requireStore } from "./model-server";

/** Where images have a model (KServe "modelcar"). */
const IMAGE_FOLDER = "models";

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
  const { source } = model;
  if (isClaim(source)) {
    return { weights: mountedWeights(source, claimed(source.claim), source.path), ready: [] };
  }
  if (isFolder(source)) {
    const claim = folderClaim(child("weights"), model, source, namespace, opts);
    return { weights: mountedWeights(source, claimed(claim)), ready: [] };
  }
  if (isImageVolume(source)) {
    const reference = artifactText(source).slice("oci://".length);
    return {
      weights: mountedWeights(source, { image: { reference, pullPolicy: "IfNotPresent" } }, IMAGE_FOLDER),
      ready: [],
    };
  }
  const store = requireStore(args);
  const access = store.grant(child("weights"), model, namespace, opts);
  return { weights: fromStore(child("fetch"), model, namespace, access, opts), ready: store.whenFilled(model.name) };
}

type Volume = kubernetes.types.input.core.v1.Volume;

function claimed(claimName: pulumi.Input<string>): Omit<Volume, "name"> {
  return { persistentVolumeClaim: { claimName, readOnly: true } };
}

/** Mounts only the folder, read-only. */
function mountedWeights(source: ModelSource, volume: Omit<Volume, "name">, path = ""): Weights {
  const name = "model";
  return {
    location: MODEL_FOLDER,
    initContainers: [],
    environment: [],
    mounts: [{ name, mountPath: MODEL_FOLDER, readOnly: true, ...(path !== "" && { subPath: path }) }],
    volumes: [{ name, ...volume }],
    hash: hashOf(source),
  };
}

/** The folder on each node that pods run on. Another folder has another name: pods keep theirs until they are replaced. */
function folderClaim(
  logicalName: string,
  model: ModelPlan,
  source: FolderSource,
  namespace: pulumi.Input<string>,
  opts: Omit<pulumi.CustomResourceOptions, "aliases">,
): pulumi.Output<string> {
  const claim = `weights-${hashOf(source).slice(0, 8)}`;
  return nodeFolder(
    logicalName,
    {
      volume: `${modelNamespaceName(model.name)}-${claim}`,
      claim,
      namespace,
      labels: standardLabels("weights", model.name, { [MODEL_LABEL]: model.name }),
      // Nothing limits what is there.
      size: gibibytes(1),
      at: {
        local: { path: source.path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "Exists" }] }],
          },
        },
      },
    },
    opts,
  );
}
