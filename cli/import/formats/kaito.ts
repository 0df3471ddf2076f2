/** KAITO's Workspace and InferenceSet (v1alpha1, v1beta1) with their ConfigMap. */
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { instanceType } from "../instance-types";
import { kaitoLayout, kaitoUtilization } from "../kaito-layout";
import { Ledger } from "../ledger";
import { isMapping, mappingOf, type Path } from "../path";
import { readContainer, servingContainer, statedLayout } from "../pod-container";
import { documentsOf, ImportFileError, type SourceDocument } from "../read-documents";
import { inNamespaceOf, nameOf } from "../references";
import { serveAs } from "../served-name";
import { serverImage } from "../server-image";
import { readUserPod } from "../user-pod";
import { HUB_TOKEN_REASON } from "../variables";
import { applyVllmFlags } from "../vllm-flags";
import { presetRepository } from "../weights-name";
import { kaitoInferenceSetTable, kaitoTable } from "./tables";

const isKind = (root: SourceDocument["root"], kind: string) =>
  String(root.apiVersion).startsWith("kaito.sh/") && root.kind === kind;

export function isKaito(root: SourceDocument["root"]): boolean {
  return isKind(root, "Workspace");
}

export function isInferenceSet(root: SourceDocument["root"]): boolean {
  return isKind(root, "InferenceSet");
}

export function readKaito(document: SourceDocument, draft: Draft, all: readonly SourceDocument[]): Ledger[] {
  const ledger = new Ledger(document, kaitoTable);
  if (ledger.get("tuning") !== undefined) {
    ledger.dismiss("a workspace that tunes a model ends: environments have servers");
    return [ledger];
  }
  readWorkspace(ledger, [], draft, all);
  return [ledger];
}

/** KEDA scales an InferenceSet by it. */
const MOST_REPLICAS: Path = ["metadata", "annotations", "scaledobject.kaito.sh/max-replicas"];

export function readInferenceSet(document: SourceDocument, draft: Draft, all: readonly SourceDocument[]): Ledger[] {
  const ledger = new Ledger(document, kaitoInferenceSetTable);
  const model = readWorkspace(ledger, ["spec", "template"], draft, all);
  if (model === undefined) {
    return [ledger];
  }
  const min = ledger.number("spec", "replicas") ?? 1;
  const max = ledger.number(...MOST_REPLICAS);
  const copies = model.replicas.min;
  const most = max !== undefined && max > min ? max * copies : undefined;
  model.replicas = { min: min * copies, ...(most !== undefined && { max: most }) };
  ledger.mapped(["spec", "replicas"], "models.*.replicas.min");
  ledger.mapped(MOST_REPLICAS, "models.*.replicas.max");
  return [ledger];
}

/** @param base of `inference` and `resource`. */
function readWorkspace(
  ledger: Ledger,
  base: Path,
  draft: Draft,
  all: readonly SourceDocument[],
): ModelDraft | undefined {
  const inference: Path = [...base, "inference"];
  const preset = ledger.text(...inference, "preset", "name");
  const pod: Path = [...inference, "template", "spec"];
  const containers = ledger.list(...pod, "containers");
  const own: Path = [...pod, "containers", servingContainer(containers, ["inference"])];
  const image = serverImage(ledger.text(...own, "image") ?? "");
  if (preset === undefined && image?.engine !== "vllm") {
    ledger.dismiss("it names no preset, and the image of its pod template runs no engine that is served here");
    return undefined;
  }
  const name = ledger.text("metadata", "name") ?? preset ?? "model";
  const model = newModel(ledger, [], keyOf(name.replace(/^workspace-/, "")), "vllm");
  ledger.mapped(["metadata", "name"], "models");
  ledger.cover(["apiVersion"]);
  ledger.cover(["kind"]);
  if (preset === undefined) {
    readTemplate(model, pod, own);
  } else {
    model.weights = preset.includes("/") ? preset : (presetRepository(preset) ?? preset);
    ledger.mapped([...inference, "preset", "name"], "models.*.model");
    // Its Workspaces have the set's name.
    const served = base.length > 0 ? name : preset.split("/").pop()?.toLowerCase();
    serveAs(model, served, [...inference, "preset", "name"]);
  }
  const secret = [...inference, "preset", "presetOptions", "modelAccessSecret"];
  if (ledger.text(...secret) !== undefined) {
    ledger.changed(secret, HUB_TOKEN_REASON, "huggingFaceToken");
  }
  readMachine(model, [...base, "resource"]);
  readConfig(model, [...inference, "config"], all);
  if (preset === undefined) {
    ledger.mapped([...base, "resource", "count"], "pools.*.minNodes");
    statedLayout(model);
  } else {
    layout(model, [...base, "resource"]);
  }
  draft.models.push(model);
  return model;
}

function readTemplate(model: ModelDraft, pod: Path, own: Path): void {
  readContainer(model, own);
  readUserPod(model, {
    volumes: [...pod, "volumes"],
    mounts: [...own, "volumeMounts"],
    initContainers: [...pod, "initContainers"],
    containers: [...pod, "containers"],
    serving: Number(own[own.length - 1]),
  });
}

function readMachine(model: ModelDraft, resource: Path): void {
  const { ledger, machine } = model;
  const at: Path = [...resource, "instanceType"];
  const type = ledger.text(...at);
  const known = type === undefined ? undefined : instanceType(type);
  if (known?.card !== undefined) {
    machine.card = known.card;
    machine.gpusPerNode = known.gpus;
    ledger.mapped(at, "pools.*.node.card");
  } else if (type !== undefined) {
    ledger.lost(at, "no machine of Azure or AWS with GPUs that is known here: name its card with --card");
  }
  const part: Path = [...resource, "partition"];
  const mode = ledger.text(...part, "mode");
  const count = ledger.number(...part, "count");
  if (mode === "mig") {
    machine.mig = `all-${(ledger.text(...part, "profile") ?? "").replace(/^(nvidia\.com\/)?mig-/, "")}`;
    ledger.mapped(part, "pools.*.sharing.mig");
  } else if (mode !== undefined) {
    ledger.mapped(part, "models.*.vllm.tensorParallel");
  }
  const gpus = mode === undefined ? machine.gpusPerNode : (count ?? 1);
  if (gpus !== undefined) {
    model.original = { ...model.original, gpus };
  }
}

/** Preset's flags, in a ConfigMap of the same files. */
function readConfig(model: ModelDraft, at: Path, all: readonly SourceDocument[]): void {
  const { ledger } = model;
  const name = ledger.text(...at);
  if (name === undefined) {
    return;
  }
  const map = inNamespaceOf(ledger.document.root, all).find(
    ({ root }) => root.kind === "ConfigMap" && nameOf(root) === name,
  );
  const text = isMapping(map?.root.data) ? map.root.data["inference_config.yaml"] : undefined;
  if (map === undefined || typeof text !== "string") {
    ledger.lost(at, `no file has the ConfigMap ${name}: import it with the workspace`);
    return;
  }
  const flags = flagsIn(map.file, text);
  ledger.mapped(at, "models.*.vllm and models.*.args");
  for (const [flag, value] of Object.entries(flags)) {
    applyVllmFlags(model, [{ name: flag, values: [String(value)], at }]);
  }
}

function flagsIn(file: string, text: string): Readonly<Record<string, unknown>> {
  const [config] = documentsOf(`${file} (inference_config.yaml)`, text);
  if (config === undefined) {
    throw new ImportFileError(`${file}: inference_config.yaml is empty`);
  }
  return mappingOf(config.root.vllm);
}

/** Selects a server other than vLLM. */
const RUNTIME: Path = ["metadata", "annotations", "kaito.sh/runtime"];

function layout(model: ModelDraft, resource: Path): void {
  const { ledger, block, machine, settings, weights = "", original } = model;
  const at: Path = [...resource, "count"];
  if (ledger.text(...RUNTIME) === "transformers") {
    ledger.changed(RUNTIME, "vLLM serves the model in place of Hugging Face Transformers", "models.*.engine");
    ledger.changed(at, "the plan counts the nodes of a model by its size");
    model.original = {};
    return;
  }
  block.gpuMemoryUtilization ??= kaitoUtilization(machine);
  model.takesWhatFits = !model.statesContext;
  const gpus = original.gpus ?? 1;
  const stated = typeof settings.contextTokens === "number" ? settings.contextTokens : undefined;
  const known = kaitoLayout(weights, machine, gpus, stated);
  const { tensorParallel, nodes, copies } = known ?? {
    tensorParallel: gpus,
    nodes: ledger.number(...at) ?? 1,
    copies: 1,
  };
  const why =
    known === undefined
      ? "KAITO lays a model out by its size and the memory of its nodes, of which one is not known here: its GPUs share the model"
      : copies > 1
        ? `less than half of one GPU holds the model: KAITO runs ${copies} copies in a pod, which are replicas here`
        : `KAITO counts the nodes by the model's size: ${nodes}`;
  for (const place of [
    [...resource, "instanceType"],
    [...resource, "partition"],
  ]) {
    if (known === undefined || copies > 1) {
      ledger.changed(place, why, copies > 1 ? "models.*.replicas.min" : "models.*.vllm.tensorParallel");
    }
  }
  if (ledger.number(...at) === nodes) {
    ledger.mapped(at, "models.*.vllm.pipelineParallel");
  } else {
    ledger.changed(at, why, "models.*.vllm.pipelineParallel");
  }
  block.tensorParallel ??= tensorParallel;
  block.pipelineParallel ??= nodes;
  model.replicas = { min: copies };
  model.original = {
    gpus: copies > 1 ? 1 : gpus,
    tensorParallel: Number(block.tensorParallel),
    pipelineParallel: Number(block.pipelineParallel),
  };
}
