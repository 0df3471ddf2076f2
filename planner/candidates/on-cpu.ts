import { engineOf } from "../../engines";
import { estimateServer } from "../../engines/estimate";
import type { MemoryRequest } from "../../engines/memory-request";
import { cpuVerdict } from "../hardware/verdict";
import { chooseLayout } from "../level/choose-layout";
import { sizingFor, speedOn } from "../level/sized-layout";
import { verdictText } from "../memory/verdict-text";
import { type Capacity, holds } from "../packing";
import { cpuPodResources } from "../pod-resources";
import type { ModelRequest, PoolRequest } from "../request";
import type { ServerModels } from "../shared-servers";
import { enginePod } from "./engine-pod";
import { onCpu } from "./memory-requests";
import { optionMemory, optionMemoryNotes, optionMemoryShort } from "./option-memory";
import { lacksMemory, orUnread, refusalToStart, refuse } from "./refuse";
import type { Candidate, Fit } from "./types";
import { capacityText, eachText, gib, notesOf } from "./words";

export function fitOnCpu(server: ServerModels, pool: PoolRequest, node: Capacity): Fit {
  const { host: model, guests } = server;
  if (node.memoryGiB <= 0) {
    return refuse(pool, `the system and the platform take all ${pool.shape.memoryGiB} GiB of ${pool.shape.name}`);
  }
  const models = [model, ...guests];
  const verdicts = models.map((each) => cpuVerdict(each, pool.shape.cpu.arch));
  const onHost = (each: ModelRequest): MemoryRequest => onCpu(node.memoryGiB, each);
  const requests = [onHost(model), ...guests.map(onHost)] as const;
  const refusal = refusalToStart(pool, verdicts, requests);
  if (refusal) {
    return refusal;
  }
  const { together: estimate, each } = estimateServer(requests);
  const layout = { tensorParallel: 1, pipelineParallel: 1, nodesPerReplica: 1, gpusPerNode: 0 };
  const { totalGiB, limitGiB } = estimate.perGpu;
  if (estimate.verdict.answer !== "fits") {
    const reason = `needs ${gib(totalGiB)} of host memory, ${pool.shape.name} leaves ${gib(limitGiB)}: ${verdictText(estimate.verdict)}${eachText(server, each)}`;
    return lacksMemory(pool, { layout, estimate, each }, reason);
  }
  const uses = optionMemory(model, layout);
  const resources = cpuPodResources(node, totalGiB + estimate.verdict.intervalGiB.above, {
    ...enginePod(model, 1),
    optionMemory: uses,
    sharedMemoryGiB: engineOf(model.engine).onCpu?.sharedMemoryGiB ?? 0,
  });
  if (!holds(node, resources)) {
    const { optionMemoryGiB = 0, memoryGiB, cpu } = resources;
    const needs = `${pool.shape.name} leaves ${capacityText(node)} to models; ${model.engine} needs ${cpu} CPUs and ${gib(memoryGiB)}`;
    const roomGiB = Math.floor(node.memoryGiB) - (memoryGiB - optionMemoryGiB);
    const { short, remedy } = optionMemoryShort(model, uses, { short: needs, roomGiB });
    return refuse(pool, short, remedy);
  }
  const speed = speedOn(server, pool.shape, layout, { request: requests[0], estimate });
  const { concurrency } = model;
  const notes = [...notesOf(verdicts), ...optionMemoryNotes(uses)];
  const candidate: Candidate = { pool: pool.name, layout, estimate, each, resources, notes, concurrency, speed };
  // Known for CPUs with measurements of the model.
  const sizing = sizingFor(model, speed);
  const fit: Fit = sizing === undefined ? { candidate } : chooseLayout(model, pool, [{ candidate, sizing }]);
  return orUnread(pool, verdicts, fit);
}
