/** How the GPUs of one replica are used: tensor parallel inside a node, pipeline stages over nodes. */
export interface Layout {
  readonly tensorParallel: number;
  readonly pipelineParallel: number;
  readonly nodesPerReplica: number;
  readonly gpusPerNode: number;
}

export interface LayoutLimits {
  readonly gpusOnNode: number;
  readonly maxNodes: number;
  /** Layers of the model: no more stages than that. */
  readonly layers: number;
  /** Pinned by hand. */
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
}

/**
 * Every way to lay one replica over the GPUs of equal nodes, best first: fewest nodes, then fewest pipeline
 * stages, then fewest GPUs. Tensor parallelism never leaves a node; stages inside one come last, because they
 * divide the memory but not the time per token. A replica over several nodes takes all GPUs of each, so that
 * its collectives meet no neighbour.
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
