/** Container of a model server: image, command, variables, resources. */
import { type Flag, flagsOf, serverInScript, substituted, variablesIn, wordsOf } from "./command-line";
import type { ModelDraft } from "./draft";
import { isGpu, isGpuCount, readNodeSelector, readNodeTerms, readResources, readTolerations } from "./nodes-of-pods";
import { isMapping, type Path } from "./path";
import { plainText } from "./plain-text";
import { applyImage, imageOf } from "./server-image";
import { applyVariables, valuesOf, variablesOf } from "./variables";
import { applyVllmFlags } from "./vllm-flags";

/** LLMInferenceService variables with command lines. */
const FLAG_VARIABLES = ["VLLM_ADDITIONAL_ARGS"];

export interface ContainerContext {
  /** Resolves the format's references. @default the word */
  readonly text?: (word: string) => string;
  /** Maps flags to vLLM's. @default unchanged */
  readonly flags?: (flags: readonly Flag[]) => readonly Flag[];
  /** Variables that the format reads. @default none */
  readonly taken?: readonly string[];
}

export function readContainer(
  model: ModelDraft,
  at: Path,
  { text = (word) => word, flags = (all) => all, taken = [] }: ContainerContext = {},
): void {
  const { ledger, machine } = model;
  const image = ledger.text(...at, "image");
  if (image !== undefined) {
    const server = imageOf(image, model.engine);
    applyImage(model, server, [[...at, "image"]]);
    model.weights ??= server.weights;
  }
  const variables = variablesOf(ledger.get(...at, "env"), [...at, "env"]);
  const values = valuesOf(variables);
  const words = ["command", "args"].flatMap((key) => wordsOf(ledger.list(...at, key), [...at, key]));
  for (const place of ["command", "args"].flatMap((key) =>
    ledger.list(...at, key).map((_, index) => [...at, key, index]),
  )) {
    if (serverInScript(ledger.text(...place) ?? "") !== undefined) {
      ledger.changed(place, "of a script, the command that starts the server is read");
    }
  }
  const used = new Set(words.flatMap(({ text }) => variablesIn(text)));
  applyServerFlags(
    model,
    words.map((word) => ({ ...word, text: text(substituted(word.text, values)) })),
    flags,
  );
  for (const { name, value = "", at: place } of variables.filter((each) => FLAG_VARIABLES.includes(each.name))) {
    applyServerFlags(
      model,
      wordsOf([value], place).map((word) => ({ ...word, at: place })),
      flags,
    );
    used.add(name);
    ledger.cover(place);
  }
  applyVariables(
    model,
    variables.filter(({ name }) => !FLAG_VARIABLES.includes(name) && !taken.includes(name)),
    used,
  );
  const gpus = readResources(ledger.get(...at, "resources"), machine);
  if (gpus !== undefined) {
    model.original = { ...model.original, gpus };
  }
  noteResources(model, [...at, "resources"]);
}

/** CPUs and memory are noted once. */
function noteResources({ ledger }: ModelDraft, at: Path): void {
  const all = ["requests", "limits"].flatMap((section) =>
    ledger.keys(...at, section).map((name) => ({ name, place: [...at, section, name] })),
  );
  const [size, ...sizes] = all.filter(({ name }) => ["cpu", "memory"].includes(name));
  if (size !== undefined) {
    ledger.changed(size.place, "the plan sizes the pod, on nodes with more than it asks for", "pools.*.node");
    sizes.forEach(({ place }) => void ledger.cover(place));
  }
  for (const { name, place } of all.filter((each) => ![size, ...sizes].includes(each))) {
    if (name === "ephemeral-storage") {
      ledger.changed(place, "the plan sizes the pod's disk by its weights");
    } else if (!isGpu(name)) {
      ledger.lost(place, "pods ask for GPUs, processors and memory alone: RDMA is pools.*.rdma");
    } else if (isGpuCount(ledger.text(...place))) {
      ledger.mapped(place, Number(ledger.text(...place)) === 0 ? "pools.*.role" : "models.*.vllm.tensorParallel");
    } else {
      ledger.wrong(place, "a whole number of GPUs is needed here");
    }
  }
  ledger.mapped([...at, "claims"], "models.*.vllm.tensorParallel");
}

function applyServerFlags(
  model: ModelDraft,
  words: ReturnType<typeof wordsOf>,
  named: NonNullable<ContainerContext["flags"]>,
): void {
  const flags = named(flagsOf(words));
  if (model.engine === "vllm") {
    applyVllmFlags(model, flags);
  } else {
    flags.forEach(({ at, valuesAt = [] }) => {
      model.ledger.changed(at, "the platform starts the engine");
      valuesAt.forEach((place) => void model.ledger.cover(place));
    });
  }
}

export function readPodPlace(model: ModelDraft, at: Path): void {
  readNodeSelector(model.ledger, [...at, "nodeSelector"], model.machine);
  readTolerations(model.ledger, [...at, "tolerations"], model.machine);
  const required = ["nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
  readNodeTerms(model.ledger, [...at, "affinity", ...required], model.machine);
}

/** By name, else the first. */
export function servingContainer(containers: readonly unknown[], names: readonly string[]): number {
  const index = containers.findIndex((each) => isMapping(each) && names.includes(plainText(each.name)));
  return Math.max(index, 0);
}

export function statedLayout(model: ModelDraft): void {
  const { tensorParallel, pipelineParallel } = model.block;
  const isOnCpu =
    model.original.gpus === undefined && model.machine.vendor === undefined && model.machine.card === undefined;
  if (isOnCpu) {
    model.machine.vendor = "cpu";
    return;
  }
  if (model.engine !== "vllm") {
    return;
  }
  const wide = typeof tensorParallel === "number" ? tensorParallel : 1;
  const deep = typeof pipelineParallel === "number" ? pipelineParallel : 1;
  const { gpus } = model.original;
  model.original = { ...model.original, tensorParallel: wide, pipelineParallel: deep };
  // Pods of a replica may share GPUs.
  if (gpus !== undefined && wide > gpus && deep === 1) {
    model.ledger.wrong(model.at, tooFewGpus(wide, gpus));
  }
}

export function tooFewGpus(needed: number, gpus: number): string {
  return `vLLM needs ${needed} GPUs for its tensor parallelism, and the pod has ${gpus}: it does not start; the plan gives it ${needed}`;
}
