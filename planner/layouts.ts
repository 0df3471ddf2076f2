/** Use of a replica's GPUs: tensor parallel in a node, pipeline stages over nodes. */
export interface Layout {
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly nodesPerReplica: number;
  readonly gpusPerNode: number;
}

export interface LayoutLimits {
  readonly gpusOnNode: number;
  readonly maxNodes: number;
  /** Layers of the model: the most stages. */
  readonly layers: number;
  /** Set by the user. */
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
}

/**
 * All layouts of one replica on equal nodes, best first: fewest nodes, then pipeline stages, then
 * GPUs. Tensor parallelism stays in a node; stages inside one come last, as they divide memory but
 * not time per token. A replica over several nodes takes all their GPUs, so that its collectives
 * meet no neighbour.
 */
export function layouts(limits: LayoutLimits): Layout[] {
  const oneNode: Layout[] = [];
  for (let gpus = 1; gpus <= limits.gpusOnNode; gpus++) {
    oneNode.push(...split(gpus, 1, limits));
  }
  const result = oneNode.sort((a, b) => a.pipelineParallel - b.pipelineParallel);
  for (let nodes = 2; nodes <= limits.maxNodes; nodes++) {
    result.push(...split(limits.gpusOnNode, nodes, limits));
  }
  return result;
}

function split(gpusPerNode: number, nodes: number, limits: LayoutLimits): Layout[] {
  const result: Layout[] = [];
  for (let tensorParallel = gpusPerNode; tensorParallel >= 1; tensorParallel--) {
    const pipelineParallel = (gpusPerNode * nodes) / tensorParallel;
    if (
      gpusPerNode % tensorParallel === 0 &&
      pipelineParallel <= limits.layers &&
      (limits.tensorParallel ?? tensorParallel) === tensorParallel &&
      (limits.pipelineParallel ?? pipelineParallel) === pipelineParallel
    ) {
      result.push({ tensorParallel, pipelineParallel, nodesPerReplica: nodes, gpusPerNode });
    }
  }
  return result;
}
