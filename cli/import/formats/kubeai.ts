/** KubeAI's Model (kubeai.org/v1), and values of its chart models. */
import { flagsOf, wordsOf } from "../command-line";
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { Ledger } from "../ledger";
import { cardNamed } from "../nodes-of-pods";
import { noteLimit } from "../note-limit";
import { isMapping, mappingOf, type Path } from "../path";
import { statedLayout } from "../pod-container";
import type { SourceDocument } from "../read-documents";
import { ADAPTER_SOURCES, addAdapter, serveAs } from "../served-name";
import { applyImage, imageOf } from "../server-image";
import { applyAddress } from "../stored-weights";
import { applyVariables, variablesOf } from "../variables";
import { applyVllmFlags } from "../vllm-flags";
import { kubeaiTable } from "./tables";

export function isKubeai(root: SourceDocument["root"]): boolean {
  return (String(root.apiVersion).startsWith("kubeai.org/") && root.kind === "Model") || isMapping(root.catalog);
}

const FEATURES = ["TextGeneration", "TextEmbedding"];

/** Other engines transcribe or rank. */
const ENGINES = { VLLM: "vllm", OLlama: "ollama" } as const;

export function readKubeai(document: SourceDocument, draft: Draft): Ledger[] {
  const outer = new Ledger(document, kubeaiTable);
  if (!isMapping(document.root.catalog)) {
    readModel(outer, ["spec"], outer.text("metadata", "name") ?? "model", draft);
    return [outer];
  }
  const all = outer.get("all", "enabled") === true;
  for (const name of outer.keys("catalog")) {
    const at = ["catalog", name];
    if (all || outer.get(...at, "enabled") === true) {
      readModel(outer, at, name, draft);
      outer.changed([...at, "enabled"], "the model is switched on");
    } else {
      outer.lost(at, "the model is switched off");
    }
  }
  return [outer];
}

function readModel(ledger: Ledger, at: Path, name: string, draft: Draft): void {
  const engine = ledger.text(...at, "engine") ?? "VLLM";
  const known = Object.entries(ENGINES).find(([key]) => key === engine)?.[1];
  const url = ledger.text(...at, "url") ?? "";
  const [, asked] = /[?&]model=([^&]+)/.exec(url) ?? [];
  if (known === undefined) {
    const why = `${engine} is not served here: vLLM and Ollama are`;
    if (at[0] === "spec") {
      ledger.dismiss(why);
    } else {
      ledger.lost(at, why);
    }
    return;
  }
  if (url === "" && at[0] === "catalog") {
    ledger.lost(
      at,
      "its url is in the chart's own catalog, which this file overrides: import what helm template writes",
    );
    return;
  }
  const model = newModel(ledger, at, keyOf(name), known);
  serveAs(model, name, at[0] === "catalog" ? at : ["metadata", "name"]);
  ledger.mapped(["metadata", "name"], "models");
  ledger.cover(["apiVersion"]);
  ledger.cover(["kind"]);
  ledger.mapped([...at, "engine"], "models.*.engine");
  if (url.startsWith("ollama://")) {
    model.weights = url.replace(/\?.*$/, "");
    ledger.mapped([...at, "url"], "models.*.model");
  } else if (known === "ollama") {
    model.weights = asked;
    ledger.changed([...at, "url"], "Ollama fetches the model from its library, by its name", "models.*.source");
  } else {
    applyAddress(model, draft, url, [...at, "url"], [name, asked]);
    model.weights ??= asked;
  }
  if (known === "vllm") {
    applyVllmFlags(model, flagsOf(wordsOf(ledger.list(...at, "args"), [...at, "args"])));
  }
  applyVariables(model, variablesOf(ledger.get(...at, "env"), [...at, "env"]), new Set());
  const image = ledger.text(...at, "image");
  if (image !== undefined) {
    applyImage(model, { ...imageOf(image, known), engine: known }, [[...at, "image"]]);
  }
  if (ledger.list(...at, "features").includes("TextEmbedding")) {
    model.settings.task = "embedding";
  }
  ledger.list(...at, "features").forEach((feature, index) => {
    const place: Path = [...at, "features", index];
    if (FEATURES.includes(String(feature))) {
      ledger.mapped(place, "models.*.task");
    } else {
      ledger.lost(place, "it is not served here: tasks are chat, completion, embedding and rerank");
    }
  });
  ledger.list(...at, "adapters").forEach((adapter, index) => {
    const { name: adapterName, url: source } = mappingOf(adapter);
    if (typeof adapterName === "string" && typeof source === "string" && source.startsWith("hf://")) {
      addAdapter(model, `${name}_${adapterName}`, source, [...at, "adapters", index], adapterName);
    } else {
      ledger.lost([...at, "adapters", index], ADAPTER_SOURCES);
    }
  });
  readScale(model);
  const target = ledger.number(...at, "targetRequests");
  if (target !== undefined) {
    ledger.changed(
      [...at, "targetRequests"],
      "replicas follow the queue and the KV cache: scaling.targets.queue is the number that may wait",
    );
  }
  readProfile(model, at);
  statedLayout(model);
  draft.models.push(model);
}

/** Fixed without autoscaling; else from minReplicas, without a limit unless stated. */
function readScale(model: ModelDraft): void {
  const { ledger, at } = model;
  const stated = ledger.number(...at, "replicas");
  const min = ledger.number(...at, "minReplicas") ?? 0;
  const max = ledger.number(...at, "maxReplicas");
  if (ledger.get(...at, "autoscalingDisabled") === true) {
    model.replicas = { min: stated ?? min };
    ledger.mapped([...at, "autoscalingDisabled"], "models.*.replicas");
    ledger.mapped([...at, "replicas"], "models.*.replicas.min");
    for (const field of ["minReplicas", "maxReplicas"]) {
      ledger.changed([...at, field], "it counts with autoscaling alone, which is off");
    }
    return;
  }
  const most = max ?? Math.max(min, stated ?? 1, 1);
  model.replicas = { min, ...(most > min && { max: most }) };
  ledger.mapped([...at, "minReplicas"], "models.*.replicas.min");
  noteLimit(ledger, [...at, "maxReplicas"], max, min);
  ledger.changed([...at, "replicas"], "autoscaling sets it, between minReplicas and maxReplicas");
  if (max === undefined) {
    ledger.changed(
      ledger.get(...at, "minReplicas") === undefined ? [...at, "url"] : [...at, "minReplicas"],
      `without maxReplicas KubeAI scales without a limit: here to ${most}, which replicas.max raises`,
      "models.*.replicas.max",
    );
  }
}

/** `nvidia-gpu-l4:2`: a profile and its count. */
function readProfile(model: ModelDraft, at: Path): void {
  const { ledger, machine } = model;
  const [profile = "", count = "1"] = (ledger.text(...at, "resourceProfile") ?? "").split(":");
  const times = /^[1-9]\d*$/.test(count) ? count : "1";
  if (times !== count) {
    ledger.wrong(
      [...at, "resourceProfile"],
      `a profile is taken a whole number of times, and not ${count}: once is planned`,
    );
  }
  if (profile.startsWith("cpu") || profile === "") {
    machine.vendor = "cpu";
    machine.vcpus = Math.max(16, Number(times));
  } else {
    const card = cardNamed(profile);
    model.original = { gpus: Number(times) };
    machine.vendor = profile.startsWith("amd") ? "amd" : "nvidia";
    if (card === undefined) {
      ledger.lost([...at, "resourceProfile"], `${profile} names no card of the catalogue: name one with --card`);
      return;
    }
    machine.card = card;
  }
  if (times === count) {
    ledger.mapped([...at, "resourceProfile"], "pools.*.node.card");
  }
}
