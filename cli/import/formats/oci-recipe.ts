/** OCI AI Blueprints: services, shared node pools, deployment groups. */
import { findShape } from "../../../catalog/shapes";
import { flagsOf, substituted, variablesIn, wordsOf } from "../command-line";
import { type Draft, keyOf, type MachineDraft, type ModelDraft, newModel } from "../draft";
import { Ledger } from "../ledger";
import { isMapping, type Path } from "../path";
import { tooFewGpus } from "../pod-container";
import type { SourceDocument } from "../read-documents";
import { serveTag } from "../served-name";
import { applyImage, imageOf, type ServerImage, serverImage } from "../server-image";
import { giveWay, nameWeights } from "../stored-weights";
import { applyVariables, valuesOf, variablesOf } from "../variables";
import { applyVllmFlags } from "../vllm-flags";
import { weightsNamed } from "../weights-name";
import { ociRecipeTable as table } from "./tables";

export function isOciRecipe(root: SourceDocument["root"]): boolean {
  return ["recipe_mode", "recipe_id", "deployment_group", "pre_filled_samples", "secrets_payload"].some((key) =>
    Object.hasOwn(root, key),
  );
}

export function readOciRecipe(document: SourceDocument, draft: Draft): Ledger[] {
  const { root } = document;
  draft.cluster ??= "oci";
  const outer = new Ledger(document, table);
  const groups: Path[] = [
    ...recipesBelow(root.deployment_group, "deployments").map((index) => [
      "deployment_group",
      "deployments",
      index,
      "recipe",
    ]),
    ...recipesBelow(root, "pre_filled_samples").map((index) => ["pre_filled_samples", index]),
  ];
  if (groups.length === 0) {
    readRecipe(outer, draft);
    return [outer];
  }
  const ledgers = groups.map((base) => new Ledger(document, table, base));
  groups.forEach((base) => void outer.changed(base, "read as a recipe of its own"));
  ledgers.forEach((ledger) => void readRecipe(ledger, draft));
  return [outer, ...ledgers];
}

function recipesBelow(value: unknown, key: string): number[] {
  const list = isMapping(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.map((_, index) => index) : [];
}

const MODES: Readonly<Record<string, string>> = {
  job: "a job ends; environments have servers",
  update: "it changes labels and slices of nodes that exist: write them under pools",
  team: "it makes queues and quotas of Kueue: gateway.consumers has limits by request and token",
};

function readRecipe(ledger: Ledger, draft: Draft): void {
  const mode = ledger.text("recipe_mode") ?? (ledger.get("secrets_payload") === undefined ? "service" : "secrets");
  if (mode === "shared_node_pool") {
    ledger.mapped(["recipe_mode"], "pools");
    readPool(ledger, draft);
  } else if (mode === "secrets") {
    ledger.dismiss("secrets are not copied: pulumi config set --secret, by the names in docs/configuration.md");
  } else if (Object.hasOwn(MODES, mode)) {
    ledger.dismiss(`a recipe of mode ${mode}: ${MODES[mode] ?? ""}`);
  } else {
    readService(ledger, draft);
  }
}

function readPool(ledger: Ledger, draft: Draft): void {
  const name = keyOf(ledger.text("deployment_name") ?? "gpu");
  const machine: MachineDraft = {};
  ledger.mapped(["deployment_name"], "pools");
  const shape = shapeOf(ledger, ["shared_node_pool_shape"], machine);
  const size = ledger.number("shared_node_pool_size");
  if (size !== undefined) {
    machine.nodes = { min: size };
    ledger.mapped(["shared_node_pool_size"], "pools.*.minNodes");
  }
  flexSize(ledger, "shared_node_pool_flex_shape_ocpu_count", "shared_node_pool_flex_shape_memory_size_in_gbs", machine);
  const mig = ledger.text("shared_node_pool_mig_config");
  if (mig !== undefined) {
    machine.mig = mig;
    ledger.mapped(["shared_node_pool_mig_config"], "pools.*.sharing.mig");
  }
  if (ledger.get("multinode_rdma_enabled_in_shared_pool") === true) {
    machine.rdma = true;
    ledger.mapped(["multinode_rdma_enabled_in_shared_pool"], "pools.*.rdma.access");
  }
  for (const [index, selector] of ledger.list("shared_node_pool_custom_node_selectors").entries()) {
    if (isMapping(selector) && typeof selector.key === "string") {
      machine.labels = { ...machine.labels, [selector.key]: String(selector.value ?? "") };
      ledger.mapped(["shared_node_pool_custom_node_selectors", index], "pools.*.labels");
    }
  }
  const selector = ledger.text("shared_node_pool_selector");
  if (selector !== undefined) {
    ledger.mapped(["shared_node_pool_selector"], "models.*.pools");
  }
  if (shape !== undefined) {
    draft.pools.push({ name, ledger, at: [], machine, ...(selector !== undefined && { selector }) });
  }
}

function shapeOf(ledger: Ledger, path: Path, machine: MachineDraft): string | undefined {
  const shape = ledger.text(...path);
  if (shape !== undefined) {
    machine.shape = shape;
    ledger.mapped(path, "pools.*.shape");
  }
  return shape;
}

function flexSize(ledger: Ledger, ocpus: string, memory: string, machine: MachineDraft): void {
  const count = ledger.number(ocpus);
  const size = ledger.number(memory);
  if (count !== undefined || size !== undefined) {
    machine.flex = { ...(count !== undefined && { ocpus: count }), ...(size !== undefined && { memoryGiB: size }) };
    ledger.mapped([ocpus], "pools.*.ocpus");
    ledger.mapped([memory], "pools.*.memoryGiB");
  }
}

function readService(ledger: Ledger, draft: Draft): void {
  const image = ledger.text("recipe_image_uri") ?? "";
  const server = serverOf(ledger, image);
  if (server === undefined) {
    ledger.dismiss(`its image ${image} runs no engine that is served here: vLLM, Ollama, TGI or Triton`);
    return;
  }
  const model = newModel(ledger, [], keyOf(ledger.text("deployment_name") ?? "model"), server.engine);
  const mode = ledger.text("recipe_mode") ?? "service";
  if (mode === "service") {
    ledger.mapped(["recipe_mode"], "models");
  } else {
    ledger.wrong(["recipe_mode"], `no recipe has the mode ${mode}: it is read as a service`);
  }
  ledger.mapped(["deployment_name"], "models");
  applyImage(model, server, [["recipe_image_uri"]]);
  model.weights = server.weights;
  readCommand(model);
  weightsOfStorage(model);
  readReplicas(model);
  readMachine(model);
  const host = ["service_endpoint_domain", "service_endpoint.domain"].map((path) => path.split("."));
  for (const path of host) {
    const name = ledger.text(...path);
    if (name !== undefined) {
      draft.hostnames.push({ name, ledger, at: path });
    }
  }
  draft.models.push(model);
}

/** By the image, else the recipe's port and name. */
function serverOf(ledger: Ledger, image: string): ServerImage | undefined {
  const isOllama = ledger.text("recipe_container_port") === "11434" || ledger.text("recipe_id") === "cpu_inference";
  return serverImage(image) ?? (isOllama ? imageOf(image, "ollama") : undefined);
}

function readCommand(model: ModelDraft): void {
  const { ledger } = model;
  const variables = variablesOf(ledger.get("recipe_container_env"), ["recipe_container_env"]);
  const values = valuesOf(variables);
  const words = ["recipe_container_command", "recipe_container_command_args"].flatMap((key) =>
    wordsOf(ledger.list(key), [key]),
  );
  const used = new Set(words.flatMap(({ text }) => variablesIn(text)));
  const answered = new Set<string>();
  const written = words.map((word) => ({ ...word, text: substituted(word.text, values) }));
  if (model.engine === "vllm") {
    applyVllmFlags(model, flagsOf(written));
  } else {
    words.forEach(({ at }) => void ledger.changed(at, "the platform starts the engine"));
  }
  const tag = values.MODEL_NAME;
  if (model.engine === "ollama" && tag !== undefined) {
    const place = ["recipe_container_env", variables.findIndex(({ name }) => name === "MODEL_NAME")];
    model.weights = tag;
    serveTag(model, tag, place);
    ledger.mapped(place, "models.*.source");
    answered.add("MODEL_NAME");
  }
  // Only the recipes' documentation uses it.
  const named = values.model_name ?? "";
  if (
    named !== "" &&
    weightsNamed(named) !== undefined &&
    (model.weights === undefined || model.weights.startsWith("/"))
  ) {
    const index = variables.findIndex(({ name }) => name === "model_name");
    nameWeights(model, named, ["recipe_container_env", index]);
    answered.add("model_name");
  }
  applyVariables(
    model,
    variables.filter(({ name }) => !answered.has(name)),
    used,
  );
}

/** Weights in a bucket or file system, by its name or folders. */
function weightsOfStorage(model: ModelDraft): void {
  const { ledger } = model;
  for (const [index, storage] of ledger.list("input_object_storage").entries()) {
    if (!isMapping(storage)) {
      continue;
    }
    const at = ["input_object_storage", index];
    const { par, bucket_name: bucket, include, volume_size_in_gbs: size } = storage;
    const [, ofPar] = /\/b\/([^/]+)\//.exec(typeof par === "string" ? par : "") ?? [];
    const folders = Array.isArray(include) ? include.filter((each): each is string => typeof each === "string") : [];
    const names = [...folders, ofPar, bucket].filter((name): name is string => typeof name === "string");
    const known = names.find((name) => weightsNamed(name)?.entry !== undefined);
    if (known !== undefined && (model.weights === undefined || weightsNamed(model.weights) === undefined)) {
      const place = folders.includes(known)
        ? [...at, "include"]
        : [...at, typeof par === "string" ? "par" : "bucket_name"];
      giveWay(model, place);
      model.weights = known;
      ledger.changed(
        place,
        "its name says which weights these are; they come from Hugging Face in place of the bucket",
        "models.*.model",
      );
    } else if (known !== undefined && folders.includes(known)) {
      ledger.changed([...at, "include"], "the weights come from Hugging Face", "models.*.source");
    }
    if (typeof size === "number") {
      model.volumeGB = { size, at: [...at, "volume_size_in_gbs"] };
    }
  }
  for (const [index, storage] of ledger.list("input_file_system").entries()) {
    const size = isMapping(storage) ? storage.volume_size_in_gbs : undefined;
    if (typeof size === "number") {
      model.volumeGB ??= { size, at: ["input_file_system", index, "volume_size_in_gbs"] };
    }
  }
}

function readReplicas(model: ModelDraft): void {
  const { ledger } = model;
  const count = ledger.number("recipe_replica_count");
  const scaling = "recipe_pod_autoscaling_params";
  const min = ledger.number(scaling, "min_replicas");
  const max = ledger.number(scaling, "max_replicas");
  if (count !== undefined && min !== undefined) {
    ledger.lost(["recipe_replica_count"], `${scaling} counts: min_replicas`);
  } else if (count !== undefined) {
    model.replicas = { min: Math.max(count, 0) * model.replicas.min };
    ledger.mapped(["recipe_replica_count"], "models.*.replicas.min");
  }
  if (min !== undefined || max !== undefined) {
    model.replicas = { min: min ?? model.replicas.min, ...(max !== undefined && { max }) };
    ledger.mapped([scaling, "min_replicas"], "models.*.replicas.min");
    ledger.mapped([scaling, "max_replicas"], "models.*.replicas.max");
  }
  const gateway = ledger.text("recipe_inference_gateway", "model_name");
  if (gateway !== undefined) {
    model.name = keyOf(gateway);
    ledger.mapped(["recipe_inference_gateway", "model_name"], "models");
  }
}

function readMachine(model: ModelDraft): void {
  const { ledger, machine, block } = model;
  shapeOf(ledger, ["recipe_node_shape"], machine);
  flexSize(ledger, "recipe_flex_shape_ocpu_count", "recipe_flex_shape_memory_size_in_gbs", machine);
  const gpus = ledger.number("recipe_nvidia_gpu_count") ?? ledger.number("recipe_amd_gpu_count");
  const key = ledger.get("recipe_amd_gpu_count") === undefined ? "recipe_nvidia_gpu_count" : "recipe_amd_gpu_count";
  if (gpus !== undefined) {
    noteGpus(model, [key], gpus);
  }
  const slices = ledger.text("mig_resource_request");
  if (slices !== undefined) {
    ledger.mapped(["mig_resource_request"], "pools.*.sharing.mig");
    machine.mig ??= layoutOf(slices);
  }
  const nodes = ledger.number("recipe_node_pool_size");
  const least = ledger.number("recipe_node_autoscaling_params", "min_nodes");
  const most = ledger.number("recipe_node_autoscaling_params", "max_nodes");
  if (ledger.get("recipe_use_shared_node_pool") === true) {
    const selector = ledger.text("recipe_shared_node_pool_selector");
    machine.shared = selector === undefined ? {} : { selector };
    ledger.mapped(["recipe_use_shared_node_pool"], "models.*.pools");
    ledger.mapped(["recipe_shared_node_pool_selector"], "models.*.pools");
  } else if (nodes !== undefined || least !== undefined) {
    machine.nodes = { min: least ?? nodes ?? 1, ...(most !== undefined && { max: most }) };
    if (least === undefined) {
      ledger.mapped(["recipe_node_pool_size"], "pools.*.minNodes");
    } else {
      ledger.lost(["recipe_node_pool_size"], "recipe_node_autoscaling_params counts: min_nodes");
    }
    ledger.mapped(["recipe_node_autoscaling_params", "min_nodes"], "pools.*.minNodes");
    ledger.mapped(["recipe_node_autoscaling_params", "max_nodes"], "pools.*.maxNodes");
  }
  if (ledger.get("multinode_rdma_enabled_in_shared_pool") === true) {
    machine.rdma = true;
    ledger.mapped(["multinode_rdma_enabled_in_shared_pool"], "pools.*.rdma.access");
  }
  const over = ledger.number("multinode_num_nodes_to_use_from_shared_pool");
  const stages = typeof block.pipelineParallel === "number" ? block.pipelineParallel : 1;
  if (over !== undefined) {
    const at: Path = ["multinode_num_nodes_to_use_from_shared_pool"];
    if (stages === over) {
      ledger.mapped(at, "models.*.vllm.pipelineParallel");
    } else {
      ledger.wrong(
        at,
        `${over} nodes, and a pipeline of ${stages}: each node runs one stage, so that the two numbers are equal`,
      );
    }
  }
  model.original = {
    ...(gpus !== undefined && { gpus }),
    tensorParallel: typeof block.tensorParallel === "number" ? block.tensorParallel : 1,
    pipelineParallel: stages,
  };
}

/** Notes GPUs beyond the machine's, or other than the engine's. */
function noteGpus({ ledger, block, machine, engine }: ModelDraft, at: Path, gpus: number): void {
  const wide = typeof block.tensorParallel === "number" ? block.tensorParallel : 1;
  const deep = typeof block.pipelineParallel === "number" ? block.pipelineParallel : 1;
  const held = machine.shape === undefined ? undefined : findShape(machine.shape)?.gpu?.count;
  if (held !== undefined && gpus > held) {
    ledger.wrong(at, `a pod asks for ${gpus} GPUs, and ${machine.shape} has ${held}: it waits for ever`);
  } else if (engine === "vllm" && deep === 1 && wide > gpus) {
    ledger.wrong(at, tooFewGpus(wide, gpus));
  } else if (engine === "vllm" && deep === 1 && wide < gpus) {
    ledger.changed(at, `the engine spans ${wide} of ${gpus} GPUs: the plan gives it as many as it uses`);
  } else {
    ledger.mapped(at, "models.*.vllm.tensorParallel");
  }
}

/** `nvidia.com/mig-1g.10gb` is a slice of layout all-1g.10gb. */
function layoutOf(resource: string): string {
  const [, profile = resource] = /(\d+g\.\d+gb(?:\+me)?)/.exec(resource) ?? [];
  return `all-${profile}`;
}
