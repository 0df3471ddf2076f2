/** Changes that make a model fit: more GPUs, less load, or other catalogue machines. */
import { cards, gpuModels, type MachineShape, onPremNode, shapes } from "../catalog/shapes";
import { engineOf } from "../engines";
import { estimateMemory, layoutProblems } from "../engines/estimate";
import type { MemoryRequest } from "../engines/memory-request";
import { fitOnPool } from "./candidates/fit-on-pool";
import type { Fit } from "./candidates/types";
import { type Layout, layouts } from "./layouts";
import { allocatable } from "./pod-resources";
import type { ModelRequest } from "./request";

/** The first layout on one node that starts and fits, ignoring the requested one. */
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

/** The largest fitting value below the requested, by bisection: memory grows with both. */
export function largestThatFits(request: MemoryRequest, key: "contextTokens" | "concurrency"): number | undefined {
  return largest(1, request[key], (value) => fitsSurely({ ...request, [key]: value }));
}

/** Most concurrent requests that fit, between the requested number and the engine's default. */
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

export interface FittingMachine {
  readonly shape: MachineShape;
  readonly layout: Layout;
  /** Undefined for own machines. */
  readonly usdPerHour?: number;
}

/** The `most` cheapest cloud machines that hold a replica each: of one GPU model, or all. */
export function cheapestShapes(model: ModelRequest, most: number, gpuModel?: string): FittingMachine[] {
  const machines = shapes
    .flatMap((shape) => {
      const { gpu, price } = shape;
      const isAsked = gpu && (gpuModel === undefined || gpu.model === gpuModel);
      return isAsked && price && "usdPerHour" in price ? [{ shape, usdPerHour: price.usdPerHour }] : [];
    })
    .sort((a, b) => a.usdPerHour - b.usdPerHour);
  return firstThatHold(model, machines, most);
}

/**
 * The `most` own cards of which fewest in one machine hold a replica; then by least memory. Cards
 * that the vendor does not list are left out.
 */
export function fewestCards(model: ModelRequest, most: number): FittingMachine[] {
  let left = cards.filter(
    ({ gpu }) => (gpuModels.find((each) => each.model === gpu)?.support?.rocm ?? "supported") === "supported",
  );
  const found: FittingMachine[] = [];
  for (const gpuCount of CARDS_PER_MACHINE) {
    const machines = left
      .map(({ name }) => ({
        name,
        shape: onPremNode({ card: name, gpuCount, ...HOST, vcpus: 16 * gpuCount, memoryGiB: 128 * gpuCount }),
      }))
      .sort((a, b) => memoryOf(a) - memoryOf(b));
    const holding = firstThatHold(model, machines, most - found.length);
    found.push(...holding.map(({ shape, layout }) => ({ shape, layout })));
    left = left.filter(({ name }) => !holding.some((machine) => machine.name === name));
  }
  return found;
}

function memoryOf({ shape }: Pick<FittingMachine, "shape">): number {
  return shape.gpu?.engineMemoryGiB ?? 0;
}

function firstThatHold<Machine extends Pick<FittingMachine, "shape">>(
  model: ModelRequest,
  machines: readonly Machine[],
  most: number,
): (Machine & FittingMachine)[] {
  const found: (Machine & FittingMachine)[] = [];
  for (const machine of machines) {
    if (found.length >= most) {
      break;
    }
    const layout = layoutOn(model, machine.shape);
    if (layout) {
      found.push({ ...machine, layout });
    }
  }
  return found;
}

const CARDS_PER_MACHINE = [1, 2, 4, 8];

/** An unlimited host, so that the cards alone decide. */
const HOST = { localNvmeGB: 4000, networkGbps: 10 } as const;

function layoutOn(model: ModelRequest, shape: MachineShape): Layout | undefined {
  const fit = fitOnMachine(model, shape, 1);
  return "candidate" in fit ? fit.candidate.layout : undefined;
}

/** As the plan would place a replica on an otherwise empty pool. */
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
