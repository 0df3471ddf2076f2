/** What would fit: the same model on more GPUs of a card, with less load, or on machines of the catalogue. */
import { cards, gpuModels, hourlyUsd, type MachineShape, onPremNode, shapes } from "../catalog/shapes";
import { engineOf } from "../engines";
import { estimateMemory, layoutProblems } from "../engines/estimate";
import type { MemoryRequest } from "../engines/memory-request";
import { fitOnPool } from "./candidates/fit-on-pool";
import type { Fit } from "./candidates/types";
import { type Layout, layouts } from "./layouts";
import { allocatable } from "./pod-resources";
import type { ModelRequest } from "./request";

/** The first layout over the GPUs of one node that starts and fits, whatever layout the request has. */
export function layoutThatFits(request: MemoryRequest, gpusOnNode: number): Layout | undefined {
  const { architecture, engine } = request;
  const { tensor } = engineOf(engine.name).parallelism;
  return layouts({
    gpusOnNode,
    maxNodes: 1,
    layers: architecture.layers,
    ...(!tensor && { tensorParallel: 1 }),
  }).find((layout) => {
    const asked = { ...request, ...layout };
    return layoutProblems(engine.name, asked).length === 0 && fitsSurely(asked);
  });
}

/** The largest value below the request's own that fits, by bisection: memory only grows with both. */
export function largestThatFits(request: MemoryRequest, key: "contextTokens" | "concurrency"): number | undefined {
  return largest(1, request[key], (value) => fitsSurely({ ...request, [key]: value }));
}

/** The most requests that the engine may be told to run at once, below what it would by itself and no fewer than asked for. */
export function mostSequencesThatFit(request: MemoryRequest): number | undefined {
  const own = engineOf(request.engine.name).batchLimits?.(request).sequences ?? 0;
  return largest(request.concurrency, own, (maxNumSeqs) => fitsSurely({ ...request, maxNumSeqs }));
}

function largest(least: number, below: number, fits: (value: number) => boolean): number | undefined {
  if (least >= below || !fits(least)) {
    return undefined;
  }
  let [low, high] = [least, below];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

function fitsSurely(request: MemoryRequest): boolean {
  return estimateMemory(request).verdict.answer === "fits";
}

/** One machine that holds a replica. */
export interface FittingMachine {
  readonly shape: MachineShape;
  readonly layout: Layout;
  /** Undefined for machines of one's own. */
  readonly usdPerHour?: number;
}

/** Machines of the clouds that hold a replica each, cheapest first. */
export function cheapestShapes(model: ModelRequest): FittingMachine[] {
  return shapes
    .flatMap((shape) => {
      const usdPerHour = shape.gpu && shape.price && "usdPerHour" in shape.price ? hourlyUsd(shape) : undefined;
      const layout = usdPerHour === undefined ? undefined : layoutOn(model, shape);
      return layout && usdPerHour !== undefined ? [{ shape, layout, usdPerHour }] : [];
    })
    .sort((a, b) => a.usdPerHour - b.usdPerHour);
}

/**
 * For each card of one's own the fewest in one machine that hold a replica; fewest first, then those of least memory. Nobody is sent
 * for a card that its maker does not list.
 */
export function fewestCards(model: ModelRequest): FittingMachine[] {
  return cards
    .filter(({ gpu }) => (gpuModels.find((each) => each.model === gpu)?.support?.rocm ?? "supported") === "supported")
    .flatMap(({ name }) => {
      const machines = CARDS_PER_MACHINE.map((gpuCount) =>
        onPremNode({ card: name, gpuCount, ...HOST, vcpus: 16 * gpuCount, memoryGiB: 128 * gpuCount }),
      );
      for (const shape of machines) {
        const layout = layoutOn(model, shape);
        if (layout) {
          return [{ shape, layout }];
        }
      }
      return [];
    })
    .sort((a, b) => gpusOf(a) - gpusOf(b) || memoryOf(a) - memoryOf(b));
}

const gpusOf = ({ shape }: FittingMachine) => shape.gpu?.count ?? 0;
const memoryOf = ({ shape }: FittingMachine) => shape.gpu?.engineMemoryGiB ?? 0;

const CARDS_PER_MACHINE = [1, 2, 4, 8];

/** A host that lacks nothing, so that the cards alone decide. */
const HOST = { localNvmeGB: 4000, networkGbps: 10 } as const;

function layoutOn(model: ModelRequest, shape: MachineShape): Layout | undefined {
  const fit = fitOnMachine(model, shape, 1);
  return "candidate" in fit ? fit.candidate.layout : undefined;
}

/** As the plan would place one replica on a pool of such machines that runs nothing else. */
export function fitOnMachine(model: ModelRequest, shape: MachineShape, maxNodes: number): Fit {
  const pool = {
    name: shape.name,
    role: shape.gpu ? ("gpu" as const) : ("cpu" as const),
    shape,
    minNodes: 0,
    maxNodes,
    usdPerNodeHour: 0,
    hoursPerDay: 24,
    dedicatedTo: [],
    selector: {},
    labels: {},
  };
  return fitOnPool({ host: model, guests: [] }, pool, allocatable(shape, { gpus: 0, cpu: 0, memoryGiB: 0 }), maxNodes);
}
