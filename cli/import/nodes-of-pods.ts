import { findGpus } from "../../catalog/find-gpu";
import { cards } from "../../catalog/shapes";
import type { MachineDraft, Plain } from "./draft";
import { instanceType } from "./instance-types";
import type { Ledger } from "./ledger";
import { isMapping, mappingOf, type Path } from "./path";
import { plainText } from "./plain-text";

/** Node labels that name the card, by clouds and GPU feature discovery. */
const CARD_LABELS = [
  "nvidia.com/gpu.product",
  "cloud.google.com/gke-accelerator",
  "k8s.amazonaws.com/accelerator",
  "karpenter.k8s.aws/instance-gpu-name",
  "gpu.nvidia.com/model",
  "gpu.nvidia.com/class",
  "amd.com/gpu.product-name",
];

/** Node labels that name a machine. */
const SHAPE_LABELS = ["node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type"];

/** Labels of single nodes. */
const NODE_NAMES = ["kubernetes.io/hostname"];

/** Catalogue card of `NVIDIA-A100-SXM4-80GB`, `nvidia-tesla-t4`. */
export function cardNamed(name: string): string | undefined {
  const plain = name
    .replace(/[_-]/g, " ")
    .replace(/\b(tesla|nvidia|amd|shared|vgpu|gpu)\b/gi, " ")
    .trim();
  if (plain === "") {
    return undefined;
  }
  const models = findGpus(plain).map(({ model }) => model);
  const found = cards.filter(({ gpu }) => models.includes(gpu));
  // Clouds omit the form, and use the board's.
  return (found.find(({ name }) => name.endsWith("-sxm")) ?? found[0])?.name;
}

export function gpuVendor(resource: string): "nvidia" | "amd" | undefined {
  return resource.startsWith("nvidia.com/") ? "nvidia" : resource.startsWith("amd.com/") ? "amd" : undefined;
}

/** False for slices. */
export function isGpu(resource: string): boolean {
  return gpuVendor(resource) !== undefined && !/mem|cores/.test(resource);
}

export function isGpuCount(value: unknown): boolean {
  return /^\d+$/.test(plainText(value));
}

/**
 * Notes CPUs and memory above a default machine's.
 * @returns undefined without GPUs.
 */
export function readResources(resources: unknown, machine: MachineDraft): number | undefined {
  const { limits: most, requests: least } = mappingOf(resources);
  const limits = mappingOf(most);
  const requests = mappingOf(least);
  const asked = { ...requests, ...limits };
  const name = Object.keys(asked).find(isGpu);
  machine.vcpus = larger(machine.vcpus, cpuCount(requests.cpu ?? limits.cpu));
  machine.memoryGiB = larger(machine.memoryGiB, gibibytes(requests.memory ?? limits.memory));
  if (name === undefined) {
    const claims = isMapping(resources) && Array.isArray(resources.claims) ? resources.claims.length : 0;
    machine.vendor = claims > 0 ? "nvidia" : machine.vendor;
    return claims > 0 ? claims : undefined;
  }
  const [, profile] = /mig-(\d+g\.\d+gb)/.exec(name) ?? [];
  if (profile !== undefined) {
    machine.mig = `all-${profile}`;
  }
  const count = isGpuCount(asked[name]) ? Number(asked[name]) : undefined;
  // A pod on CPUs.
  if (count === 0) {
    return undefined;
  }
  machine.vendor = gpuVendor(name) ?? "nvidia";
  return count;
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  return b === undefined ? a : Math.ceil(Math.max(a ?? 0, b));
}

/** `500m` or `4`. */
export function cpuCount(value: unknown): number | undefined {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(m?)$/.exec(plainText(value)) ?? [];
  return digits === undefined ? undefined : Number(digits) / (unit === "m" ? 1000 : 1);
}

const UNITS: Readonly<Record<string, number>> = {
  Ki: 1 / 1024 ** 2,
  Mi: 1 / 1024,
  Gi: 1,
  Ti: 1024,
  K: 1e3 / 2 ** 30,
  M: 1e6 / 2 ** 30,
  G: 1e9 / 2 ** 30,
  T: 1e12 / 2 ** 30,
  "": 1 / 2 ** 30,
};

export function gibibytes(value: unknown): number | undefined {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([KMGT]i?|)$/.exec(plainText(value)) ?? [];
  const factor = UNITS[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

export function readNodeSelector(ledger: Ledger, path: Path, machine: MachineDraft): void {
  const selector = ledger.get(...path);
  for (const [label, value] of Object.entries(mappingOf(selector))) {
    readLabel(ledger, [...path, label], label, plainText(value), machine);
  }
}

/** Each `In` with one value is a pool label; one matching term suffices. */
export function readNodeTerms(ledger: Ledger, path: Path, machine: MachineDraft): void {
  ledger.list(...path).forEach((term, index) => {
    if (index > 0) {
      ledger.changed([...path, index], "nodes match one of several terms: the first is the pool's");
      return;
    }
    const expressions =
      isMapping(term) && Array.isArray(term.matchExpressions) ? (term.matchExpressions as unknown[]) : [];
    expressions.forEach((expression, position) => {
      const at = [...path, index, "matchExpressions", position];
      const { key, operator, values } = mappingOf(expression);
      const [value, ...others] = Array.isArray(values) ? (values as unknown[]) : [];
      if (typeof key === "string" && operator === "In" && typeof value === "string" && others.length === 0) {
        readLabel(ledger, at, key, value, machine);
      } else if (typeof key === "string" && operator === "In" && CARD_LABELS.includes(key)) {
        readCards(ledger, at, [value, ...others].map(String), machine);
      } else {
        ledger.lost(at, "pools.*.labels has labels with one value");
      }
    });
  });
}

/** The first of the catalogue among alternatives. */
function readCards(ledger: Ledger, at: Path, names: readonly string[], machine: MachineDraft): void {
  const known = names.map(cardNamed).find((card) => card !== undefined);
  if (known === undefined) {
    ledger.lost(at, `the catalogue has no card ${names.join(", ")}: name one with --card (npm run list -- cards)`);
    return;
  }
  machine.card = known;
  if (names.length === 1) {
    ledger.mapped(at, "pools.*.node.card");
  } else {
    ledger.changed(at, `a pool has one card: ${known} of ${names.join(", ")}`, "pools.*.node.card");
  }
}

function readLabel(ledger: Ledger, at: Path, label: string, value: string, machine: MachineDraft): void {
  if (CARD_LABELS.includes(label)) {
    readCards(ledger, at, [value], machine);
  } else if (SHAPE_LABELS.includes(label)) {
    readInstanceType(ledger, at, value, machine);
  } else if (NODE_NAMES.includes(label)) {
    ledger.lost(at, "it names one node: give the node a label, and the pool the same under labels");
  } else {
    machine.labels = { ...machine.labels, [label]: value };
    ledger.mapped(at, "pools.*.labels");
  }
}

function readInstanceType(ledger: Ledger, at: Path, name: string, machine: MachineDraft): void {
  const type = instanceType(name);
  if (type === undefined) {
    ledger.lost(at, "no machine with GPUs that is known here: name its card with --card (npm run list -- cards)");
  } else if (type.shape !== undefined) {
    machine.shape = type.shape;
    ledger.mapped(at, "pools.*.shape");
  } else {
    machine.card = type.card;
    machine.gpusPerNode = type.gpus;
    ledger.mapped(at, "pools.*.node.card");
  }
}

/** GPU nodes have these anyway. */
const USUAL_TAINTS = ["nvidia.com/gpu", "amd.com/gpu"];

export function readTolerations(ledger: Ledger, path: Path, machine: MachineDraft): void {
  ledger.list(...path).forEach((toleration, index) => {
    const at = [...path, index];
    const { key, value, effect } = mappingOf(toleration);
    if (typeof key !== "string") {
      ledger.lost(at, "it tolerates every taint: pools.*.taints has each with its key");
    } else if (USUAL_TAINTS.includes(key)) {
      ledger.mapped(at, "pools.*.taints");
    } else {
      const taint: Record<string, Plain> = {
        key,
        ...(typeof value === "string" && value !== "" && { value }),
        effect: typeof effect === "string" ? effect : "NoSchedule",
      };
      machine.taints = [...(machine.taints ?? []), taint];
      ledger.mapped(at, "pools.*.taints");
    }
  });
}
