/** Rules of GPU slices (`pools.<name>.sharing`). The planner checks what fits. */
import type { GpuSharing } from "../../../catalog/gpu-sharing";
import { migGpuModels, migLayout, migProfilesOf, unreadMig } from "../../../catalog/mig-profiles";
import { okeMaxPods } from "../../../catalog/oke-pods";
import type { GpuSpec, MachineShape } from "../../../catalog/shapes";
import { engineOf } from "../../../engines";
import { isSharingLabel, parted } from "../../../planner/slices";
import { list, type Path, type ProblemDraft, suggest } from "../core/problems";
import { knownMachine, type Rule } from "../core/rule";
import { requestedSettings } from "../engine-block";

/** Kubernetes' limit per node, unless the cloud's is lower. */
const MOST_PODS = 110;
/** Pods other than models: network, storage and GPU agents, exporters, and platform pods. */
const OTHER_PODS = 20;

export const gpusCanBeParted: Rule = function* ({ sections }) {
  for (const [name, pool] of Object.entries(sections.pools ?? {})) {
    const machine = pool.sharing && knownMachine(pool);
    if (pool.sharing === undefined || machine === undefined) {
      continue;
    }
    const path = ["pools", name, "sharing"];
    const wrong = cardProblem(path, pool.sharing, machine);
    yield* wrong ? [wrong] : tooManyParts(path, pool.sharing, machine);
  }
};

/** Undefined where partitioning works. */
function cardProblem(path: Path, sharing: GpuSharing, { name, gpu }: MachineShape): ProblemDraft | undefined {
  if (gpu === undefined) {
    return {
      path,
      value: sharing,
      allowed: `only on machines with NVIDIA GPUs; ${name} has no GPU`,
      fix: "remove sharing, or take a machine with GPUs",
    };
  }
  if (gpu.vendor !== "nvidia") {
    return {
      path,
      value: sharing,
      allowed: `only on machines with NVIDIA GPUs: MIG and the device plugin that shares cards are NVIDIA's, and ${gpu.model} is one pod's alone`,
      fix: "remove sharing",
    };
  }
  return "mig" in sharing ? layoutProblem([...path, "mig"], sharing.mig, gpu) : undefined;
}

function layoutProblem(path: Path, layout: string, { model }: GpuSpec): ProblemDraft | undefined {
  const layouts = migProfilesOf(model).map(migLayout);
  if (layouts.includes(layout)) {
    return undefined;
  }
  if (layouts.length > 0) {
    return {
      path,
      value: layout,
      allowed: `a layout of ${model}: ${layouts.join(", ")}`,
      fix: suggest(layout, layouts, `write one of those, such as ${layouts[0]}`),
    };
  }
  const unread = unreadMig(model);
  return {
    path,
    value: layout,
    allowed: unread
      ? `cards whose slices the catalogue knows (${list(migGpuModels)}); of ${model} it does not: ${unread}`
      : `cards that have MIG: ${list(migGpuModels)}; ${model} has none`,
    fix: "remove sharing, or take a machine with one of those; models can take turns on any card by timeSlicing: {replicas: 4}",
  };
}

/** Each slice may be a pod, and a node's pods are limited. */
function* tooManyParts(path: Path, sharing: GpuSharing, machine: MachineShape): Generator<ProblemDraft> {
  const parts = parted(machine, sharing).gpu?.count ?? 0;
  const most = podsOf(machine) - OTHER_PODS;
  if (parts > most) {
    yield {
      path,
      value: sharing,
      allowed: `at most ${most} parts on a node of ${machine.name}: it has ${podsOf(machine)} pods, ${OTHER_PODS} of them not models'; this makes ${parts}`,
      fix: "mig" in sharing ? "take a layout with larger slices" : "write fewer replicas under timeSlicing",
    };
  }
}

function podsOf(machine: MachineShape): number {
  return machine.provider === "oci" ? okeMaxPods(machine) : (machine.maxPods ?? MOST_PODS);
}

/** Lower limit for a whole card: no other pod gets the rest. */
const LEAST_OF_A_CARD = 0.5;

export const smallSharesAreOfSharedCards: Rule = function* ({ sections }) {
  for (const [name, config] of Object.entries(sections.models ?? {})) {
    const { gpuMemoryUtilization: share } = requestedSettings(config);
    const { pools = {} } = sections;
    // Engines without time-slicing have other bounds.
    if (share === undefined || share >= LEAST_OF_A_CARD || engineOf(config.engine).noTimeSlicing !== undefined) {
      continue;
    }
    const whole = (config.pools ?? Object.keys(pools)).filter((pool) => {
      const { sharing } = pools[pool] ?? {};
      return knownMachine(pools[pool])?.gpu !== undefined && !(sharing && "timeSlicing" in sharing);
    });
    if (whole.length > 0) {
      yield {
        path: ["models", name, config.engine, "gpuMemoryUtilization"],
        value: share,
        allowed: `${LEAST_OF_A_CARD} or more where the model may have a whole GPU or a MIG slice (pools ${list(whole)}): no other pod gets the rest`,
        fix: `write ${LEAST_OF_A_CARD} or more, or sharing: {timeSlicing: {replicas: …}} for its pools, where the fraction is of its part`,
      };
    }
  }
};

export const partsHaveNoFabric: Rule = function* ({ sections }) {
  for (const [name, { sharing, rdma }] of Object.entries(sections.pools ?? {})) {
    if (sharing && rdma) {
      yield {
        path: ["pools", name, "sharing"],
        value: sharing,
        allowed:
          "whole GPUs, where rdma is: RDMA joins replicas that span nodes, and a pod with a part of a GPU computes alone",
        fix: "remove sharing, or remove rdma",
      };
    }
  }
};

export const partsAreAskedForBySharing: Rule = function* ({ sections }) {
  for (const [name, { labels = {} }] of Object.entries(sections.pools ?? {})) {
    for (const key of Object.keys(labels).filter(isSharingLabel)) {
      yield {
        path: ["pools", name, "labels", key],
        value: labels[key],
        allowed: "labels that part no GPUs: the plan would count on whole ones",
        fix: `remove it, and write pools.${name}.sharing`,
      };
    }
  }
};
