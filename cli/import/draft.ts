/** What documents of any format request, before machines are chosen. */
import type { EngineName } from "../../engines";
import type { Ledger } from "./ledger";
import type { Path } from "./path";
import { emptyPod, type PodDraft } from "./pod-draft";
import type { ServerImage } from "./server-image";

export type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

/** How the original runs a replica. Undefined: its platform decides. */
export interface Original {
  readonly gpus?: number;
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
}

/** One server of one model. */
export interface ModelDraft {
  /** Key under `models`; made unique later. */
  name: string;
  readonly ledger: Ledger;
  /** For remarks about the whole model. */
  readonly at: Path;
  engine: EngineName;
  /** The original's name of its weights. */
  weights?: string;
  /** Undefined: nowhere, or in `source`. */
  namedAt?: Path | undefined;
  revision?: string;
  /** Fields of `models.<name>`, except those below. */
  readonly settings: Record<string, Plain>;
  readonly block: Record<string, Plain>;
  readonly args: Record<string, Plain>;
  readonly env: Record<string, Plain>;
  /** The original's parsers, by key. */
  readonly parsers: Record<string, { readonly flag: string; readonly value: string }>;
  /** Path of each flag and variable, for the report. */
  readonly places: Map<string, Path>;
  readonly adapters: Record<string, Plain>;
  readonly pod: PodDraft;
  image?: { readonly image: ServerImage; readonly at: readonly Path[] };
  replicas: { min: number; max?: number };
  /** Data-parallel ranks in one pod become replicas. */
  ranks: number;
  original: Original;
  machine: MachineDraft;
  statesContext: boolean;
  /** The longest context that fits, as with --max-model-len=auto. */
  takesWhatFits?: boolean;
  /** Volume for the weights, GB, and its path. */
  volumeGB?: { readonly size: number; readonly at: Path };
}

export interface MachineDraft {
  /** Shape of the catalogue. */
  shape?: string;
  /** Card of the catalogue. */
  card?: string;
  gpusPerNode?: number;
  vendor?: "nvidia" | "amd" | "cpu";
  nodes?: { min: number; max?: number };
  /** MIG layout of every card. */
  mig?: string;
  slicesPerGpu?: number;
  /** Another document's pool to join, by selector. */
  shared?: { readonly selector?: string };
  rdma?: boolean;
  flex?: { ocpus?: number; memoryGiB?: number };
  vcpus?: number;
  memoryGiB?: number;
  labels?: Record<string, string>;
  taints?: readonly Readonly<Record<string, Plain>>[];
}

export interface PoolDraft {
  name: string;
  readonly ledger: Ledger;
  readonly at: Path;
  readonly selector?: string;
  readonly machine: MachineDraft;
}

export interface Draft {
  readonly models: ModelDraft[];
  readonly pools: PoolDraft[];
  readonly hostnames: { readonly name: string; readonly ledger: Ledger; readonly at: Path }[];
  /** External buckets with weights. */
  readonly buckets: Record<string, Plain>;
  affinity?: "header";
  cluster?: "oci" | "aws";
}

export function emptyDraft(): Draft {
  return { models: [], pools: [], hostnames: [], buckets: {} };
}

export function newModel(ledger: Ledger, at: Path, name: string, engine: EngineName): ModelDraft {
  ledger.hold(at);
  return {
    name,
    ledger,
    at,
    engine,
    settings: {},
    block: {},
    args: {},
    env: {},
    parsers: {},
    places: new Map(),
    adapters: {},
    pod: emptyPod(),
    replicas: { min: 1 },
    ranks: 1,
    original: {},
    machine: {},
    statesContext: false,
  };
}

/** @returns restores the present draft and ledger. */
export function held(model: ModelDraft): () => void {
  const { settings, block, args, env, adapters, pod, ledger } = model;
  const records = [settings, block, args, env, adapters, pod.labels, pod.annotations];
  const lists = [pod.volumes, pod.initContainers, pod.sidecars];
  const keptRecords = records.map((record) => ({ ...record }));
  const keptLists = lists.map((list) => [...list]);
  const forget = ledger.mark();
  return () => {
    records.forEach((record, index) => {
      for (const key of Object.keys(record)) {
        delete record[key];
      }
      Object.assign(record, keptRecords[index]);
    });
    lists.forEach((list, index) => void list.splice(0, list.length, ...(keptLists[index] ?? [])));
    forget();
  };
}

/** Lower-case letters, digits and dashes. */
export function keyOf(name: string): string {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return key === "" ? "model" : key;
}

export function uniqueKeys(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let key = name;
    for (let number = 2; taken.has(key); number += 1) {
      key = `${name.slice(0, 36)}-${number}`;
    }
    taken.add(key);
    return key;
  });
}
