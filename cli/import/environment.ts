/** Environment file of a draft; comments mark defaults. */
import { Document, isScalar, type Node, type Pair, visit } from "yaml";
import { findShape } from "../../catalog/shapes";
import { engineNames, engineOf } from "../../engines";
import { POOL_LABEL } from "../../planner/pool-labels";
import type { Draft, ModelDraft, Plain } from "./draft";
import { DEFAULTS, type ImportOptions, SYSTEM_POOLS } from "./options";
import { writtenPod } from "./pod-draft";
import type { ImportedPool } from "./pools";

export interface ResolvedMachine {
  readonly shape?: string;
  readonly card?: string;
  readonly gpusPerNode: number;
  readonly nodes: { readonly min: number; readonly max: number };
  readonly isDefault: boolean;
}

/** Final key, and weights as the environment writes them. */
export interface SettledModel {
  readonly key: string;
  readonly draft: ModelDraft;
  readonly weights: Readonly<Record<string, Plain>>;
  contextTokens: number;
  /** Why a length was chosen if no file states one. */
  contextReason?: string;
  /** Undefined: not in the catalogue. */
  readonly ownTokens?: number;
}

export interface Settlement {
  readonly name: string;
  readonly draft: Draft;
  readonly options: ImportOptions;
  readonly models: readonly SettledModel[];
  readonly pools: readonly ImportedPool[];
  readonly machines: ReadonlyMap<ImportedPool, ResolvedMachine>;
}

export type ClusterKind = "local" | "oci" | "aws";

/** The user's choice, then the files'. */
export function clusterOf({ draft, options }: Pick<Settlement, "draft" | "options">): ClusterKind {
  return options.cluster ?? draft.cluster ?? cloudOf(draft) ?? DEFAULTS.cluster;
}

function cloudOf({ models }: Draft): "oci" | "aws" | undefined {
  return models
    .map(({ machine }) => findShape(machine.shape ?? "")?.provider)
    .find((provider) => provider === "oci" || provider === "aws");
}

/** By default, when there is no other job. */
export function isCreated({ draft, options }: Pick<Settlement, "draft" | "options">): boolean {
  return clusterOf({ draft, options }) === "oci" && (options.create || draft.models.length === 0);
}

interface Commented {
  readonly path: readonly string[];
  readonly text: string;
}

const NAMESPACE = "inference-stacks";

export function environmentText(settlement: Settlement): string {
  const { options, models } = settlement;
  const comments: Commented[] = [];
  const note = (text: string, ...path: string[]) => void comments.push({ path, text });
  const stage = options.stage ?? DEFAULTS.stage;
  if (options.stage === undefined) {
    note("default, of --stage: production needs a certificate and receivers of alerts", "stage");
  }
  const sections: Record<string, Plain> = { stage };
  if (models.length === 0) {
    sections.scope = "cluster";
    note("the files have machines alone", "scope");
  }
  sections.cluster = cluster(settlement, note);
  sections.pools = pools(settlement, note);
  sections.models = Object.fromEntries(models.map((model) => [model.key, modelSection(settlement, model, note)]));
  Object.assign(sections, storage(settlement, note));
  sections.gateway = gateway(settlement, note);
  if (models.length > 0) {
    sections.observability = { alerts: "none" };
    note("default: no receiver of alerts; docs/alerts.md has them", "observability", "alerts");
  }
  return textOf(sections, comments, settlement);
}

type Note = (text: string, ...path: string[]) => void;

function cluster(settlement: Settlement, note: Note): Plain {
  const kind = clusterOf(settlement);
  const { options, draft } = settlement;
  if (options.cluster === undefined) {
    note(
      (draft.cluster ?? cloudOf(draft)) === undefined
        ? "default, of --cluster"
        : "of the files' machines; --cluster names another",
      "cluster",
      "kind",
    );
  }
  if (!isCreated(settlement)) {
    note("default: the cluster exists", "cluster", "provision");
    return { kind, provision: "existing" };
  }
  const region = regionOf(draft) ?? "us-ashburn-1";
  for (const key of ["tenancyId", "compartmentId"]) {
    note("default: write your own", "cluster", "oke", key);
  }
  note("default: the version of new nodes", "cluster", "oke", "kubernetesVersion");
  if (regionOf(draft) === undefined) {
    note("default: write your own", "cluster", "oke", "region");
  }
  return {
    kind,
    provision: "create",
    oke: {
      tenancyId: "ocid1.tenancy.oc1..your-tenancy",
      compartmentId: "ocid1.compartment.oc1..your-compartment",
      region,
      kubernetesVersion: "v1.35.2",
    },
  };
}

/** Of a recipe's availability domain: `TrcQ:EU-FRANKFURT-1-AD-3`. */
function regionOf({ pools }: Draft): string | undefined {
  const domains = pools.map(({ ledger }) => ledger.text("recipe_availability_domain") ?? "");
  const found = domains.map((domain) => /:([A-Za-z]+-[A-Za-z]+-\d)-AD-\d$/.exec(domain)?.[1]?.toLowerCase());
  return found.find((region) => region !== undefined);
}

function pools(settlement: Settlement, note: Note): Plain {
  const kind = clusterOf(settlement);
  const { options } = settlement;
  const created = isCreated(settlement);
  const system: Record<string, Plain> = { ...SYSTEM_POOLS[kind], ...(kind !== "local" && { role: "system" }) };
  note("default: the machine that runs the platform itself", "pools", "system");
  const runsOnCpus =
    kind === "local" &&
    settlement.pools.some(({ processor, machine }) => processor === "cpu" && machine.taints === undefined);
  const sections: Record<string, Plain> = runsOnCpus ? {} : { system };
  for (const pool of settlement.pools) {
    const machine = settlement.machines.get(pool);
    if (machine === undefined) {
      continue;
    }
    const { shape, card, gpusPerNode, nodes, isDefault } = machine;
    if (isDefault) {
      note(
        `default, of --${kind === "local" ? "card" : "shape"}: the files name no machine; the first of the list on which the plan fits`,
        "pools",
        pool.name,
      );
    }
    const isCpu = pool.processor === "cpu";
    const vcpus =
      options.nodeVcpus ?? Math.max(DEFAULTS.vcpusPerGpu * Math.max(gpusPerNode, 1), larger(pool.machine.vcpus));
    const memoryGiB =
      options.nodeMemoryGib ??
      Math.max(DEFAULTS.memoryGibPerGpu * Math.max(gpusPerNode, 1), larger(pool.machine.memoryGiB));
    // A label separates pools without GPUs from the platform's own.
    const isApart = isCpu && kind === "local" && pool.machine.taints !== undefined;
    const labels = pool.machine.labels ?? (isApart ? { [POOL_LABEL]: pool.name } : undefined);
    const flex = shape === undefined ? undefined : findShape(shape)?.flex;
    sections[pool.name] = {
      ...(isCpu && { role: "cpu" }),
      ...(shape !== undefined && { shape }),
      ...(flex && { ocpus: pool.machine.flex?.ocpus ?? 8, memoryGiB: pool.machine.flex?.memoryGiB ?? 64 }),
      ...(shape === undefined && {
        node: {
          ...(!isCpu && card !== undefined && { card, gpuCount: gpusPerNode }),
          vcpus,
          memoryGiB,
          networkGbps: DEFAULTS.networkGbps,
        },
      }),
      minNodes: nodes.min,
      ...(nodes.max > nodes.min && { maxNodes: nodes.max }),
      ...(options.usdPerNodeHour !== undefined && { usdPerNodeHour: options.usdPerNodeHour }),
      ...(pool.machine.mig !== undefined && { sharing: { mig: pool.machine.mig } }),
      ...(labels && { labels }),
      ...(pool.machine.taints && { taints: pool.machine.taints }),
      ...rdmaOf(pool, shape, created),
      ...(created && { availabilityDomains: [domainOf(pool)], ...madeNodes(pool) }),
    };
  }
  return sections;
}

/** A pod gets less than its node has. */
function larger(requested = 0): number {
  return Math.ceil(requested * 1.25);
}

function domainOf({ declared }: ImportedPool): number {
  const [, domain] = /AD-(\d)$/.exec(declared?.ledger.text("recipe_availability_domain") ?? "") ?? [];
  return domain === undefined ? 1 : Number(domain);
}

/** Image and boot volume of created nodes. */
function madeNodes({ declared }: ImportedPool): Record<string, Plain> {
  const image = declared?.ledger.text("recipe_node_image_ocid");
  const boot = declared?.ledger.number("shared_node_pool_boot_volume_size_in_gbs");
  return {
    ...(image?.startsWith("ocid1.image.") === true && { image }),
    ...(boot !== undefined && { bootVolumeGiB: boot }),
  };
}

function rdmaOf({ machine }: ImportedPool, shape: string | undefined, created: boolean): Record<string, Plain> {
  const hasNetwork = shape !== undefined && findShape(shape)?.rdma.kind !== "none";
  if (machine.rdma !== true || !hasNetwork) {
    return {};
  }
  return { rdma: created ? { mode: "managed" } : { access: "virtual-functions" } };
}

function modelSection({ pools: all, options }: Settlement, model: SettledModel, note: Note): Plain {
  const { draft, key, weights } = model;
  const at = ["models", key];
  const isGuest = draft.block.serverOf !== undefined;
  const concurrency = draft.settings.concurrency ?? options.concurrency ?? DEFAULTS.concurrency;
  if (!isGuest && draft.settings.concurrency === undefined && options.concurrency === undefined) {
    note("default, of --concurrency: vLLM starts where one request of full length fits", ...at, "concurrency");
  }
  if (model.contextReason !== undefined) {
    note(model.contextReason, ...at, "contextTokens");
  }
  const { min, max = min } = draft.replicas;
  const pool = all.find(({ models }) => models.includes(draft));
  const { contextTokens: _context, concurrency: _concurrency, ...settings } = draft.settings;
  const pod = writtenPod(draft.pod);
  const blockName = engineOf(draft.engine).settings === undefined ? undefined : draft.engine;
  return {
    ...weights,
    ...(draft.engine !== engineNames[0] && { engine: draft.engine }),
    ...settings,
    contextTokens: model.contextTokens,
    ...(!isGuest && { concurrency }),
    ...(!isGuest && (min !== 1 || max !== 1) && { replicas: { min, ...(max > min && { max }) } }),
    ...(!isGuest && pool !== undefined && { pools: [pool.name] }),
    ...(Object.keys(draft.adapters).length > 0 && { adapters: draft.adapters }),
    ...(blockName !== undefined && Object.keys(draft.block).length > 0 && { [blockName]: draft.block }),
    ...(Object.keys(draft.args).length > 0 && { args: draft.args }),
    ...(Object.keys(draft.env).length > 0 && { env: draft.env }),
    ...(!isGuest && pod !== undefined && { pod }),
  };
}

function storage({ draft, models }: Settlement, note: Note): Record<string, Plain> {
  const used = Object.entries(draft.buckets).filter(([name]) =>
    models.some((model) => String(model.draft.settings.source).startsWith(`s3://${name}/`)),
  );
  used.forEach(
    ([name]) =>
      void note("default: write its own endpoint, and secretKey of one that is not public", "storage", "buckets", name),
  );
  return used.length === 0 ? {} : { storage: { buckets: Object.fromEntries(used) } };
}

function gateway({ draft, options }: Settlement, note: Note): Plain {
  const [written] = draft.hostnames;
  const hostname = options.host ?? written?.name ?? DEFAULTS.host;
  if (options.host === undefined && written === undefined) {
    note("default, of --host", "gateway", "hostname");
  }
  const isProduction = options.stage === "production";
  note(
    isProduction
      ? "default: a certificate of your own in this Secret; docs/configuration.md has the other kinds"
      : "default: of development alone",
    "gateway",
    "tls",
  );
  return {
    hostname,
    tls: isProduction ? { kind: "secret", secretName: "gateway-tls" } : { kind: "self-signed" },
    ...(draft.affinity !== undefined && { affinity: draft.affinity }),
  };
}

function textOf(
  sections: Readonly<Record<string, Plain>>,
  comments: readonly Commented[],
  { name }: Settlement,
): string {
  const entries = Object.entries(sections).map(([key, value]) => [`${NAMESPACE}:${key}`, value]);
  // Pulumi's parser reads more words as numbers and dates: quote them.
  const document = new Document({ config: Object.fromEntries(entries) }, { schema: "yaml-1.1" });
  document.commentBefore = [
    " yaml-language-server: $schema=./schemas/environment.schema.json",
    "",
    ` ${name}: written by npm run import. Each "default" marks what the imported files do not state.`,
  ].join("\n");
  const wanted = new Map(comments.map(({ path, text }) => [path.join("\0"), text]));
  visit(document, {
    Pair: (_key, pair, path) => {
      const keys = [...path, pair].flatMap((node) => keyOfPair(node));
      const [, first = "", ...rest] = keys;
      const text = wanted.get([first.replace(`${NAMESPACE}:`, ""), ...rest].join("\0"));
      if (text !== undefined) {
        comment(pair, text);
      }
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function keyOfPair(node: unknown): string[] {
  const { key } = node as Pair;
  return isScalar(key) ? [String(key.value)] : [];
}

function comment(pair: Pair, text: string): void {
  const { key } = pair;
  if (isScalar(key)) {
    (key as Node).commentBefore = ` ${text}`;
  }
}
