/** Values of the chart ollama (ollama-helm). */
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { Ledger } from "../ledger";
import { readNodeSelector, readResources, readTolerations } from "../nodes-of-pods";
import { noteLimit } from "../note-limit";
import { isMapping, type Path } from "../path";
import type { SourceDocument } from "../read-documents";
import { serveTag } from "../served-name";
import { applyImage, imageOf } from "../server-image";
import { readUserPod } from "../user-pod";
import { applyVariables, variablesOf } from "../variables";
import { ollamaHelmTable } from "./tables";

export function isOllamaHelm(root: SourceDocument["root"]): boolean {
  return hasModels(root) || hasModels(root.ollama);
}

function hasModels(values: unknown): boolean {
  const ollama = isMapping(values) ? values.ollama : undefined;
  return isMapping(ollama) && ["models", "gpu"].some((key) => Object.hasOwn(ollama, key));
}

const MODELS = ["ollama", "models"];

/** The chart's defaults. */
const CHART_REPLICAS = { min: 1, max: 100 };

/** The chart's values, or those of a parent under `ollama`, as Open WebUI's. */
export function readOllamaHelm(document: SourceDocument, draft: Draft): Ledger[] {
  const outer = new Ledger(document, ollamaHelmTable);
  if (isMapping(document.root.ollama) && document.root.ollama.enabled === false) {
    outer.dismiss("it switches the chart ollama off: ollama.enabled");
    return [outer];
  }
  if (hasModels(document.root)) {
    readValues(outer, draft);
    return [outer];
  }
  const inner = new Ledger(document, ollamaHelmTable, ["ollama"]);
  outer.changed(["ollama"], "read as values of the chart ollama");
  readValues(inner, draft);
  return [outer, inner];
}

function readValues(ledger: Ledger, draft: Draft): void {
  // Charts before 1.0 list the tags elsewhere.
  const places = [MODELS, [...MODELS, "run"], [...MODELS, "pull"]].flatMap((path) =>
    ledger.list(...path).flatMap((tag, index) => (typeof tag === "string" ? [{ tag, at: [...path, index] }] : [])),
  );
  const made = madeModels(ledger);
  const fetched = places.filter(({ tag, at }) => {
    const isMade = made.some(({ name }) => name === tag);
    ledger[isMade ? "changed" : "mapped"](at, isMade ? "ollama.models.create makes it" : "models.*.source");
    return !isMade;
  });
  const served = new Map(fetched.map(({ tag, at }): [string, Made] => [tag, { name: tag, tag, at }]));
  for (const each of made) {
    const base = [...served.values()].find(({ tag }) => tag === each.tag);
    if (base === undefined) {
      served.set(each.name, each);
    } else {
      ledger.lost([...each.at, "name"], `the server has ${each.tag} once: clients ask for it as ${base.name}`);
      served.set(base.name, { ...base, tokens: Math.max(base.tokens ?? 0, each.tokens ?? 0) });
    }
  }
  const models = [...served.values()].map(({ name, tag, at, tokens = 0 }) => {
    const model = newModel(ledger, [...MODELS], keyOf(name), "ollama");
    model.weights = tag;
    serveTag(model, name, at);
    if (tokens > 0) {
      model.settings.contextTokens = tokens;
      model.statesContext = true;
    }
    return model;
  });
  if (models.length === 0) {
    ledger.dismiss(
      "it names no model under ollama.models.pull: a server whose clients pull models is modelControl here (docs/model-control.md)",
    );
    return;
  }
  const [server, ...guests] = models;
  if (server !== undefined) {
    readServer(server, draft);
    guests.forEach((guest) => void shareServer(guest, server));
  }
  draft.models.push(...models);
}

interface Made {
  readonly name: string;
  readonly tag: string;
  readonly at: Path;
  readonly tokens?: number;
}

/** Models from a Modelfile: the base, with its context length. */
function madeModels(ledger: Ledger): Made[] {
  return ledger.list(...MODELS, "create").flatMap((_, index): Made[] => {
    const at = [...MODELS, "create", index];
    const [name, text = ""] = ["name", "template"].map((key) => ledger.text(...at, key));
    const [, tag] = /^\s*FROM\s+([\w./:-]+)\s*$/im.exec(text) ?? [];
    const [, length] = /^\s*PARAMETER\s+num_ctx\s+(\d+)\s*$/im.exec(text) ?? [];
    if (name === undefined || tag === undefined || /^[./]/.test(tag)) {
      ledger.lost(at, "a Modelfile has no key: a model of a registry or of Hugging Face does");
      return [];
    }
    ledger.changed(
      at,
      `planned as ${tag}${length === undefined ? "" : " with its num_ctx"}: other lines of a Modelfile have no key, and clients send them`,
      "models.*.source",
    );
    return [{ name, tag, at, ...(length !== undefined && { tokens: Number(length) }) }];
  });
}

function readServer(model: ModelDraft, draft: Draft): void {
  const { ledger, machine } = model;
  const tag = ledger.text("image", "tag");
  const repository = ledger.text("image", "repository") ?? "ollama/ollama";
  const named = [
    ["image", "tag"],
    ["image", "repository"],
  ].filter((path) => ledger.text(...path) !== undefined);
  applyImage(model, imageOf(tag === undefined ? repository : `${repository}:${tag}`, "ollama"), named.slice(0, 1));
  ledger.mapped(["image", "repository"], "models.*.engine");
  applyVariables(model, variablesOf(ledger.get("extraEnv"), ["extraEnv"]), new Set());
  const min = ledger.number("replicaCount") ?? 1;
  model.replicas = { min };
  if (ledger.get("autoscaling", "enabled") === true) {
    const stated = ledger.number("autoscaling", "maxReplicas");
    const least = ledger.number("autoscaling", "minReplicas") ?? CHART_REPLICAS.min;
    const most = stated ?? CHART_REPLICAS.max;
    model.replicas = { min: least, ...(most > least && { max: most }) };
    ledger.mapped(["autoscaling", "minReplicas"], "models.*.replicas.min");
    noteLimit(ledger, ["autoscaling", "maxReplicas"], stated, least);
    ledger.changed(["replicaCount"], "autoscaling sets it");
    if (stated === undefined) {
      const why = `the chart's own limit: ${most} replicas`;
      ledger.changed(["autoscaling", "enabled"], why, "models.*.replicas.max");
    } else {
      ledger.mapped(["autoscaling", "enabled"], "models.*.replicas");
    }
  }
  if (ledger.get("autoscaling", "enabled") !== true) {
    ledger.mapped(["replicaCount"], "models.*.replicas.min");
  }
  readResources(ledger.get("resources"), machine);
  machine.vendor = "cpu";
  ledger.mapped(["ollama", "gpu", "enabled"], "pools.*.role");
  if (ledger.get("ollama", "gpu", "enabled") === true) {
    const gpus = ledger.number("ollama", "gpu", "number") ?? 1;
    machine.vendor = ledger.text("ollama", "gpu", "type") === "amd" ? "amd" : "nvidia";
    machine.gpusPerNode = gpus;
    model.original = { gpus };
    ledger.mapped(["ollama", "gpu", "number"], "pools.*.node.gpuCount");
    ledger.mapped(["ollama", "gpu", "type"], "pools.*.node.card");
    const [, profile] = /mig-(\d+g\.\d+gb)/.exec(ledger.text("ollama", "gpu", "nvidiaResource") ?? "") ?? [];
    const resource = ["ollama", "gpu", "nvidiaResource"];
    if (profile !== undefined) {
      machine.mig = `all-${profile}`;
      ledger.mapped(resource, "pools.*.sharing.mig");
    } else if (ledger.get(...resource) === "nvidia.com/gpu") {
      ledger.mapped(resource, "pools.*.node.card");
    } else {
      ledger.lost(resource, "pods ask for nvidia.com/gpu or for a slice, as nvidia.com/mig-1g.10gb: a GPU is planned");
    }
  }
  readUserPod(model, {
    volumes: ["volumes"],
    mounts: ["volumeMounts"],
    initContainers: ["initContainers"],
    labels: ["podLabels"],
    annotations: ["podAnnotations"],
  });
  readNodeSelector(ledger, ["nodeSelector"], machine);
  readTolerations(ledger, ["tolerations"], machine);
  readHosts(ledger, draft);
}

function shareServer(guest: ModelDraft, server: ModelDraft): void {
  guest.block.serverOf = server.name;
  guest.machine = server.machine;
  guest.original = server.original;
  guest.replicas = server.replicas;
  for (const key of ["engineVersion", "contextTokens", "concurrency"]) {
    const value = server.settings[key];
    if (value !== undefined && key !== "engineVersion" && guest.settings[key] === undefined) {
      guest.settings[key] = value;
    }
  }
}

function readHosts(ledger: Ledger, draft: Draft): void {
  if (ledger.get("ingress", "enabled") === true) {
    ledger.list("ingress", "hosts").forEach((host, index) => {
      if (isMapping(host) && typeof host.host === "string") {
        draft.hostnames.push({ name: host.host, ledger, at: ["ingress", "hosts", index, "host"] });
      }
    });
  }
  if (ledger.get("httpRoute", "enabled") === true) {
    ledger.list("httpRoute", "hostnames").forEach((name, index) => {
      if (typeof name === "string") {
        draft.hostnames.push({ name, ledger, at: ["httpRoute", "hostnames", index] });
      }
    });
  }
}
