/** KAITO: Workspace (v1alpha1, v1beta1), with the ConfigMap that it names. */
import { cards, findShape } from "../../../catalog/shapes";
import machines from "../azure-machines.json";
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { Ledger } from "../ledger";
import { isMapping, type Path } from "../path";
import { documentsOf, ImportFileError, type SourceDocument } from "../read-documents";
import { HUB_TOKEN_REASON } from "../variables";
import { applyVllmFlags } from "../vllm-flags";
import { presetRepository } from "../weights-name";
import { kaitoTable } from "./tables";

export function isKaito(root: SourceDocument["root"]): boolean {
  return String(root.apiVersion).startsWith("kaito.sh/") && root.kind === "Workspace";
}

export function readKaito(document: SourceDocument, draft: Draft, all: readonly SourceDocument[]): Ledger[] {
  const ledger = new Ledger(document, kaitoTable);
  if (ledger.get("tuning") !== undefined) {
    ledger.dismiss("a workspace that tunes a model ends: environments have servers");
    return [ledger];
  }
  const preset = ledger.text("inference", "preset", "name");
  if (preset === undefined) {
    ledger.dismiss("its pod template names no preset: an environment names the model");
    return [ledger];
  }
  const model = newModel(
    ledger,
    [],
    keyOf((ledger.text("metadata", "name") ?? preset).replace(/^workspace-/, "")),
    "vllm",
  );
  ledger.mapped(["metadata", "name"], "models");
  ledger.cover(["apiVersion"]);
  ledger.cover(["kind"]);
  model.weights = preset.includes("/") ? preset : (presetRepository(preset) ?? preset);
  ledger.mapped(["inference", "preset", "name"], "models.*.model");
  model.settings.servedName = preset;
  if (ledger.text("inference", "preset", "presetOptions", "modelAccessSecret") !== undefined) {
    ledger.changed(["inference", "preset", "presetOptions", "modelAccessSecret"], HUB_TOKEN_REASON, "huggingFaceToken");
  }
  readMachine(model);
  readConfig(model, all);
  layout(model);
  draft.models.push(model);
  return [ledger];
}

function readMachine(model: ModelDraft): void {
  const { ledger, machine } = model;
  const at: Path = ["resource", "instanceType"];
  const type = ledger.text(...at);
  const known = machines.machines as Readonly<Record<string, { readonly card: string; readonly gpus: number }>>;
  const shape = type === undefined ? undefined : findShape(type);
  if (type !== undefined && Object.hasOwn(known, type)) {
    machine.card = known[type]?.card;
    machine.gpusPerNode = known[type]?.gpus;
    ledger.mapped(at, "pools.*.node.card");
  } else if (shape?.gpu !== undefined) {
    machine.card = cards.find(({ gpu }) => gpu === shape.gpu?.model)?.name;
    machine.gpusPerNode = shape.gpu.count;
    ledger.mapped(at, "pools.*.node.card");
  } else if (type !== undefined) {
    ledger.lost(at, "no machine of Azure or AWS with GPUs that is known here: name its card with --card");
  }
  const part: Path = ["resource", "partition"];
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
    model.original = { gpus };
  }
  ledger.mapped(["resource", "count"], "models.*.vllm.pipelineParallel");
}

/** The preset's flags in a ConfigMap of the same files. */
function readConfig(model: ModelDraft, all: readonly SourceDocument[]): void {
  const { ledger } = model;
  const at: Path = ["inference", "config"];
  const name = ledger.text(...at);
  if (name === undefined) {
    return;
  }
  const map = all.find(
    ({ root }) => root.kind === "ConfigMap" && isMapping(root.metadata) && root.metadata.name === name,
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
  return isMapping(config.root.vllm) ? config.root.vllm : {};
}

/** KAITO spreads a model over all GPUs of a node, and over the nodes of the workspace. */
function layout(model: ModelDraft): void {
  const { ledger, block, original } = model;
  const nodes = ledger.number("resource", "count") ?? 1;
  block.tensorParallel ??= original.gpus ?? 1;
  block.pipelineParallel ??= nodes;
  model.original = {
    ...original,
    tensorParallel: Number(block.tensorParallel),
    pipelineParallel: Number(block.pipelineParallel),
  };
}
