import { noFabricReason } from "../../catalog/fabrics";
import { FABRIC_NAMES } from "../../planner/fabric";
import type { Capacity } from "../../planner/packing";
import { partName } from "../../planner/slices";
import type { ModelPlan, PoolPlan } from "../../planner/types";
import type { ArrangedNode, ArrangedPod, NodeGroup } from "./arrangement";
import { count, gib, plural, range } from "./format";
import { groupBy } from "./group-by";
import { html, type Markup } from "./markup";
import type { ModelKey } from "./model-keys";

/** Pixels. A group is narrow enough for a phone, so that its text never shrinks. */
const CELL = 29;
const GAP = 4;
const CELLS_PER_ROW = 8;
const TRACK = CELLS_PER_ROW * CELL + (CELLS_PER_ROW - 1) * GAP;
const PADDING = 12;
const HEADER = 30;
const NODE_WIDTH = TRACK + 2 * PADDING;
const FRAME = 8;
const LINK = 30;
/** Minimum width for a pod's name. */
const LABEL_WIDTH = 24;

export interface DrawingContext {
  readonly pool: PoolPlan;
  readonly capacity: Capacity;
  readonly keys: ReadonlyMap<string, ModelKey>;
  /** Replica numbers are left out where one drawing shows several equal groups. */
  readonly numbered: boolean;
}

/** Nodes of a multi-node replica share a frame. */
export function drawGroup(group: NodeGroup, context: DrawingContext): Markup {
  const joined = group.length > 1;
  const frame = joined ? FRAME : 0;
  const nodeHeight = heightOfNode(context.pool);
  const width = NODE_WIDTH + 2 * frame;
  const height = group.length * nodeHeight + (group.length - 1) * LINK + 2 * frame;
  const owner = group[0]?.pods[0];
  const color = owner && context.keys.get(owner.model.name)?.className;
  const step = nodeHeight + LINK;
  return html`<svg role="img" aria-label="${describeGroup(group, context)}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
${joined ? html`<rect class="frame ${color}" x="1" y="1" width="${width - 2}" height="${height - 2}" rx="12"></rect>` : undefined}
${joined && owner ? group.slice(1).map((_, i) => drawLink(owner.model, context.pool, color, frame, frame + nodeHeight + i * step)) : undefined}
${group.map((node, i) => html`<g transform="translate(${frame} ${frame + i * step})">${drawNode(node, nodeHeight, context)}</g>`)}
</svg>`;
}

function drawLink(model: ModelPlan, pool: PoolPlan, color: string | undefined, x: number, y: number): Markup {
  const center = x + 28;
  const fabric = idleFabric(pool);
  return html`<g>${fabric && html`<title>${fabric}</title>`}<line class="link ${color}" x1="${center}" x2="${center}" y1="${y}" y2="${y + LINK}"></line>
<text class="quiet" x="${center + 12}" y="${y + LINK / 2 + 4}">PP ${model.pipelineParallel} · ${linkName(model)}</text></g>`;
}

/** What the rendered pods talk over, not what their machines could do. */
function linkName({ nodeLink }: ModelPlan): string {
  const speed = nodeLink?.gbps === undefined ? "" : `, ${count(nodeLink.gbps, 1)} Gbit/s`;
  const { transport = "tcp" } = nodeLink ?? {};
  return `${transport === "tcp" ? "TCP over Ethernet" : `RDMA over ${FABRIC_NAMES[transport]}`}${speed}`;
}

/** Undefined if pods use the fast network, or there is none. */
export function idleFabric({ name, fabric, shape }: PoolPlan): string | undefined {
  const { kind, gbps } = shape.rdma;
  if (kind === "none" || fabric) {
    return undefined;
  }
  const reason = noFabricReason(shape.name) ?? `pools.${name}.rdma does not say that its nodes offer it to pods`;
  return `${shape.name} has ${FABRIC_NAMES[kind]}, ${count(gbps)} Gbit/s, and its pods do not use it: ${reason}`;
}

function drawNode(node: ArrangedNode, height: number, context: DrawingContext): Markup {
  return html`<rect class="node" x="0.5" y="0.5" width="${NODE_WIDTH - 1}" height="${height - 1}" rx="8"></rect>
<text class="name" x="${PADDING}" y="20">${nameOf(node, context)}</text>
<text class="quiet" x="${NODE_WIDTH - PADDING}" y="20" text-anchor="end">${remark(node, context)}</text>
<g transform="translate(${PADDING} ${HEADER})">${context.pool.shape.gpu ? drawGpus(node, context) : drawMemory(node, context)}</g>`;
}

/** A cell per GPU or slice; a pod's cells form a block. */
function drawGpus(node: ArrangedNode, context: DrawingContext): Markup {
  let first = 0;
  const blocks = node.pods.map((pod) => {
    const block = drawPodOnGpus(pod, first, context);
    first += pod.model.gpusPerNode;
    return block;
  });
  const free = Array.from({ length: Math.max(0, context.capacity.gpus - first) }, (_, i) => first + i);
  const { cellX, cellY } = gridOf(context.pool);
  return html`${blocks}${free.map(
    (gpu) =>
      html`<g><title>${cellName(gpu, gpu, context.pool)}: free</title><rect class="free" x="${cellX(gpu) + 0.5}" y="${cellY(gpu) + 0.5}" width="${CELL - 1}" height="${CELL - 1}" rx="5"></rect></g>`,
  )}`;
}

function drawPodOnGpus(pod: ArrangedPod, first: number, context: DrawingContext): Markup {
  const gpus = Array.from({ length: pod.model.gpusPerNode }, (_, i) => first + i);
  const { perRow, cellX, cellY } = gridOf(context.pool);
  const rows = groupBy(gpus, (gpu) => Math.floor(gpu / perRow));
  const stageSize = pod.model.tensorParallel;
  return html`<g class="${colorOf(pod, context)}"><title>${describePod(pod, context)}, ${cellName(first, first + gpus.length - 1, context.pool)}</title>${[
    ...rows.values(),
  ].map((row) => {
    const start = row[0] ?? first;
    const width = row.length * (CELL + GAP) - GAP;
    // A light line parts the GPUs of one pipeline stage, a wide one parts stages.
    const seams = row
      .slice(1)
      .map(
        (gpu) =>
          html`<line class="${(gpu - first) % stageSize === 0 ? "parting" : "seam"}" x1="${cellX(gpu) - GAP / 2}" x2="${cellX(gpu) - GAP / 2}" y1="${cellY(gpu)}" y2="${cellY(gpu) + CELL}"></line>`,
      );
    const labels = row.map(
      (gpu) =>
        html`<text class="label" x="${cellX(gpu) + CELL / 2}" y="${cellY(gpu) + CELL / 2 + 4}" text-anchor="middle">${labelOf(pod, context)}</text>`,
    );
    return html`<rect class="pod" x="${cellX(start)}" y="${cellY(start)}" width="${width}" height="${CELL}" rx="5"></rect>${seams}${labels}`;
  })}</g>`;
}

/** A node without GPUs is a bar of host memory. */
function drawMemory(node: ArrangedNode, context: DrawingContext): Markup {
  if (context.pool.role === "system") {
    return html`<rect class="platform" width="${TRACK}" height="${CELL}" rx="5"></rect><text class="quiet" x="${TRACK / 2}" y="${CELL / 2 + 4}" text-anchor="middle">platform services</text>`;
  }
  const shares = node.pods.map((pod) =>
    Math.max(LABEL_WIDTH, (pod.model.resources.memoryGiB / context.capacity.memoryGiB) * TRACK),
  );
  const scale = Math.min(1, TRACK / shares.reduce((sum, share) => sum + share, 0));
  let x = 0;
  const blocks = node.pods.map((pod, i) => {
    const width = (shares[i] ?? 0) * scale;
    const block = html`<g class="${colorOf(pod, context)}"><title>${describePod(pod, context)}, ${gib(pod.model.resources.memoryGiB)} of host memory</title><rect class="pod" x="${x.toFixed(1)}" y="0" width="${Math.max(1, width - 2).toFixed(1)}" height="${CELL}" rx="5"></rect>${
      width >= LABEL_WIDTH
        ? html`<text class="label" x="${(x + width / 2 - 1).toFixed(1)}" y="${CELL / 2 + 4}" text-anchor="middle">${labelOf(pod, context)}</text>`
        : undefined
    }</g>`;
    x += width;
    return block;
  });
  return html`<rect class="free" x="0.5" y="0.5" width="${TRACK - 1}" height="${CELL - 1}" rx="5"></rect>${blocks}`;
}

function nameOf({ number, pods: [first] }: ArrangedNode, { numbered }: DrawingContext): string {
  if (numbered) {
    return `node ${number}`;
  }
  return first && first.model.nodesPerReplica > 1 ? `node ${first.rank + 1} of each` : "each node";
}

/** What the node gives away, or its part in a replica that spans nodes. */
function remark({ pods }: ArrangedNode, { pool, capacity }: DrawingContext): string {
  const [first] = pods;
  if (first && first.model.nodesPerReplica > 1) {
    const { pipelineParallel, nodesPerReplica } = first.model;
    const stages = pipelineParallel / nodesPerReplica;
    const from = first.rank * stages + 1;
    const to = from + stages - 1;
    return `${stages > 1 ? "stages" : "stage"} ${range(from, to)} of ${pipelineParallel}`;
  }
  if (pool.shape.gpu) {
    return `${pods.reduce((sum, { model }) => sum + model.gpusPerNode, 0)} of ${plural(capacity.gpus, partName(pool.shape.gpu.slice))}`;
  }
  const claimed = pods.reduce((sum, { model }) => sum + model.resources.memoryGiB, 0);
  return pool.role === "system" ? gib(pool.shape.memoryGiB) : `${count(claimed, 1)} of ${gib(capacity.memoryGiB)}`;
}

function describeGroup(group: NodeGroup, context: DrawingContext): string {
  const nodes = group.map((node) => {
    const pods = node.pods.map((pod) => describePod(pod, context)).join(", ");
    const content = pods || (context.pool.role === "system" ? "platform services" : "idle");
    return `${nameOf(node, context)} (${remark(node, context)}): ${content}`;
  });
  return `Pool ${context.pool.name}, ${nodes.join("; ")}`;
}

function describePod({ model, replica }: ArrangedPod, { numbered }: DrawingContext): string {
  return numbered ? `${model.name} replica ${replica}` : model.name;
}

function labelOf(pod: ArrangedPod, { keys, numbered }: DrawingContext): string {
  const letter = keys.get(pod.model.name)?.letter ?? "";
  const label = `${letter}${pod.replica}`;
  return numbered && label.length <= 3 ? label : letter;
}

function colorOf(pod: ArrangedPod, { keys }: DrawingContext): string | undefined {
  return keys.get(pod.model.name)?.className;
}

function heightOfNode(pool: PoolPlan): number {
  const rows = Math.max(1, Math.ceil((pool.shape.gpu?.count ?? 0) / gridOf(pool).perRow));
  return HEADER + rows * (CELL + GAP) - GAP + PADDING;
}

/** Slices of a card share a row, space permitting. */
function gridOf({ shape }: PoolPlan) {
  const perGpu = shape.gpu?.slice?.perGpu ?? 1;
  const perRow = perGpu > CELLS_PER_ROW ? CELLS_PER_ROW : Math.floor(CELLS_PER_ROW / perGpu) * perGpu;
  return {
    perRow,
    cellX: (gpu: number) => (gpu % perRow) * (CELL + GAP),
    cellY: (gpu: number) => Math.floor(gpu / perRow) * (CELL + GAP),
  };
}

/** `GPU 1–4`, `1g.10gb slice 9`. */
function cellName(first: number, last: number, { shape }: PoolPlan): string {
  return `${partName(shape.gpu?.slice)} ${range(first + 1, last + 1)}`;
}
