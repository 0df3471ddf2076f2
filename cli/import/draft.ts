/** What documents of any format ask for, before machines are chosen and anything is written. */
import type { EngineName } from "../../engines";
import type { Ledger } from "./ledger";
import type { Path } from "./path";
import { emptyPod, type PodDraft } from "./pod-draft";
import type { ServerImage } from "./server-image";

/** A value of an environment file. */
export type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };

/** How the original runs one replica. Undefined: it leaves that to its own platform. */
export interface Original {
  readonly gpus?: number;
  readonly tensorParallel?: number;
  readonly pipelineParallel?: number;
}

/** One server of one model, being read. */
export interface ModelDraft {
  /** Wanted key under `models`; made unique later. */
  name: string;
  readonly ledger: Ledger;
  /** Where it stands in its document, for remarks about the whole of it. */
  readonly at: Path;
  engine: EngineName;
  /** Name that the original has for its weights. */
  weights?: string;
  /** Where it says so. Undefined: nowhere, or in the place of `source`. */
  namedAt?: Path | undefined;
  /** Commit or branch of those weights. */
  revision?: string;
  /** Fields of `models.<name>`, without those below. */
  readonly settings: Record<string, Plain>;
  /** Fields of the engine's own block. */
  readonly block: Record<string, Plain>;
  readonly args: Record<string, Plain>;
  readonly env: Record<string, Plain>;
  /** Parsers that the original names, by the key that stands for them. */
  readonly parsers: Record<string, { readonly flag: string; readonly value: string }>;
  /** Where the original has each flag and variable, to say what became of it. */
  readonly places: Map<string, Path>;
  readonly adapters: Record<string, Plain>;
  /** What the original adds to its pods. */
  readonly pod: PodDraft;
  /** Its server's image, and where that stands. */
  image?: { readonly image: ServerImage; readonly at: readonly Path[] };
  replicas: { min: number; max?: number };
  /** Data-parallel ranks in one pod, which are replicas here. */
  ranks: number;
  original: Original;
  /** Machine that the original names. */
  machine: MachineDraft;
  /** Its file states how long contexts are. */
  statesContext: boolean;
  /** Its server takes the longest context that fits, as vLLM with --max-model-len=auto. */
  takesWhatFits?: boolean;
  /** Volume that the original gives the weights, GB, and where it says so. */
  volumeGB?: { readonly size: number; readonly at: Path };
}

/** What is known of the machines that a model runs on. */
export interface MachineDraft {
  /** Shape of a cloud, as its catalogue has it. */
  shape?: string;
  /** Card of the catalogue. */
  card?: string;
  gpusPerNode?: number;
  vendor?: "nvidia" | "amd" | "cpu";
  nodes?: { min: number; max?: number };
  /** Slices: the layout of every card. */
  mig?: string;
  /** Of that layout, on each card. */
  slicesPerGpu?: number;
  /** Pool of another document that it joins, by selector. */
  shared?: { readonly selector?: string };
  rdma?: boolean;
  flex?: { ocpus?: number; memoryGiB?: number };
  vcpus?: number;
  memoryGiB?: number;
  labels?: Record<string, string>;
  taints?: readonly Readonly<Record<string, Plain>>[];
}

/** A pool that a document declares by itself. */
export interface PoolDraft {
  name: string;
  readonly ledger: Ledger;
  readonly at: Path;
  readonly selector?: string;
  readonly machine: MachineDraft;
}

/** All that was read. */
export interface Draft {
  readonly models: ModelDraft[];
  readonly pools: PoolDraft[];
  readonly hostnames: { readonly name: string; readonly ledger: Ledger; readonly at: Path }[];
  /** Buckets elsewhere that hold weights. */
  readonly buckets: Record<string, Plain>;
  /** Keeps sessions at a replica. */
  affinity?: "header";
  /** Cluster that the files belong to. */
  cluster?: "oci" | "aws";
}

export function emptyDraft(): Draft {
  return { models: [], pools: [], hostnames: [], buckets: {} };
}

/** A server before anything of it is read. */
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

/** @returns puts back what the draft and its account have now. */
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

/** A name as keys of the environment are: lower-case letters, digits and dashes. */
export function keyOf(name: string): string {
  const key = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return key === "" ? "model" : key;
}

/** The names made unique, in their order. */
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
