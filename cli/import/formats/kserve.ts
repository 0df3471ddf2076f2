/** KServe: InferenceService (v1beta1) and LLMInferenceService (v1alpha1, v1alpha2). */
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { Ledger } from "../ledger";
import { isMapping, type Path } from "../path";
import { loseOthers, readContainer, readPodPlace, servingContainer, statedLayout } from "../pod-container";
import type { SourceDocument } from "../read-documents";
import { serverImage } from "../server-image";
import { weightsNamed } from "../weights-name";
import { kserveInferenceServiceTable, kserveLlmInferenceServiceTable } from "./tables";

const isKserve = (root: SourceDocument["root"], kind: string) =>
  String(root.apiVersion).startsWith("serving.kserve.io/") && root.kind === kind;

export function isInferenceService(root: SourceDocument["root"]): boolean {
  return isKserve(root, "InferenceService");
}

export function isLlmInferenceService(root: SourceDocument["root"]): boolean {
  return isKserve(root, "LLMInferenceService");
}

/** Model formats whose runtime is vLLM. */
const VLLM_FORMATS = ["huggingface", "vllm"];

export function readInferenceService(document: SourceDocument, draft: Draft): Ledger[] {
  const ledger = new Ledger(document, kserveInferenceServiceTable);
  const predictor: Path = ["spec", "predictor"];
  const format = ledger.text(...predictor, "model", "modelFormat", "name");
  const containers = ledger.list(...predictor, "containers");
  const own: Path = [...predictor, "containers", servingContainer(containers, ["kserve-container"])];
  const image = serverImage(ledger.text(...own, "image") ?? ledger.text(...predictor, "model", "image") ?? "");
  const engine =
    image?.engine ?? (format === "triton" || ledger.get(...predictor, "triton") !== undefined ? "triton" : "vllm");
  const isServed = format === undefined ? image !== undefined : VLLM_FORMATS.includes(format.toLowerCase());
  if (!isServed) {
    ledger.dismiss(
      engine === "triton"
        ? "a repository of Triton says nothing of its memory: write models.<name>.triton.repository (docs/triton.md)"
        : `its format ${format ?? "has no name, and its image"} runs no engine that is served here: vLLM, Ollama or TGI`,
    );
    return [ledger];
  }
  const model = newModel(ledger, [], nameOf(ledger), engine);
  readStorage(model, [...predictor, "model", "storageUri"]);
  ledger.mapped([...predictor, "model", "modelFormat"], "models.*.engine");
  readContainer(model, format === undefined ? own : [...predictor, "model"]);
  loseOthers(
    model,
    [...predictor, "containers"],
    format === undefined ? servingContainer(containers, ["kserve-container"]) : -1,
  );
  readServiceFlags(model);
  readScale(model, predictor);
  readPodPlace(model, predictor);
  readWorkers(model, [...predictor, "workerSpec"]);
  statedLayout(model);
  draft.models.push(model);
  return [ledger];
}

function nameOf(ledger: Ledger): string {
  ledger.mapped(["metadata", "name"], "models");
  ledger.cover(["apiVersion"]);
  ledger.cover(["kind"]);
  return keyOf(ledger.text("metadata", "name") ?? "model");
}

/** `hf://org/name`, and places that hold weights of their own. */
function readStorage(model: ModelDraft, at: Path, served?: string): void {
  const { ledger } = model;
  const uri = ledger.text(...at);
  if (uri === undefined) {
    return;
  }
  if (uri.startsWith("hf://")) {
    const [, repository = uri, revision] = /^(hf:\/\/[^:@]+)[:@]?(.*)$/.exec(uri) ?? [];
    model.weights = repository;
    model.revision = revision === "" ? undefined : revision;
    ledger.mapped(at, "models.*.model");
  } else {
    const folder = uri.replace(/^[a-z0-9]+:\/\//, "/");
    const names = [folder, served, served?.split("/").pop()].filter((name) => name !== undefined);
    model.weights ??=
      names.find((name) => weightsNamed(name)?.entry !== undefined) ??
      names.find((name) => weightsNamed(name) !== undefined);
    ledger.changed(
      at,
      "the weights come from Hugging Face, by the name of the folder or of the model",
      "models.*.source",
    );
  }
}

/** Flags of KServe's own server for Hugging Face models. */
function readServiceFlags(model: ModelDraft): void {
  for (const name of ["model-name", "model-id", "backend", "model-dir"]) {
    delete model.args[name];
  }
}

function readScale(model: ModelDraft, at: Path): void {
  const { ledger } = model;
  const min = ledger.number(...at, "minReplicas");
  const max = ledger.number(...at, "maxReplicas");
  if (min !== undefined || max !== undefined) {
    const least = min ?? 1;
    model.replicas = { min: least, ...(max !== undefined && max > least && { max }) };
    ledger.mapped([...at, "minReplicas"], "models.*.replicas.min");
    ledger.mapped([...at, "maxReplicas"], "models.*.replicas.max");
  }
  const concurrent = ledger.number(...at, "containerConcurrency");
  if (concurrent !== undefined && concurrent > 0) {
    model.settings.concurrency = concurrent;
    ledger.mapped([...at, "containerConcurrency"], "models.*.concurrency");
  }
}

function readWorkers(model: ModelDraft, at: Path): void {
  readSizes(model, at, { tensorParallelSize: "tensorParallel", pipelineParallelSize: "pipelineParallel" });
}

/** Sizes of groups of GPUs, by their fields in the document. */
function readSizes({ ledger, block }: ModelDraft, at: Path, keys: Readonly<Record<string, string>>): void {
  for (const [field, key] of Object.entries(keys)) {
    const size = ledger.number(...at, field);
    if (size !== undefined) {
      block[key] = size;
      ledger.mapped([...at, field], `models.*.vllm.${key}`);
    }
  }
}

export function readLlmInferenceService(document: SourceDocument, draft: Draft): Ledger[] {
  const ledger = new Ledger(document, kserveLlmInferenceServiceTable);
  const model = newModel(ledger, [], nameOf(ledger), "vllm");
  const served = ledger.text("spec", "model", "name");
  readStorage(model, ["spec", "model", "uri"], served);
  if (served !== undefined) {
    model.settings.servedName = served;
    ledger.mapped(["spec", "model", "name"], "models.*.servedName");
  }
  readLora(model);
  const template: Path = ["spec", "template"];
  const containers = ledger.list(...template, "containers");
  if (containers.length > 0) {
    const serving = servingContainer(containers, ["main"]);
    readContainer(model, [...template, "containers", serving]);
    loseOthers(model, [...template, "containers"], serving);
  }
  readPodPlace(model, template);
  readParallelism(model);
  const replicas = ledger.number("spec", "replicas");
  model.replicas = { min: (replicas ?? 1) * model.replicas.min };
  ledger.mapped(["spec", "replicas"], "models.*.replicas.min");
  readScale(model, ["spec", "scaling"]);
  readPrefill(model);
  statedLayout(model);
  draft.models.push(model);
  return [ledger];
}

function readLora(model: ModelDraft): void {
  const { ledger } = model;
  const at: Path = ["spec", "model", "lora", "adapters"];
  ledger.list(...at).forEach((adapter, index) => {
    const { name, uri } = isMapping(adapter) ? adapter : {};
    if (typeof name === "string" && typeof uri === "string" && uri.startsWith("hf://")) {
      model.adapters[keyOf(name)] = uri;
      ledger.mapped([...at, index], "models.*.adapters");
    } else {
      ledger.lost([...at, index], "adapters come from hf://org/name or from s3://bucket/prefix of the model store");
    }
  });
}

function readParallelism(model: ModelDraft): void {
  const { ledger } = model;
  const at: Path = ["spec", "parallelism"];
  readSizes(model, at, { tensor: "tensorParallel", pipeline: "pipelineParallel" });
  const ranks = ledger.number(...at, "data") ?? 1;
  if (ranks > 1 && ledger.get(...at, "expert") !== true) {
    model.replicas = { min: model.replicas.min * ranks };
    ledger.changed(
      [...at, "data"],
      `${ranks} ranks of a dense model share nothing: they are replicas`,
      "models.*.replicas.min",
    );
  } else if (ranks > 1) {
    for (const field of ["data", "dataLocal", "expert"]) {
      ledger.lost([...at, field], "ranks that share experts (wide expert parallelism) are not offered");
    }
  }
}

function readPrefill(model: ModelDraft): void {
  const { ledger, block } = model;
  if (!isMapping(ledger.get("spec", "prefill"))) {
    return;
  }
  block.prefillDecode = {
    prefill: ledger.number("spec", "prefill", "replicas") ?? 1,
    decode: Math.max(model.replicas.min, 1),
  };
  model.replicas = { min: 1 };
  ledger.mapped(["spec", "prefill", "replicas"], "models.*.vllm.prefillDecode.prefill");
}
