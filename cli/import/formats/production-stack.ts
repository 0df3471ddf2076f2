/** Values of the chart vllm-stack (vLLM production-stack). */
import { flagsOf, substituted, wordsOf } from "../command-line";
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { Ledger } from "../ledger";
import { readNodeSelector, readNodeTerms, readTolerations } from "../nodes-of-pods";
import { isMapping, type Path } from "../path";
import { tooFewGpus } from "../pod-container";
import { splitPods } from "../prefill-decode";
import type { SourceDocument } from "../read-documents";
import { addAdapter, serveAs } from "../served-name";
import { applyImage, imageOf, settleImage } from "../server-image";
import { nameWeights, readFromClaim } from "../stored-weights";
import { readUserPod } from "../user-pod";
import { applyVariables, HUB_TOKEN_REASON, valuesOf, variablesOf } from "../variables";
import { applyVllmFlags } from "../vllm-flags";
import { isOnRay, requestedGpus } from "./production-stack-gpus";
import { productionStackTable as table } from "./tables";

export function isProductionStack(root: SourceDocument["root"]): boolean {
  return Object.hasOwn(root, "servingEngineSpec") || Object.hasOwn(root, "routerSpec");
}

const ENGINES = ["servingEngineSpec", "modelSpec"];

export function readProductionStack(document: SourceDocument, draft: Draft): Ledger[] {
  const ledger = new Ledger(document, table);
  const models = ledger.list(...ENGINES).flatMap((spec, index): ModelDraft[] => {
    const at: Path = [...ENGINES, index];
    if (!isMapping(spec)) {
      return [];
    }
    if (spec.enabled === false) {
      ledger.lost(at, "the model is switched off");
      return [];
    }
    return [readModel(ledger, at)];
  });
  readAdapters(ledger, models);
  readRouter(ledger, draft);
  draft.models.push(...withoutPrefillers(models));
  return [ledger];
}

const CONFIG_FLAGS: Readonly<Record<string, string>> = {
  maxModelLen: "max-model-len",
  dtype: "dtype",
  tensorParallelSize: "tensor-parallel-size",
  pipelineParallelSize: "pipeline-parallel-size",
  maxNumSeqs: "max-num-seqs",
  gpuMemoryUtilization: "gpu-memory-utilization",
  maxLoras: "max-loras",
  runner: "runner",
  convert: "convert",
};

function readModel(ledger: Ledger, at: Path): ModelDraft {
  const model = newModel(ledger, at, keyOf(ledger.text(...at, "name") ?? "model"), "vllm");
  ledger.mapped([...at, "name"], "models");
  const repository = ledger.text(...at, "repository") ?? "vllm/vllm-openai";
  const tag = ledger.text(...at, "tag");
  const image = imageOf(tag === undefined ? repository : `${repository}:${tag}`, "vllm");
  const named = [[...at, "tag"], ...(image.isOfficial ? [] : [[...at, "repository"]])];
  applyImage(
    model,
    { ...image, engine: "vllm" },
    named.filter((path) => ledger.get(...path) !== undefined),
  );
  if (image.isOfficial) {
    ledger.mapped([...at, "repository"], "models.*.engine");
  }
  const url = ledger.text(...at, "modelURL");
  if (url !== undefined) {
    nameWeights(model, url, [...at, "modelURL"]);
    serveAs(model, url, [...at, "modelURL"]);
  }
  model.revision = ledger.text(...at, "modelRevision");
  ledger.mapped([...at, "modelRevision"], "models.*.source");
  readConfig(model);
  readTools(model);
  readOffloading(model);
  readEnvironment(model);
  readScale(model);
  readMachine(model);
  readPod(model);
  return model;
}

function readConfig(model: ModelDraft): void {
  const { ledger, at, args } = model;
  const config = [...at, "vllmConfig"];
  for (const [field, name] of Object.entries(CONFIG_FLAGS)) {
    const value = ledger.text(...config, field);
    if (value !== undefined && field === "pipelineParallelSize" && !isOnRay(model)) {
      ledger.wrong([...config, field], "the chart passes it on with raySpec alone: vLLM never sees it");
    } else if (value !== undefined) {
      applyVllmFlags(model, [{ name, values: [value], at: [...config, field] }]);
    }
  }
  for (const [field, name] of [
    ["enableChunkedPrefill", "enable-chunked-prefill"],
    ["enablePrefixCaching", "enable-prefix-caching"],
  ] as const) {
    const value = ledger.get(...config, field);
    if (typeof value === "boolean") {
      applyVllmFlags(model, [{ name, values: [String(value)], at: [...config, field] }]);
    }
  }
  const variables = valuesOf(variablesOf(ledger.get(...at, "env"), []));
  const words = wordsOf(ledger.list(...config, "extraArgs"), [...config, "extraArgs"]);
  applyVllmFlags(model, flagsOf(words.map((word) => ({ ...word, text: substituted(word.text, variables) }))));
  if (ledger.keys(...config).length > 0 && !Object.hasOwn(args, "enable-prefix-caching") && !isOnRay(model)) {
    ledger.changed(
      at,
      "the chart turns prefix caching off where enablePrefixCaching is absent: here vLLM decides; args: {enable-prefix-caching: false} turns it off",
      "models.*.args.enable-prefix-caching",
    );
  }
  // The templates read extraArgs below vllmConfig only.
  if (ledger.list(...at, "extraArgs").length > 0) {
    ledger.wrong([...at, "extraArgs"], "the chart reads extraArgs below vllmConfig alone: these flags reach no server");
  }
}

function readTools(model: ModelDraft): void {
  const { ledger, at, block } = model;
  if (ledger.get(...at, "enableTool") === true) {
    block.toolCalling = true;
    ledger.mapped([...at, "enableTool"], "models.*.vllm.toolCalling");
  }
  const parser = ledger.text(...at, "toolCallParser");
  if (parser !== undefined) {
    applyVllmFlags(model, [{ name: "tool-call-parser", values: [parser], at: [...at, "toolCallParser"] }]);
  }
  const template = ledger.text(...at, "chatTemplate");
  if (template !== undefined) {
    applyVllmFlags(model, [{ name: "chat-template", values: [template], at: [...at, "chatTemplate"] }]);
  }
}

/** LMCache's connector and its part of the pod's memory. */
function readOffloading(model: ModelDraft): void {
  const { ledger, at } = model;
  const cache = [...at, "lmcacheConfig"];
  if (ledger.get(...cache, "enabled") !== true || ledger.get(...cache, "enablePD") === true) {
    return;
  }
  model.args["kv-transfer-config"] = { kv_connector: "LMCacheConnectorV1", kv_role: "kv_both" };
  model.places.set("args.kv-transfer-config", [...cache, "enabled"]);
  ledger.mapped([...cache, "enabled"], "models.*.args.kv-transfer-config");
  const size = ledger.text(...cache, "cpuOffloadingBufferSize");
  if (size !== undefined && Number(size) > 0) {
    model.env.LMCACHE_LOCAL_CPU = "True";
    model.env.LMCACHE_MAX_LOCAL_CPU_SIZE = size;
    model.places.set("env.LMCACHE_MAX_LOCAL_CPU_SIZE", [...cache, "cpuOffloadingBufferSize"]);
    ledger.mapped([...cache, "cpuOffloadingBufferSize"], "models.*.env.LMCACHE_MAX_LOCAL_CPU_SIZE");
  }
}

function readEnvironment(model: ModelDraft): void {
  const { ledger, at } = model;
  const shared: Path = ["servingEngineSpec", "env"];
  // Common to all models: noted once.
  const first = ledger.list(...ENGINES).findIndex((spec) => isMapping(spec) && spec.enabled !== false);
  const account = at[at.length - 1] === first ? ledger : new Ledger(ledger.document, table);
  applyVariables({ ...model, ledger: account }, variablesOf(ledger.get(...shared), shared), new Set());
  applyVariables(model, variablesOf(ledger.get(...at, "env"), [...at, "env"]), new Set());
  if (ledger.get(...at, "hf_token") !== undefined) {
    ledger.changed([...at, "hf_token"], HUB_TOKEN_REASON, "huggingFaceToken");
  }
}

/** Mount path of a model's claim. */
const CLAIM_FOLDER = "/data";

function readPod(model: ModelDraft): void {
  const { ledger, at } = model;
  const claim = ledger.text(...at, "pvcExistingClaimName");
  const claimAt = [...at, "pvcExistingClaimName"];
  if (claim !== undefined && !readFromClaim(model, claim, CLAIM_FOLDER, claimAt)) {
    ledger.changed(claimAt, "the model store keeps the weights; of a claim they are read by models.*.source: pvc://…");
  }
  readUserPod(model, {
    volumes: [...at, "extraVolumes"],
    mounts: [...at, "extraVolumeMounts"],
    initContainers: [...at, "initContainer"],
    labels: [...at, "podLabels"],
    annotations: [...at, "podAnnotations"],
  });
}

/** KEDA's defaults. */
const KEDA_REPLICAS = { min: 0, max: 100 };

function readScale(model: ModelDraft): void {
  const { ledger, at } = model;
  const count = ledger.number(...at, "replicaCount");
  const enabled = [...at, "keda", "enabled"];
  const isOfRay = ledger.get(...at, "raySpec") !== undefined;
  if (count !== undefined) {
    model.replicas = { min: count * model.replicas.min };
  }
  if (ledger.get(...enabled) !== true || isOfRay) {
    ledger.mapped([...at, "replicaCount"], "models.*.replicas.min");
    if (isOfRay) {
      ledger.wrong(enabled, "the chart makes no ScaledObject of a model with raySpec: its replicas are fixed");
    }
    return;
  }
  ledger.changed([...at, "replicaCount"], "KEDA sets it");
  const idle = ledger.number(...at, "keda", "idleReplicaCount");
  const [least, most] = ["minReplicaCount", "maxReplicaCount"].map((field) => ledger.number(...at, "keda", field));
  const min = idle === 0 ? 0 : (least ?? KEDA_REPLICAS.min);
  const max = most ?? KEDA_REPLICAS.max;
  if (least === undefined || most === undefined) {
    ledger.changed(enabled, `KEDA's own limits where none is stated: ${min} to ${max} replicas`, "models.*.replicas");
  } else {
    ledger.mapped(enabled, "models.*.replicas.max");
  }
  model.replicas = { min, ...(max > min && { max }) };
  for (const [field, to] of [
    ["minReplicaCount", "min"],
    ["maxReplicaCount", "max"],
    ["idleReplicaCount", "min"],
  ] as const) {
    ledger.mapped([...at, "keda", field], `models.*.replicas.${to}`);
  }
}

function readMachine(model: ModelDraft): void {
  const { ledger, at, machine, block } = model;
  const gpus = requestedGpus(model);
  const needed = typeof block.tensorParallel === "number" ? block.tensorParallel : 1;
  const stages = typeof block.pipelineParallel === "number" ? block.pipelineParallel : 1;
  model.original = {
    ...(gpus !== undefined && gpus >= 1 && { gpus }),
    ...(machine.vendor !== "cpu" && { tensorParallel: needed, pipelineParallel: stages }),
  };
  if (gpus !== undefined && gpus >= 1 && needed > gpus && !isOnRay(model)) {
    ledger.wrong(
      ledger.get(...at, "requestGPU") === undefined ? [...at, "resources"] : [...at, "requestGPU"],
      tooFewGpus(needed, gpus),
    );
  }
  if (ledger.get(...at, "raySpec", "enabled") === true) {
    ledger.changed(
      [...at, "raySpec"],
      "vLLM starts its own processes where a replica spans nodes; every pod of a replica is alike",
      "models.*.vllm.pipelineParallel",
    );
  }
  readNodeSelector(ledger, [...at, "nodeSelector"], machine);
  readNodeSelector(ledger, ["servingEngineSpec", "nodeSelector"], machine);
  readNodeTerms(ledger, [...at, "nodeSelectorTerms"], machine);
  readTolerations(ledger, [...at, "tolerations"], machine);
  readTolerations(ledger, ["servingEngineSpec", "tolerations"], machine);
}

function readAdapters(ledger: Ledger, models: readonly ModelDraft[]): void {
  ledger.list("loraAdapters").forEach((_, index) => {
    const at: Path = ["loraAdapters", index];
    const base = models.find(({ name }) => name === keyOf(ledger.text(...at, "baseModel") ?? ""));
    const repository = ledger.text(...at, "adapterSource", "repository");
    const [named, applied] = [
      [...at, "name"],
      [...at, "adapterSource", "adapterName"],
    ];
    const asked = ledger.text(...applied) ?? ledger.text(...named) ?? "adapter";
    if (base === undefined) {
      ledger.wrong([...at, "baseModel"], "no model of modelSpec has this name");
    } else if (ledger.text(...at, "adapterSource", "type") === "huggingface" && repository !== undefined) {
      addAdapter(base, asked, `hf://${repository}`, ledger.text(...applied) === undefined ? named : applied);
      ledger.changed(named, "clients ask for adapterName");
      ledger.mapped([...at, "baseModel"], "models.*.adapters");
      for (const field of ["type", "repository"]) {
        ledger.mapped([...at, "adapterSource", field], "models.*.adapters.*.source");
      }
    } else {
      ledger.lost(
        [...at, "adapterSource"],
        "adapters come from hf://org/name or from s3://bucket/prefix of the model store",
      );
    }
  });
}

function readRouter(ledger: Ledger, draft: Draft): void {
  const logic = ledger.text("routerSpec", "routingLogic");
  const at = ["routerSpec", "routingLogic"];
  if (logic === "session") {
    draft.affinity = "header";
    ledger.mapped(at, "gateway.affinity");
    const key = ledger.text("routerSpec", "sessionKey");
    if (key !== undefined && key !== "") {
      ledger.changed(
        ["routerSpec", "sessionKey"],
        `clients name their session in the header x-session-id in place of ${key}`,
        "gateway.affinity",
      );
    }
  } else if (logic === "roundrobin") {
    ledger.changed(at, "the least busy replica answers in place of the next one");
  } else if (logic === "disaggregated_prefill" || logic === "disaggregated_prefill_orchestrated") {
    ledger.mapped(at, "models.*.vllm.prefillDecode");
  } else if (logic !== undefined) {
    ledger.lost(
      at,
      `routing by "${logic}" is not offered: gateway.affinity keeps a session at its replica (docs/affinity.md)`,
    );
  }
  if (logic !== "session") {
    ledger.changed(["routerSpec", "sessionKey"], "it counts with routingLogic session alone");
  }
  ledger.list("routerSpec", "ingress", "hosts").forEach((host, index) => {
    if (isMapping(host) && typeof host.host === "string" && ledger.get("routerSpec", "ingress", "enabled") === true) {
      draft.hostnames.push({ name: host.host, ledger, at: ["routerSpec", "ingress", "hosts", index, "host"] });
    }
  });
  for (const route of ledger.keys("routerSpec", "route")) {
    ledger.list("routerSpec", "route", route, "hostnames").forEach((name, index) => {
      if (typeof name === "string" && ledger.get("routerSpec", "route", route, "enabled") === true) {
        draft.hostnames.push({ name, ledger, at: ["routerSpec", "route", route, "hostnames", index] });
      }
    });
  }
}

/** Models that only prefill become prefill pods of their model. */
function withoutPrefillers(models: readonly ModelDraft[]): ModelDraft[] {
  const role = (model: ModelDraft) =>
    model.ledger.get(...model.at, "lmcacheConfig", "enablePD") === true
      ? model.ledger.text(...model.at, "lmcacheConfig", "kvRole")
      : undefined;
  const gone = new Set<ModelDraft>();
  for (const decoder of models.filter((model) => role(model) === "kv_consumer")) {
    const prefiller = models.find((model) => role(model) === "kv_producer" && model.weights === decoder.weights);
    if (prefiller !== undefined) {
      gone.add(prefiller);
      settleImage(prefiller, undefined);
      splitPods(decoder, prefiller.replicas.min, decoder.replicas.min);
      for (const model of [prefiller, decoder]) {
        model.ledger.mapped([...model.at, "lmcacheConfig", "kvRole"], "models.*.vllm.prefillDecode");
        model.ledger.changed(
          [...model.at, "lmcacheConfig"],
          "vLLM's own connector moves the cache between the pods",
          "models.*.vllm.prefillDecode",
        );
      }
    }
  }
  return models.filter((model) => !gone.has(model));
}
