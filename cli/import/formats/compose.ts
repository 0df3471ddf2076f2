import { normalize } from "node:path";
import { tgiOptions } from "../../../engines/tgi/options";
import { type Flag, flagsOf, STARTER, shellWords, substituted, type Word, wordsOf } from "../command-line";
import { DOT_ENV, type EnvFiles, envFileNames } from "../compose-env";
import { readComposeGpus } from "../compose-gpus";
import { type Draft, keyOf, type ModelDraft, newModel } from "../draft";
import { applyEngineFlag } from "../engine-flag";
import { Ledger } from "../ledger";
import { mergedDocument } from "../merged-document";
import { isMapping, mappingOf, type Path } from "../path";
import { statedLayout } from "../pod-container";
import type { SourceDocument } from "../read-documents";
import { serveAs, serveTag } from "../served-name";
import { applyImage, imageOf, type ServerImage, serverImage } from "../server-image";
import { nameWeights } from "../stored-weights";
import { applyVariables, type Variable, valuesOf, variablesOf } from "../variables";
import { applyVllmFlags } from "../vllm-flags";
import { composeTable } from "./tables";

export function isCompose(root: SourceDocument["root"]): boolean {
  return isMapping(root.services);
}

/** A later file extends these lists, and replaces others. */
const JOINED = ["volumes", "ports", "devices", "env_file"];

type Layers = [SourceDocument, ...SourceDocument[]];

/** A file without a service's image is a layer on an earlier one. */
function projectsOf(documents: readonly SourceDocument[]): Layers[] {
  const projects: Layers[] = [];
  for (const document of documents) {
    const { services } = document.root;
    const open = Object.entries(mappingOf(services)).filter(
      ([, service]) => isMapping(service) && service.image === undefined && service.build === undefined,
    );
    const below = projects.find((layers) =>
      layers.some(({ root }) => open.some(([name]) => isMapping(root.services) && Object.hasOwn(root.services, name))),
    );
    if (below === undefined) {
      projects.push([document]);
    } else {
      below.push(document);
    }
  }
  return projects;
}

/** For models of the user. */
const REPOSITORY_GIB = 8;

export function readCompose(document: SourceDocument, draft: Draft, all: readonly SourceDocument[]): Ledger[] {
  const [layers] = projectsOf(all.filter(({ root }) => isCompose(root))).filter(([first]) => first === document);
  if (layers === undefined) {
    return [];
  }
  const ledger = new Ledger(mergedDocument(layers, JOINED), composeTable);
  const extensions = ledger.keys().filter((key) => key.startsWith("x-"));
  extensions.forEach((key) => void ledger.changed([key], "read where an alias refers to it"));
  const envFiles = joinedEnvFiles(layers);
  if (envFiles.used.size > 0) {
    ledger.changed([], `${DOT_ENV} next to it is read, as by Docker Compose: its values replace the file's references`);
  }
  for (const name of ledger.keys("services")) {
    const at: Path = ["services", name];
    const image = substituted(ledger.text(...at, "image") ?? "", {});
    const server = serverImage(image) ?? serverOfCommand(ledger, at, image);
    if (/open-?webui/i.test(image)) {
      ledger.lost(at, "the section openWebUi installs Open WebUI: write its hostname there (docs/open-webui.md)");
      continue;
    }
    if (server === undefined || (server.engine === "ollama" && /webui/.test(image))) {
      ledger.lost(at, `${image || "its build"} runs no engine that is served here: vLLM, Ollama, TGI or Triton`);
      continue;
    }
    if (server.engine === "ollama" && isPuller(ledger, at)) {
      ledger.changed(at, "it pulls models and ends: the platform fetches those of the environment");
      continue;
    }
    const model = newModel(ledger, at, keyOf(name), server.engine);
    if (image.includes("$")) {
      ledger.lost(
        [...at, "image"],
        "its name is set outside of the file: the engine's published image takes its place",
      );
    } else {
      applyImage(model, server, [[...at, "image"]]);
    }
    model.weights = server.weights;
    readEnvFiles(ledger, at, envFiles);
    const served = readServer(model, image, tagsPulled(ledger), envFiles.used);
    draft.models.push(...served);
  }
  return [ledger];
}

function joinedEnvFiles(layers: Layers): EnvFiles {
  return {
    read: layers.flatMap(({ envFiles }) => envFiles?.read ?? []),
    used: new Set(layers.flatMap(({ envFiles }) => [...(envFiles?.used ?? [])])),
  };
}

function readEnvFiles(ledger: Ledger, service: Path, { read }: EnvFiles): void {
  const at: Path = [...service, "env_file"];
  const value = ledger.get(...at);
  envFileNames(value).forEach((name, index) => {
    if (read.includes(normalize(name))) {
      ledger.changed(Array.isArray(value) ? [...at, index] : at, "its variables are read as those of environment");
    }
  });
}

function readServer(
  model: ModelDraft,
  image: string,
  pulled: readonly string[],
  used: ReadonlySet<string>,
): ModelDraft[] {
  const { ledger, at } = model;
  const variables = variablesOf(ledger.get(...at, "environment"), [...at, "environment"]);
  const values = valuesOf(variables);
  const words = [...commandWords(ledger, [...at, "entrypoint"]), ...commandWords(ledger, [...at, "command"])];
  const written = words.map((word) => ({ ...word, text: substituted(word.text, values) }));
  readComposeGpus(model, image);
  readReplicas(model);
  switch (model.engine) {
    case "vllm":
      applyVllmFlags(model, flagsOf(written));
      applyVariables(model, variables, used);
      statedLayout(model);
      return [model];
    case "tgi":
      readTgi(model, written, variables);
      return [model];
    case "triton":
      readTriton(model, written);
      applyVariables(model, variables, new Set());
      return [model];
    default:
      written.forEach((word) => void ledger.changed(word.at, "the platform starts the engine and fetches its models"));
      return readOllama(model, variables, pulled);
  }
}

/** By the command, if the image does not name it. */
function serverOfCommand(ledger: Ledger, at: Path, image: string): ServerImage | undefined {
  const text = ["entrypoint", "command"]
    .flatMap((key) => commandWords(ledger, [...at, key]))
    .map(({ text: word }) => word)
    .join(" ");
  return /\bvllm (serve\b|.*--model\b)|vllm\.entrypoints/.test(text) ? imageOf(image, "vllm") : undefined;
}

function isPuller(ledger: Ledger, at: Path): boolean {
  const text = ["entrypoint", "command"]
    .flatMap((key) => commandWords(ledger, [...at, key]))
    .map((word) => word.text)
    .join(" ");
  return /\bollama\s+pull\b/.test(text) && !/\bserve\b/.test(text);
}

function commandWords(ledger: Ledger, at: Path): Word[] {
  const value = ledger.get(...at);
  return typeof value === "string" ? shellWords(value, at) : wordsOf(ledger.list(...at), at);
}

/** `ollama pull llama3.2`. */
function tagsPulled(ledger: Ledger): string[] {
  const texts = ledger
    .keys("services")
    .flatMap((name) =>
      ["command", "entrypoint"].flatMap((key) => commandWords(ledger, ["services", name, key]).map(({ text }) => text)),
    );
  return [...new Set([...texts.join(" ").matchAll(/ollama\s+(?:pull|run)\s+([\w./:-]+)/g)].map(([, tag = ""]) => tag))];
}

function readReplicas(model: ModelDraft): void {
  const { ledger, at } = model;
  for (const path of [["deploy", "replicas"], ["scale"]]) {
    const count = ledger.number(...at, ...path);
    if (count !== undefined) {
      model.replicas = { min: count };
      ledger.mapped([...at, ...path], "models.*.replicas.min");
    }
  }
}

function readOllama(model: ModelDraft, variables: readonly Variable[], pulled: readonly string[]): ModelDraft[] {
  const { ledger, at } = model;
  const named = variables.find(({ name }) => ["OLLAMA_MODEL", "MODEL", "MODEL_NAME", "LLM_MODEL"].includes(name));
  const tags = named?.value === undefined || named.value.includes("$") ? pulled : [named.value];
  applyVariables(
    model,
    variables.filter((each) => each !== named || tags === pulled),
    new Set(),
  );
  if (named !== undefined && tags !== pulled) {
    ledger.mapped(named.at, "models.*.source");
  }
  const [first, ...others] = tags;
  if (first === undefined) {
    ledger.dismiss(
      "no service pulls a model: a server whose clients pull models is modelControl here (docs/model-control.md)",
      at,
    );
    return [];
  }
  model.weights = first;
  model.name = keyOf(first);
  serveTag(model, first, at);
  return [model, ...others.map((tag) => guestOf(model, tag))];
}

function guestOf(server: ModelDraft, tag: string): ModelDraft {
  const guest = newModel(server.ledger, server.at, keyOf(tag), "ollama");
  guest.weights = tag;
  serveTag(guest, tag, server.at);
  guest.block.serverOf = server.name;
  guest.machine = server.machine;
  guest.original = server.original;
  return guest;
}

/** TGI launcher's flags, also as variables. */
const TGI_KEYS: Readonly<Record<string, string>> = {
  "model-id": "model",
  "num-shard": "shards",
  sharded: "shards",
  "max-total-tokens": "context",
  revision: "revision",
};

function readTgi(model: ModelDraft, words: readonly Word[], variables: readonly Variable[]): void {
  const { ledger } = model;
  const others: Variable[] = [];
  for (const flag of flagsOf(words)) {
    flag.valuesAt?.forEach((place) => void ledger.cover(place));
    if (flag.name === STARTER) {
      ledger.cover(flag.at);
    } else {
      tgiSetting(model, flag);
    }
  }
  for (const { name, value, at } of variables) {
    const flag = name.toLowerCase().replaceAll("_", "-");
    if (value !== undefined && (Object.hasOwn(TGI_KEYS, flag) || tgiOptions.argumentNamed.has(flag))) {
      tgiSetting(model, { name: flag, values: [value], at });
    } else {
      others.push({ name, value, at });
    }
  }
  applyVariables(model, others, new Set());
}

function tgiSetting(model: ModelDraft, flag: Flag): void {
  const { ledger } = model;
  const { name, at } = flag;
  const value = flag.values[0] ?? "";
  const number = Number(value);
  switch (Object.hasOwn(TGI_KEYS, name) ? TGI_KEYS[name] : undefined) {
    case "model":
      nameWeights(model, value, at);
      serveAs(model, value, at);
      ledger.changed(at, "TGI answers whatever name a request has: here a model answers to its own", "models.*.model");
      break;
    case "shards":
      model.original = { ...model.original, ...(number > 0 && { tensorParallel: number }) };
      ledger.changed(at, "the plan shards a model over the GPUs that it needs");
      break;
    case "context":
      if (number > 0) {
        model.settings.contextTokens = number;
        model.statesContext = true;
      }
      ledger.mapped(at, "models.*.contextTokens");
      break;
    case "revision":
      model.revision = value;
      ledger.mapped(at, "models.*.source");
      break;
    default:
      applyEngineFlag(model, flag);
  }
}

/** A repository on the computer, whose memory is unknown. */
function readTriton(model: ModelDraft, words: readonly Word[]): void {
  const { ledger, name, block } = model;
  model.weights = `s3://models/${name}`;
  block.repository = { memoryGiB: REPOSITORY_GIB };
  flagsOf(words).forEach(({ name: flag, at, valuesAt = [] }) => {
    valuesAt.forEach((place) => void ledger.cover(place));
    if (flag.endsWith("model-repository") || flag.endsWith("model-store")) {
      ledger.changed(
        at,
        `copy the repository into the model store, as s3://models/${name} (docs/own-weights.md); ${REPOSITORY_GIB} GiB of each GPU are a default: measure it`,
        "models.*.source",
      );
    } else {
      ledger.changed(at, "the platform starts the engine");
    }
  });
}
