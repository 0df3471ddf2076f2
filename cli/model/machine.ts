/** Target of `npm run model`: GPUs of a card or machine shape, or host memory. */
import { findGpus } from "../../catalog/find-gpu";
import {
  cardResource,
  cards,
  findShape,
  type GpuModel,
  type GpuSpec,
  gpuModels,
  type MachineShape,
  shapes,
} from "../../catalog/shapes";
import { machineWith } from "../../planner/card-comparison";
import { suggest } from "../../stacks/config/core/problems";
import { LIST_CARDS, LIST_SHAPES } from "../../stacks/config/list-commands";

export interface Machine {
  /** False: a default card is used. */
  readonly isNamed: boolean;
  /** One GPU as CUDA or ROCm reports it, or the host for models on CPUs. */
  readonly memoryGiB: number;
  /** The user set a GPU's memory. */
  readonly saysGpuMemory?: boolean;
  readonly gpuModel?: string;
  /** Undefined outside the catalogue. */
  readonly gpu?: GpuSpec;
  readonly device: "gpu" | "cpu";
  /** Other cards that the name matches. */
  readonly others?: readonly string[];
  /** The whole machine, where known. */
  readonly shape?: MachineShape;
  /** Machines that a replica may span. @default as many as a plan takes */
  readonly nodes?: number;
}

export interface MachineWish {
  readonly shape?: string;
  readonly gpu?: string;
  /** Spelling of the card's option. @default "gpu" */
  readonly gpuOption?: string;
  /** Cards in one machine. @default 1, whose number the layout decides */
  readonly gpus?: number;
  readonly gpuMemoryGiB?: number;
  readonly hostMemoryGiB?: number;
}

/** Default card. */
const USUAL_CARD = "NVIDIA H100 80GB SXM";

/** @returns the machine, or the request's problem. */
export function machineFor(wish: MachineWish): Machine | { readonly problem: string } {
  const machine = machineOf(wish);
  if ("problem" in machine) {
    return machine;
  }
  const { gpu, gpus, gpuMemoryGiB } = wish;
  const model = gpuModels.find((each) => each.model === machine.gpuModel);
  if (gpus !== undefined && (gpu === undefined || model === undefined || gpuMemoryGiB !== undefined)) {
    return { problem: "--gpus is the number of a catalogue card in one machine: write it with --card alone" };
  }
  return {
    ...machine,
    saysGpuMemory: gpuMemoryGiB !== undefined,
    ...(gpus !== undefined && model && { shape: machineWith(model, gpus), nodes: 1 }),
  };
}

function machineOf({
  shape,
  gpu,
  gpuOption = "gpu",
  gpuMemoryGiB,
  hostMemoryGiB,
}: MachineWish): Machine | { readonly problem: string } {
  const given = Object.entries({ shape, [gpuOption]: gpu, "host-memory-gib": hostMemoryGiB }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    return { problem: `give one of ${given.map(([name]) => `--${name}`).join(" and ")}` };
  }
  if (hostMemoryGiB !== undefined) {
    return { isNamed: true, memoryGiB: hostMemoryGiB, device: "cpu" };
  }
  if (shape !== undefined) {
    return machineOfShape(shape, gpuMemoryGiB);
  }
  if (gpu !== undefined) {
    return machineOfCard(gpu, gpuMemoryGiB, gpuOption);
  }
  if (gpuMemoryGiB !== undefined) {
    return { isNamed: true, memoryGiB: gpuMemoryGiB, device: "gpu" };
  }
  const usual = machineOfCard(USUAL_CARD, undefined, gpuOption);
  return "problem" in usual ? usual : { ...usual, isNamed: false };
}

function machineOfShape(name: string, gpuMemoryGiB: number | undefined): Machine | { readonly problem: string } {
  const shape = findShape(name) ?? shapes.find((each) => each.name.toLowerCase() === name.toLowerCase());
  const names = shapes.filter((each) => each.gpu).map((each) => each.name);
  if (!shape?.gpu) {
    const what = shape
      ? `${shape.name} has no GPU: give its memory as --host-memory-gib`
      : `--shape ${JSON.stringify(name)} is not in the catalogue`;
    const otherwise = findGpus(name).length > 0 ? `that is a card: --card ${name}` : "take another";
    return { problem: `${what}; ${suggest(name, names, otherwise)} (${LIST_SHAPES})` };
  }
  return {
    isNamed: true,
    memoryGiB: gpuMemoryGiB ?? shape.gpu.engineMemoryGiB,
    gpuModel: shape.gpu.model,
    gpu: shape.gpu,
    device: "gpu",
    shape,
  };
}

function machineOfCard(
  name: string,
  gpuMemoryGiB: number | undefined,
  option: string,
): Machine | { readonly problem: string } {
  const all = findGpus(name);
  const found = usualForm(all);
  const [first] = found;
  const isOne = new Set(found.map((gpu) => gpu.engineMemoryGiB)).size === 1;
  if (first && isOne) {
    const resource = cardResource(first);
    return {
      isNamed: true,
      memoryGiB: gpuMemoryGiB ?? first.engineMemoryGiB,
      gpuModel: first.model,
      gpu: { ...first, count: 1, resource },
      device: "gpu",
      others: all.filter(({ model }) => model !== first.model).map(({ model }) => model),
    };
  }
  if (found.length > 1 && gpuMemoryGiB === undefined) {
    return {
      problem: `--${option} ${JSON.stringify(name)} can be ${found.map((gpu) => gpu.model).join(", ")}: write which`,
    };
  }
  if (gpuMemoryGiB !== undefined) {
    return { isNamed: true, memoryGiB: gpuMemoryGiB, gpuModel: name, device: "gpu" };
  }
  return {
    problem: `--${option} ${JSON.stringify(name.slice(0, 80))} is not in the catalogue; ${nearestCards(name)} (${LIST_CARDS}), or add --gpu-memory-gib`,
  };
}

/** H100 means the board with NVLink, not its other forms. */
function usualForm(found: readonly GpuModel[]): readonly GpuModel[] {
  const onBoards = found.filter(({ nvlinkBoard }) => nvlinkBoard === true);
  return onBoards.length > 0 ? onBoards : found;
}

/** Cards sharing most of the name, by words and edits. */
function nearestCards(name: string): string {
  const names = gpuModels.map(({ model }) => model);
  const wanted = wordsOf(name);
  const shared = names
    .map((model) => ({ model, words: wordsOf(model).filter((word) => wanted.includes(word)).length }))
    .filter(({ words }) => words > 0)
    .sort((a, b) => b.words - a.words);
  const best = shared.filter(({ words }) => words === shared[0]?.words).map(({ model }) => model);
  return best.length > 0 && best.length <= MOST_HINTS
    ? `the nearest are ${best.join(", ")}`
    : suggest(name, [...names, ...cards.map((card) => card.name)], "take one of its cards");
}

/** More would be a list, not a hint. */
const MOST_HINTS = 4;

/** Without vendors, whose names do not identify cards. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "" && !["nvidia", "amd", "intel", "card", "gpu"].includes(word));
}
