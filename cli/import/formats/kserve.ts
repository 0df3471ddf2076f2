import { type Flag, flagsOf, wordsOf } from "../command-line";
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { EXPERT_RANKS, spreadExperts } from "../expert-ranks";
import { Ledger } from "../ledger";
import { gibibytes } from "../nodes-of-pods";
import { noteLimit } from "../note-limit";
import { isMapping, mappingOf, type Path, rowOf } from "../path";
import { type ContainerContext, readContainer, readPodPlace, servingContainer, statedLayout } from "../pod-container";
import { splitPods } from "../prefill-decode";
import type { SourceDocument } from "../read-documents";
import { ADAPTER_SOURCES, addAdapter, serveAs } from "../served-name";
import { serverImage } from "../server-image";
import { applyAddress } from "../stored-weights";
import { readUserPod } from "../user-pod";
import { readDevices, readSizes, readWorkers, takeAllGpus } from "./kserve-gpus";
import {
  isKserve,
  noteBaseRefs,
  noteRuntime,
  runtimeOf,
  withBaseRefs,
  withModel,
  withRuntime,
} from "./kserve-references";
import { kserveInferenceServiceTable, kserveLlmInferenceServiceTable } from "./tables";

export function isInferenceService(root: SourceDocument["root"]): boolean {
  return isKserve(root, "InferenceService");
}

export function isLlmInferenceService(root: SourceDocument["root"]): boolean {
  return isKserve(root, "LLMInferenceService");
}

const VLLM_FORMATS = ["huggingface", "vllm"];

const MOUNTED = "/mnt/models";

/** Names the weights of custom containers. */
const STORAGE = "STORAGE_URI";

export function readInferenceService(document: SourceDocument, draft: Draft, all: readonly SourceDocument[]): Ledger[] {
  const service = withModel(document);
  const runtime = runtimeOf(service, all);
  const ledger = new Ledger(withRuntime(service, runtime), kserveInferenceServiceTable);
  const predictor: Path = ["spec", "predictor"];
  const format = ledger.text(...predictor, "model", "modelFormat", "name");
  const containers = ledger.list(...predictor, "containers");
  const isModel = isMapping(ledger.get(...predictor, "model"));
  const serving = isModel ? -1 : servingContainer(containers, ["kserve-container"]);
  const own: Path = isModel ? [...predictor, "model"] : [...predictor, "containers", serving];
  const image = serverImage(ledger.text(...own, "image") ?? "");
  const engine =
    image?.engine ?? (format === "triton" || ledger.get(...predictor, "triton") !== undefined ? "triton" : "vllm");
  if (engine === "triton" || (image === undefined && !VLLM_FORMATS.includes(format?.toLowerCase() ?? ""))) {
    ledger.dismiss(
      engine === "triton"
        ? "a repository of Triton says nothing of its memory: write models.<name>.triton.repository (docs/triton.md)"
        : `its format ${format ?? "has no name, and its image"} runs no engine that is served here: vLLM, Ollama or TGI`,
    );
    return [ledger];
  }
  const task = taskOf(ledger, own);
  if (task !== undefined && !SERVED_TASKS.includes(task)) {
    ledger.dismiss(`its task ${task} is not served here: tasks are chat, completion, embedding and rerank`);
    return [ledger];
  }
  const model = newModel(ledger, [], nameOf(ledger), engine);
  ledger.mapped([...predictor, "model", "modelFormat"], "models.*.engine");
  // KServe's runtimes serve the service's name; others, that of their command line.
  const isOwnServer = runtime === undefined || image?.server !== undefined;
  if (isModel && isOwnServer) {
    serveAs(model, ledger.text("metadata", "name"), NAME);
  }
  const isUnknown = noteRuntime(ledger, runtime);
  readContainer(model, own, contextOf(ledger));
  if (isModel) {
    serveAs(model, ledger.text("metadata", "name"), NAME);
  }
  assumeGpu(model, isUnknown);
  readAddresses(model, draft, own);
  readUserPod(model, {
    volumes: [...predictor, "volumes"],
    mounts: [...own, "volumeMounts"],
    initContainers: [...predictor, "initContainers"],
    containers: [...predictor, "containers"],
    serving,
    labels: [...predictor, "labels"],
    annotations: [...predictor, "annotations"],
  });
  readScale(model, predictor);
  readKnativeScale(ledger);
  noteStopped(ledger);
  readPodPlace(model, predictor);
  readWorkers(model, [...predictor, "workerSpec"]);
  const isKserves =
    format?.toLowerCase() === "huggingface" && (image === undefined ? isOwnServer : image.server !== undefined);
  if (isModel && isKserves && !isMapping(ledger.get(...predictor, "workerSpec"))) {
    takeAllGpus(model);
  }
  statedLayout(model);
  draft.models.push(model);
  return [ledger];
}

const NAME: Path = ["metadata", "name"];

/** Tasks of KServe's Hugging Face server that vLLM supports. */
const SERVED_TASKS = [
  "text_generation",
  "text2text_generation",
  "text_embedding",
  "embed",
  "embedding",
  "score",
  "generate",
  "auto",
  "pooling",
];

function taskOf(ledger: Ledger, own: Path): string | undefined {
  const words = ["command", "args"].flatMap((key) => wordsOf(ledger.list(...own, key), [...own, key]));
  return flagsOf(words).find(({ name }) => name === "task")?.values[0];
}

/** A missing document may request GPUs. */
function assumeGpu({ ledger, at, machine, original }: ModelDraft, isUnknown: boolean): void {
  if (isUnknown && original.gpus === undefined && machine.vendor === undefined) {
    machine.vendor = "nvidia";
    ledger.changed(at, "what it refers to and no file has may ask for GPUs: one is planned", "pools.*.node.card");
  }
}

function nameOf(ledger: Ledger): string {
  ledger.mapped(["metadata", "name"], "models");
  ledger.cover(["apiVersion"]);
  ledger.cover(["kind"]);
  return keyOf(ledger.text("metadata", "name") ?? "model");
}

const FLAGS: Readonly<Record<string, string>> = {
  "model-id": "model",
  "model-name": "served-model-name",
  "model-revision": "revision",
  "max-length": "max-model-len",
};

function contextOf(ledger: Ledger): ContainerContext {
  const values: Readonly<Record<string, string | undefined>> = {
    Name: ledger.text("metadata", "name"),
    "ObjectMeta.Name": ledger.text("metadata", "name"),
    "Spec.Model.Name": ledger.text("spec", "model", "name"),
  };
  return {
    text: (word) => word.replace(/\{\{\s*\.([\w.]+)\s*\}\}/g, (whole, key: string) => rowOf(values, key) ?? whole),
    flags: (flags) =>
      flags.flatMap((flag): Flag[] => {
        if (flag.name === "model-dir" || flag.name === "backend") {
          ledger.changed(flag.at, "vLLM serves the weights from a folder that the platform chooses");
          flag.valuesAt?.forEach((at) => void ledger.cover(at));
          return [];
        }
        return [{ ...flag, name: rowOf(FLAGS, flag.name) ?? flag.name }];
      }),
    taken: [STORAGE],
  };
}

/** The model's address, a container's variable, or a path in a Secret's bucket. */
function readAddresses(model: ModelDraft, draft: Draft, own: Path): void {
  const { ledger } = model;
  if (model.weights?.startsWith(MOUNTED) === true) {
    delete model.weights;
  }
  const names = [ledger.text("metadata", "name")];
  const variable = ledger.list(...own, "env").findIndex((each) => isMapping(each) && each.name === STORAGE);
  const places: Path[] = [
    [...own, "storageUri"],
    [...own, "env", variable, "value"],
  ];
  for (const at of places) {
    const address = ledger.text(...at);
    if (address !== undefined) {
      applyAddress(model, draft, address, at, names);
      ledger.cover([...own, "env", variable]);
    }
  }
  const storage: Path = [...own, "storage"];
  const path = ledger.text(...storage, "path");
  if (path !== undefined) {
    applyAddress(model, draft, `secret://${path}`, [...storage, "path"], names);
    ledger.lost(
      [...storage, "key"],
      "the Secret with the bucket's address and keys is not read: write it under storage.buckets, and the prefix as models.*.source",
    );
  }
}

function readScale(model: ModelDraft, at: Path): void {
  const { ledger } = model;
  const min = ledger.number(...at, "minReplicas");
  const max = ledger.number(...at, "maxReplicas");
  if (min !== undefined || max !== undefined) {
    const least = min ?? 1;
    const most = max === undefined || max === 0 ? Math.max(least, 1) : max;
    model.replicas = { min: least, ...(most > least && { max: most }) };
    if ((max === undefined || max === 0) && isStandard(ledger)) {
      ledger.mapped([...at, "minReplicas"], "models.*.replicas.min");
      ledger.mapped([...at, "maxReplicas"], "models.*.replicas.max");
    } else if (max === undefined || max === 0) {
      ledger.changed(
        [...at, min === undefined ? "maxReplicas" : "minReplicas"],
        `without maxReplicas Knative scales without a limit: here to ${most}, which replicas.max raises`,
        "models.*.replicas.max",
      );
    } else {
      ledger.mapped([...at, "minReplicas"], "models.*.replicas.min");
      noteLimit(ledger, [...at, "maxReplicas"], max, least);
    }
  }
  const concurrent = ledger.number(...at, "containerConcurrency");
  if (concurrent !== undefined && concurrent > 0) {
    model.settings.concurrency = concurrent;
    ledger.mapped([...at, "containerConcurrency"], "models.*.concurrency");
  }
}

/** Deployments keep minReplicas without maxReplicas, unlike Knative. */
function isStandard(ledger: Ledger): boolean {
  const mode = ledger.text("metadata", "annotations", "serving.kserve.io/deploymentMode") ?? "";
  return ["Standard", "RawDeployment"].includes(mode);
}

/** A stopped service. */
function noteStopped(ledger: Ledger): void {
  const at: Path = ["metadata", "annotations", "serving.kserve.io/stop"];
  if (ledger.text(...at) === "true") {
    ledger.changed(at, "the service is stopped: it is planned as it runs otherwise", "models.*.replicas.min");
  }
}

/** KServe sets the limits itself, from minReplicas and maxReplicas. */
function readKnativeScale(ledger: Ledger): void {
  const at = (key: string): Path => ["metadata", "annotations", `autoscaling.knative.dev/${key}`];
  for (const [key, field] of [
    ["min-scale", "minReplicas"],
    ["minScale", "minReplicas"],
    ["max-scale", "maxReplicas"],
    ["maxScale", "maxReplicas"],
  ] as const) {
    ledger.wrong(at(key), `KServe leaves this annotation out: spec.predictor.${field} counts`);
  }
  for (const key of ["target", "metric", "class", "target-utilization-percentage"]) {
    ledger.changed(at(key), "replicas follow the queue and the KV cache: models.*.scaling has targets");
  }
}

export function readLlmInferenceService(
  document: SourceDocument,
  draft: Draft,
  all: readonly SourceDocument[],
): Ledger[] {
  const ledger = new Ledger(withBaseRefs(document, all), kserveLlmInferenceServiceTable);
  const model = newModel(ledger, [], nameOf(ledger), "vllm");
  const isUnknown = noteBaseRefs(ledger, all);
  const served = ledger.text("spec", "model", "name") ?? ledger.text("metadata", "name");
  serveAs(model, served, NAME);
  const template: Path = ["spec", "template"];
  const containers = ledger.list(...template, "containers");
  const serving = servingContainer(containers, ["main"]);
  const own: Path = [...template, "containers", serving];
  if (containers.length > 0) {
    readContainer(model, own, contextOf(ledger));
  }
  readModel(model, draft);
  readLora(model);
  readUserPod(model, {
    volumes: [...template, "volumes"],
    mounts: [...own, "volumeMounts"],
    initContainers: [...template, "initContainers"],
    containers: [...template, "containers"],
    serving,
    labels: ["spec", "labels"],
    annotations: ["spec", "annotations"],
  });
  readPodPlace(model, template);
  readDevices(model);
  readOffloading(model);
  readParallelism(model);
  assumeGpu(model, isUnknown);
  const replicas = ledger.number("spec", "replicas");
  model.replicas = { min: (replicas ?? 1) * model.replicas.min };
  ledger.mapped(["spec", "replicas"], "models.*.replicas.min");
  readScale(model, ["spec", "scaling"]);
  readPrefill(model);
  statedLayout(model);
  draft.models.push(model);
  return [ledger];
}

function readModel(model: ModelDraft, draft: Draft): void {
  const { ledger } = model;
  const at: Path = ["spec", "model"];
  const served = ledger.text(...at, "name");
  if (model.weights?.startsWith(MOUNTED) === true) {
    delete model.weights;
  }
  const address = ledger.text(...at, "uri");
  if (address !== undefined) {
    applyAddress(model, draft, address, [...at, "uri"], [served, served?.split("/").pop()]);
  }
  ledger.mapped([...at, "name"], "models.*.servedName");
}

/** KV cache blocks in the pod's memory. */
function readOffloading({ ledger, args, places }: ModelDraft): void {
  const at: Path = ["spec", "kvCacheOffloading", "cpu"];
  const size = gibibytes(ledger.text(...at));
  if (size !== undefined) {
    args["kv-offloading-size"] = size;
    places.set("args.kv-offloading-size", at);
    ledger.mapped(at, "models.*.args.kv-offloading-size");
  }
}

function readLora(model: ModelDraft): void {
  const { ledger } = model;
  const at: Path = ["spec", "model", "lora", "adapters"];
  ledger.list(...at).forEach((adapter, index) => {
    const { name, uri } = mappingOf(adapter);
    if (typeof name === "string" && typeof uri === "string" && uri.startsWith("hf://")) {
      addAdapter(model, name, uri, [...at, index]);
    } else {
      ledger.lost([...at, index], ADAPTER_SOURCES);
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
    model.ranks = ranks;
    ledger.changed(
      [...at, "data"],
      `${ranks} ranks of a dense model share nothing: they are replicas`,
      "models.*.replicas.min",
    );
  } else if (ranks > 1) {
    spreadExperts(model, ranks, ledger.number(...at, "dataLocal"));
    for (const field of ["data", "dataLocal", "expert"]) {
      ledger.lost([...at, field], EXPERT_RANKS);
    }
  }
}

function readPrefill(model: ModelDraft): void {
  const { ledger } = model;
  if (!isMapping(ledger.get("spec", "prefill"))) {
    return;
  }
  if (model.replicas.min === 0) {
    ledger.correct("models.*.replicas.min", ["spec", "replicas"], "one pod at least writes the answers");
  }
  splitPods(model, ledger.number("spec", "prefill", "replicas") ?? 1, Math.max(model.replicas.min, 1));
  ledger.mapped(["spec", "prefill", "replicas"], "models.*.vllm.prefillDecode.prefill");
}
