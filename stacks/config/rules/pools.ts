import { fabricAccess, fabricOf, noFabricReason } from "../../../catalog/fabrics";
import { cards, findShape, type MachineShape, shapes } from "../../../catalog/shapes";
import { unservedAccelerator } from "../../../catalog/unserved-accelerators";
import type { ClusterKind } from "../../../planner/types";
import { list, type Path, type ProblemDraft, suggest } from "../core/problems";
import { knownMachine, type Rule } from "../core/rule";
import { MOST_POOLS } from "../core/sections/pools";
import { LIST_CARDS, LIST_SHAPES } from "../list-commands";
import type { PoolConfig } from "../schema";

/** Machines by kind of cluster. A local cluster is any kubeconfig context. */
const PROVIDERS: Readonly<Record<ClusterKind, readonly MachineShape["provider"][]>> = {
  local: ["onprem", "oci", "aws"],
  oci: ["oci"],
  aws: ["aws"],
  edge: ["onprem"],
};

export const atLeastOnePool: Rule = function* ({ sections, declared }) {
  if (sections.pools && declared.pools.length === 0) {
    yield {
      path: ["pools"],
      value: {},
      allowed: "at least one pool",
      fix: "add one, for example system: {node: {vcpus: 8, memoryGiB: 32}}",
    };
  }
};

export const poolsCanBeCompared: Rule = function* ({ declared }) {
  const count = declared.pools.length;
  if (count > MOST_POOLS) {
    yield {
      path: ["pools"],
      value: `${count} pools`,
      allowed: `at most ${MOST_POOLS} pools: each is compared with every other`,
      fix: "make one pool of those with equal machines, or an environment for each cluster",
    };
  }
};

export const poolsHaveOneMachine: Rule = function* ({ sections }) {
  for (const [name, pool] of Object.entries(sections.pools ?? {})) {
    const path = ["pools", name];
    if ((pool.shape === undefined) === (pool.node === undefined)) {
      yield {
        path,
        value: pool.shape === undefined ? undefined : "both shape and node",
        allowed: "either shape (a cloud's machine) or node (a machine of yours)",
        fix:
          pool.shape === undefined
            ? "add shape: VM.GPU.A10.1 or node: {vcpus: 8, memoryGiB: 32}"
            : "remove one of the two",
      };
      continue;
    }
    yield* pool.node ? nodeProblems(path, pool.node) : shapeProblems(path, pool);
  }
};

function* shapeProblems(
  pool: Path,
  { shape: name = "", usdPerNodeHour, ocpus, memoryGiB }: PoolConfig,
): Generator<ProblemDraft> {
  const shape = findShape(name);
  const path = [...pool, "shape"];
  if (!shape) {
    const names = shapes.map((each) => each.name);
    const isCard = cards.some((card) => card.name === name);
    const unserved = unservedProblem(path, name);
    yield unserved ?? {
      path,
      value: name,
      allowed: `a machine shape of the catalogue: ${list(names, LIST_SHAPES)}`,
      fix: isCard
        ? `that is a card: write node: {card: ${name}, gpuCount: 1, vcpus: 16, memoryGiB: 64}`
        : suggest(name, names, `take a shape of the catalogue: ${LIST_SHAPES}`),
    };
    return;
  }
  if (shape.denied) {
    yield {
      path,
      value: name,
      allowed: `a usable shape; this one is not: ${shape.denied}`,
      fix: `take another shape${others(shape)}`,
    };
  }
  if (!shape.price && usdPerNodeHour === undefined) {
    yield {
      path: [...pool, "usdPerNodeHour"],
      value: undefined,
      allowed: `a price: the catalogue has none for ${name}${shape.noPriceReason ? ` (${shape.noPriceReason})` : ""}`,
      fix: "add usdPerNodeHour with what one node costs you per hour",
    };
  }
  yield* flexProblems(pool, shape, { ocpus, memoryGiB });
}

/** Alternatives with the same GPU vendor, and a useful network if any. */
function others({ provider, gpu, rdma }: MachineShape): string {
  const usable = shapes.filter(
    (each) =>
      each.provider === provider &&
      each.gpu?.vendor === gpu?.vendor &&
      each.denied === undefined &&
      each.price !== undefined &&
      (rdma.kind === "none" || fabricOf(each.name) !== undefined),
  );
  return usable.length > 0 ? `, such as ${usable.map(({ name }) => name).join(", ")}` : "";
}

function* flexProblems(
  pool: Path,
  { name, flex }: MachineShape,
  size: { ocpus: number | undefined; memoryGiB: number | undefined },
): Generator<ProblemDraft> {
  const perOcpu = flex?.memoryGiBPerOcpu;
  const ranges = {
    ocpus: flex?.ocpus,
    memoryGiB: flex &&
      perOcpu && {
        min: Math.max(flex.memoryGiB.min, perOcpu.min * (size.ocpus ?? 0)),
        max: Math.min(flex.memoryGiB.max, perOcpu.max * (size.ocpus ?? Number.POSITIVE_INFINITY)),
      },
  };
  for (const key of ["ocpus", "memoryGiB"] as const) {
    const value = size[key];
    const range = ranges[key];
    const path = [...pool, key];
    if (!range) {
      if (value !== undefined) {
        yield { path, value, allowed: `only on flexible shapes; ${name} has a fixed size`, fix: `remove ${key}` };
      }
    } else if (value === undefined || value < range.min || value > range.max) {
      yield {
        path,
        value,
        allowed: `${range.min} to ${range.max} on ${name}${key === "memoryGiB" && size.ocpus ? ` with ${size.ocpus} OCPUs` : ""}`,
        fix:
          value === undefined
            ? `add ${key}: ${name} is a flexible shape`
            : `write ${value < range.min ? range.min : range.max}`,
      };
    }
  }
}

/** Undefined for unknown names. */
function unservedProblem(path: Path, name: string): ProblemDraft | undefined {
  const unserved = unservedAccelerator(name);
  return (
    unserved && {
      path,
      value: name,
      allowed: `machines with GPUs of NVIDIA or AMD, or with CPUs alone; ${unserved.accelerator} is not served: ${unserved.why}`,
      fix: `take one of those (${LIST_SHAPES}, ${LIST_CARDS}); models that run on ${unserved.accelerator} elsewhere join with engine: external`,
    }
  );
}

function* nodeProblems(pool: Path, node: NonNullable<PoolConfig["node"]>): Generator<ProblemDraft> {
  const path = [...pool, "node"];
  const names = cards.map((card) => card.name);
  const { card, gpuCount, gpuMemoryGiB, gpuVendor } = node;
  if (card !== undefined && !names.includes(card)) {
    const unserved = unservedProblem([...path, "card"], card);
    if (unserved) {
      yield unserved;
    } else if (gpuMemoryGiB === undefined) {
      yield {
        path: [...path, "card"],
        value: card,
        allowed: `a card of the catalogue: ${list(names, LIST_CARDS)}; any other with gpuMemoryGiB, its memory`,
        fix: suggest(
          card,
          names,
          "take a card of the catalogue, or add gpuMemoryGiB: the memory of one GPU as its driver reports it",
        ),
      };
    }
  }
  const hasGpus = card !== undefined || gpuMemoryGiB !== undefined;
  if (hasGpus !== (gpuCount !== undefined)) {
    yield {
      path: [...path, hasGpus ? "gpuCount" : "card"],
      value: undefined,
      allowed: "card, or gpuMemoryGiB, together with gpuCount, or none of them for a machine without GPU",
      fix: hasGpus ? "add gpuCount: 1" : `add card: ${names[0] ?? ""}, or remove gpuCount`,
    };
  }
  if (gpuVendor !== undefined && (gpuMemoryGiB === undefined || (card !== undefined && names.includes(card)))) {
    yield {
      path: [...path, "gpuVendor"],
      value: gpuVendor,
      allowed: "only with gpuMemoryGiB, for a card that the catalogue lacks: it knows whose its own are",
      fix: "remove it",
    };
  }
}

export const machinesBelongToTheCluster: Rule = function* ({ sections: { cluster, pools = {} } }) {
  if (!cluster) {
    return;
  }
  const allowed = PROVIDERS[cluster.kind];
  for (const [name, pool] of Object.entries(pools)) {
    const provider = pool.node ? "onprem" : findShape(pool.shape ?? "")?.provider;
    const both = pool.node && pool.shape !== undefined;
    if (provider && !both && !allowed.includes(provider)) {
      const own = allowed.includes("onprem");
      yield {
        path: ["pools", name, pool.node ? "node" : "shape"],
        value: pool.node ? "a machine of your own" : pool.shape,
        allowed: own ? `node (a machine of yours) on a cluster of kind ${cluster.kind}` : `a shape of ${cluster.kind}`,
        fix: own
          ? "describe the machine with node: {vcpus: …, memoryGiB: …}"
          : `take a shape such as ${shapes.find((shape) => shape.provider === allowed[0] && !shape.denied)?.name}, or change cluster.kind`,
      };
    }
  }
};

export const poolRolesFitTheirMachines: Rule = function* ({ sections }) {
  for (const [name, pool] of Object.entries(sections.pools ?? {})) {
    const machine = knownMachine(pool);
    if (pool.role === "gpu" && machine && !machine.gpu) {
      yield {
        path: ["pools", name, "role"],
        value: pool.role,
        allowed: `system or cpu: ${machine.name} has no GPU`,
        fix: "take a machine with GPUs, or write role: cpu",
      };
    }
  }
};

export const rdmaIsOfTheMachine: Rule = function* ({ sections }) {
  for (const [name, { rdma, node, shape = "" }] of Object.entries(sections.pools ?? {})) {
    if (rdma === undefined || (node === undefined && findShape(shape) === undefined)) {
      continue;
    }
    const path = ["pools", name, "rdma"];
    const fabric = node ? undefined : fabricOf(shape);
    if (!fabric) {
      const reason = node ? "the catalogue knows no RDMA network of machines of your own" : noFabricReason(shape);
      yield {
        path,
        value: rdma,
        allowed: `only on machines with an RDMA network of use: ${reason}`,
        fix: "remove rdma",
      };
    } else if (rdma.access !== undefined && !fabricAccess(fabric.kind).includes(rdma.access)) {
      const [usual = "", ...others] = fabricAccess(fabric.kind);
      yield {
        path: [...path, "access"],
        value: rdma.access,
        allowed: `${[usual, ...others].join(" or ")} on ${shape}`,
        fix: `write ${usual}`,
      };
    } else if (rdma.topologyLabel !== undefined && rdma.access === undefined && rdma.mode === undefined) {
      const [usual = ""] = fabricAccess(fabric.kind);
      yield {
        path: [...path, "topologyLabel"],
        value: rdma.topologyLabel,
        allowed: "only with access, or with mode: replicas over TCP need no block of the RDMA network",
        fix: `add access: ${usual}, or remove topologyLabel`,
      };
    }
  }
};

export const poolSizesAreOrdered: Rule = function* ({ sections }) {
  for (const [name, { minNodes, maxNodes }] of Object.entries(sections.pools ?? {})) {
    if (minNodes > maxNodes) {
      yield {
        path: ["pools", name, "maxNodes"],
        value: maxNodes,
        allowed: `at least minNodes, ${minNodes}`,
        fix: `write maxNodes: ${minNodes}, or lower minNodes`,
      };
    }
  }
};

export const dedicatedModelsExist: Rule = function* ({ sections, declared }) {
  for (const [name, pool] of Object.entries(sections.pools ?? {})) {
    for (const [index, model] of (pool.dedicatedTo ?? []).entries()) {
      if (!declared.models.includes(model)) {
        yield {
          path: ["pools", name, "dedicatedTo", index],
          value: model,
          allowed: `a name under models: ${list(declared.models)}`,
          fix: suggest(model, declared.models, "add the model, or remove it here"),
        };
      } else if (Object.hasOwn(sections.externalModels ?? {}, model)) {
        yield {
          path: ["pools", name, "dedicatedTo", index],
          value: model,
          allowed: "a model that runs here: this one runs elsewhere, and needs no pool",
          fix: "remove it",
        };
      }
    }
  }
};
