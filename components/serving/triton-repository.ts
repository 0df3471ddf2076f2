import * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { LLMAPI_CODE } from "../../engines/triton/llmapi";
import { tritonOwnSettings } from "../../engines/triton/settings";
import { standardLabels } from "../../names/labels";
import type { ModelPlan } from "../../planner/types";
import { hashOf } from "../core/job-scripts";
import { named } from "../core/known";
import { besidesSidecars, guaranteed } from "../core/resources";
import type { Weights } from "./copied-weights";
import { engineImage } from "./engine-image";
import { repositoryFiles } from "./triton-config";

const REPOSITORY_FOLDER = "/repository";
const FILES_FOLDER = "/repository-files";
const FILES = "model-repository";

/** A ConfigMap's links into a hidden folder would count as a model, so files are copied. */
const MAKE_REPOSITORY = `
model="$1/$2"
mkdir -p "$model/1"
cp "$3/config.pbtxt" "$model/"
cp "$3/model.yaml" "$model/1/"
shift 3
cp "$@" "$model/1/"
`;

/** The user's repository as copied, or one generated for the checkpoint. */
export function tritonRepository(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  weights: Weights,
  opts: pulumi.CustomResourceOptions,
): Weights {
  return tritonOwnSettings(model).isRepository ? weights : madeRepository(logicalName, model, namespace, weights, opts);
}

function madeRepository(
  logicalName: string,
  model: ModelPlan,
  namespace: pulumi.Input<string>,
  weights: Weights,
  opts: pulumi.CustomResourceOptions,
): Weights {
  const files = { ...repositoryFiles(model, weights.location) };
  const configMap = new kubernetes.core.v1.ConfigMap(
    logicalName,
    { metadata: { name: FILES, namespace, labels: standardLabels(FILES, FILES) }, data: files },
    opts,
  );
  const { ephemeralStorageGiB } = besidesSidecars(model);
  const { folder, files: code } = LLMAPI_CODE;
  const mount = { name: "repository", mountPath: REPOSITORY_FOLDER };
  return {
    ...weights,
    location: REPOSITORY_FOLDER,
    initContainers: [
      ...weights.initContainers,
      {
        name: "make-repository",
        image: engineImage(model),
        command: ["sh", "-ec", MAKE_REPOSITORY, "make-repository"],
        args: [REPOSITORY_FOLDER, model.servedName, FILES_FOLDER, ...code.map((file) => `${folder}/${file}`)],
        volumeMounts: [{ name: FILES, mountPath: FILES_FOLDER, readOnly: true }, mount],
        resources: guaranteed({ cpu: 0.5, memoryGiB: 0.25, ephemeralStorageGiB }),
      },
    ],
    mounts: [...weights.mounts, { ...mount, readOnly: true }],
    volumes: [
      ...weights.volumes,
      { name: FILES, configMap: { name: named(configMap, FILES) } },
      { name: "repository", emptyDir: { sizeLimit: "16Mi" } },
    ],
    hash: hashOf([weights.hash, files]),
  };
}
