/** Chooses defaults, and repairs the environment until the planner reads it. */
import { ruleFor } from "../../catalog/engine-options";
import { findShape, gpuOfCard } from "../../catalog/shapes";
import { engineOf } from "../../engines";
import type { CapacityProblem } from "../../planner/types";
import { readCatalogueModel } from "../../stacks/architectures";
import { attemptsFor } from "./attempts";
import { type Decision, decide } from "./decide";
import { type Draft, held, keyOf, type ModelDraft, uniqueKeys } from "./draft";
import { clusterOf, environmentText, type ResolvedMachine, type SettledModel, type Settlement } from "./environment";
import { leaveOut } from "./leave-out";
import { takeOwnLengths } from "./ollama-context";
import { CANDIDATES, DEFAULTS, type ImportOptions } from "./options";
import { gpusPerPod, type ImportedPool, nodesFor, poolsOf } from "./pools";
import { ImportFileError } from "./read-documents";
import { settleImage } from "./server-image";
import { isFolder, isUndescribed, type Weights, weightsNamed, weightsTagged, writtenWeights } from "./weights-name";

export interface Settled extends Settlement {
  readonly text: string;
  readonly decision: Decision;
}

/** More than the mistakes of any file. */
const MOST_REPAIRS = 12;

export const TOO_LARGE = "model-fits";

const LEAST_CONTEXT = 2048;

/**
 * @param name of the environment.
 * @param baseDirectory of its file.
 */
export async function settle(
  name: string,
  draft: Draft,
  options: ImportOptions,
  baseDirectory: string,
): Promise<Settled> {
  draft.models.forEach((model) => void settleImage(model, options.engineVersion));
  const models = settledModels(draft);
  const written = { ...draft, models: models.map(({ draft: each }) => each) };
  const pools = poolsOf(written);
  const settlement = { name, draft: written, options, models, pools };
  const cluster = clusterOf(settlement);
  const gpus = pools.map((pool) => [pool, candidatesOf(pool, options, cluster)] as const);
  const tried: Settled[] = [];
  const rounds = Math.max(1, ...gpus.map(([, candidates]) => candidates.length));
  for (let round = 0; round < rounds; round += 1) {
    const machines = new Map(
      gpus.map(([pool, candidates]) => [
        pool,
        candidates[Math.min(round, candidates.length - 1)] ?? (candidates[0] as ResolvedMachine),
      ]),
    );
    takeOwnLengths(models, machines);
    const settled = await repaired({ ...settlement, machines }, baseDirectory);
    tried.push(settled);
    if (!isRefused(settled)) {
      break;
    }
  }
  return shortened(bestOf(tried), baseDirectory);
}

function isRefused({ decision }: Settled): boolean {
  return decision.kind === "planned" && decision.refusals.length > 0;
}

/** The one that fits, else the largest, if size is the problem. */
function bestOf(tried: readonly Settled[]): Settled {
  const last = tried[tried.length - 1] as Settled;
  const { decision } = last;
  const isTooSmall = decision.kind === "planned" && decision.refusals.every(({ rule }) => rule === TOO_LARGE);
  return isRefused(last) && !isTooSmall ? (tried[0] as Settled) : last;
}

function settledModels(draft: Draft): SettledModel[] {
  const written = draft.models.flatMap((model) => {
    const weights = weightsOf(model);
    if (weights === undefined) {
      model.ledger.dismiss(
        model.weights === undefined
          ? "no field says which weights it serves: write the repository into the file"
          : `${model.weights} does not say which weights it serves: write the repository into the file, or where they are as models.*.source (docs/own-weights.md)`,
        model.at,
      );
      return [];
    }
    return [{ model, weights }];
  });
  const keys = uniqueKeys(written.map(({ model }) => (model.name === "system" ? "system-model" : model.name)));
  return written.map(({ model, weights }, index): SettledModel => {
    const stated = model.settings.contextTokens;
    const own = weights.entry && readCatalogueModel(weights.entry).maxContextTokens;
    const contextReason =
      typeof stated === "number"
        ? undefined
        : own === undefined
          ? "default: the file states no length"
          : "the model's own length, which vLLM takes where no flag states one";
    noteWeights(model, weights);
    model.replicas = soundReplicas(model);
    return {
      key: keys[index] ?? keyOf(model.name),
      draft: model,
      weights: writtenWeights(weights, model.revision),
      contextTokens: typeof stated === "number" ? stated : (own ?? DEFAULTS.contextTokens),
      ...(own !== undefined && { ownTokens: own }),
      ...(contextReason !== undefined && { contextReason }),
    };
  });
}

const MOST_REPLICAS = 1000;

function soundReplicas({ ledger, at, replicas }: ModelDraft): ModelDraft["replicas"] {
  const { min, max } = replicas;
  const isSound = (count: number) => Number.isInteger(count) && count >= 0 && count <= MOST_REPLICAS;
  if (isSound(min) && (max === undefined || isSound(max))) {
    return replicas;
  }
  ledger.wrong(
    at,
    `${min} to ${max ?? min} replicas: allowed are whole numbers up to ${MOST_REPLICAS}; one is planned`,
  );
  return { min: 1 };
}

function weightsOf({ name, engine, weights, settings }: ModelDraft): Weights | undefined {
  const config = `models/${name}/config.json`;
  if (settings.source !== undefined) {
    const entry = weights === undefined ? undefined : weightsNamed(weights)?.entry;
    return entry === undefined ? { config } : { entry };
  }
  if (weights?.startsWith("s3://")) {
    return { stored: weights };
  }
  if (weights === undefined) {
    return undefined;
  }
  if (engine === "ollama") {
    return weightsTagged(weights.replace(/^ollama:\/\//, ""));
  }
  return weightsNamed(weights) ?? (isFolder(weights) ? { config, stored: `s3://models/${name}` } : undefined);
}

function noteWeights(model: ModelDraft, { entry, repository, tag, stored, config }: Weights): void {
  const { ledger, at, namedAt = at, weights: name = "", settings } = model;
  const note = (why: string) => void ledger.changed(at, why, "models.*.model");
  if (config !== undefined) {
    note(`nothing says which weights these are: write their config.json as ${config}, next to the environment`);
  } else if (entry === undefined && tag !== undefined && repository === undefined) {
    note(
      `the catalogue has no model of the tag ${tag}: write model: hf://org/name in place of config, and npm run pin keeps what the plan is made from`,
    );
  } else if (entry === undefined && repository !== undefined) {
    note(`${repository} is outside the catalogue: npm run pin keeps its config.json, which the plan is made from`);
  } else if (entry !== undefined && repository !== undefined && tag === undefined) {
    note(`${repository} holds the weights of ${entry.repository}: planned as ${entry.name}`);
  }
  if (isFolder(name) && tag === undefined && !name.includes("://")) {
    const why =
      settings.source !== undefined
        ? "the weights of this folder are models.*.source"
        : stored !== undefined
          ? `a folder of the pod: copy its files into the model store, as ${stored} (docs/own-weights.md)`
          : `a folder of the pod: the weights come from ${entry?.repository ?? repository}, by its name; others are models.*.source (docs/own-weights.md)`;
    ledger.correct("models.*.model", namedAt, why);
  }
}

/** In order of trial. */
function candidatesOf(pool: ImportedPool, options: ImportOptions, cluster: "local" | "oci" | "aws"): ResolvedMachine[] {
  const { machine, processor, models } = pool;
  const least = Math.max(1, ...models.map(gpusPerPod));
  const sized = (gpus: number, chosen: Pick<ResolvedMachine, "shape" | "card" | "isDefault">): ResolvedMachine => {
    const slots = gpus * (machine.slicesPerGpu ?? 1);
    const min = machine.nodes?.min ?? nodesFor(pool, Math.max(slots, 1), "min");
    const max = Math.max(machine.nodes?.max ?? machine.nodes?.min ?? nodesFor(pool, Math.max(slots, 1), "max"), min);
    return { ...chosen, gpusPerNode: gpus, nodes: { min, max } };
  };
  const named = machine.shape ?? (cluster === "local" ? undefined : options.shape);
  if (
    machine.shape === undefined &&
    processor !== "cpu" &&
    named !== undefined &&
    findShape(named)?.gpu === undefined
  ) {
    throw new ImportFileError(`--shape ${named} has no GPU, and the files ask for GPUs: npm run list -- shapes`);
  }
  if (named !== undefined && findShape(named) !== undefined) {
    return [sized(findShape(named)?.gpu?.count ?? 0, { shape: named, isDefault: false })];
  }
  if (processor === "cpu") {
    return [
      cluster === "local"
        ? sized(0, { isDefault: true })
        : sized(0, { shape: cluster === "oci" ? "VM.Standard.E4.Flex" : "m7a.4xlarge", isDefault: true }),
    ];
  }
  if (cluster === "local") {
    const perNode =
      options.gpusPerNode ?? machine.gpusPerNode ?? [1, 2, 4, 8, 16].find((count) => count >= least) ?? least;
    const card = options.card ?? machine.card;
    const tried: readonly string[] = card === undefined ? CANDIDATES.local[processor] : [card];
    return tried.map((each) => sized(perNode, { card: each, isDefault: card === undefined }));
  }
  const wanted = gpuOfCard(machine.card)?.model;
  const shapes: readonly string[] = CANDIDATES[cluster][processor];
  const large = shapes.filter((shape) => (findShape(shape)?.gpu?.count ?? 0) >= least);
  const fitting = large.filter((shape) => wanted === undefined || findShape(shape)?.gpu?.model === wanted);
  const found = fitting.length > 0 ? fitting : large;
  return found.map((shape) => sized(findShape(shape)?.gpu?.count ?? 1, { shape, isDefault: true }));
}

async function repaired(settlement: Settlement, baseDirectory: string): Promise<Settled> {
  return rewritten(await corrected(settlement, baseDirectory), baseDirectory);
}

/** Removes what the configuration refuses, with reasons. */
async function corrected(settlement: Settlement, baseDirectory: string): Promise<Settled> {
  let text = environmentText(settlement);
  let decision = await decideOn(settlement, text, baseDirectory);
  for (let round = 0; round < MOST_REPAIRS && decision.kind === "mistakes"; round += 1) {
    const left = decision.problems.filter(({ keys, allowed, fix }) =>
      leaveOut(settlement, keys, `allowed is ${allowed}; ${fix}`),
    );
    if (left.length === 0) {
      break;
    }
    text = environmentText(settlement);
    decision = await decideOn(settlement, text, baseDirectory);
  }
  return { ...settlement, text, decision };
}

/** Rewrites what the planner refuses, if an alternative exists. */
async function rewritten(settled: Settled, baseDirectory: string): Promise<Settled> {
  let current = settled;
  for (const model of settled.models) {
    const refusal = refusalOf(current, model);
    for (const { apply, note } of refusal === undefined ? [] : attemptsFor(model, refusal)) {
      const restore = held(model.draft);
      apply();
      const tried = await corrected(current, baseDirectory);
      if (tried.decision.kind === "planned" && refusalOf(tried, model) === undefined) {
        note(firstLine(refusal?.message ?? ""));
        current = tried;
        break;
      }
      restore();
    }
  }
  return current;
}

/** Only on models with a config.json. */
async function decideOn(settlement: Settlement, text: string, baseDirectory: string): Promise<Decision> {
  const { models, pools, draft } = settlement;
  const known = models.filter(({ weights }) => !isUndescribed(weights));
  const decision = await decide(settlement.name, text, baseDirectory);
  if (decision.kind !== "unknown" || known.length === models.length || known.length === 0) {
    return decision;
  }
  const drafts = known.map((model) => model.draft);
  const readable = { ...settlement, models: known, draft: { ...draft, models: drafts }, pools };
  const partial = await decide(settlement.name, environmentText(readable), baseDirectory);
  return partial.kind === "planned" ? { ...partial, isPartial: true } : decision;
}

/** The longest length that fits, if no file states one. */
async function shortened(settled: Settled, baseDirectory: string): Promise<Settled> {
  let current = settled;
  for (const model of settled.models) {
    const full = model.contextTokens;
    const refusal = refusalOf(current, model);
    if (refusal === undefined || model.draft.statesContext) {
      continue;
    }
    let fits: number | undefined;
    for (
      let length = 2 ** Math.floor(Math.log2(full - 1));
      length >= LEAST_CONTEXT && fits === undefined;
      length /= 2
    ) {
      model.contextTokens = length;
      const tried = await repaired(current, baseDirectory);
      fits = refusalOf(tried, model) === undefined ? length : undefined;
      current = fits === undefined ? current : tried;
    }
    if (fits === undefined) {
      model.contextTokens = full;
    } else if (model.draft.takesWhatFits === true) {
      const why = `the original takes the longest context that fits: ${fits} tokens`;
      model.draft.ledger.changed(model.draft.at, why, "models.*.contextTokens");
    } else {
      const { ledger, at } = model.draft;
      const reason = firstLine(refusal.message);
      model.contextReason = `default: as much of the original's ${full} tokens as fits`;
      if (isOriginals(current, model)) {
        ledger.wrong(
          at,
          `no flag states a length, and one request of the model's ${full} tokens does not fit, so that vLLM does not start (${reason}): ${fits} tokens fit`,
        );
      } else {
        ledger.changed(
          at,
          `no field states a length, and ${full} tokens do not fit (${reason}): ${fits} do`,
          "models.*.contextTokens",
        );
      }
    }
  }
  const text = environmentText(current);
  return { ...current, text, decision: await decideOn(current, text, baseDirectory) };
}

/** Undefined if placed, or unknown. */
export function refusalOf(
  { decision }: Pick<Settled, "decision">,
  { key }: Pick<SettledModel, "key">,
): CapacityProblem | undefined {
  if (decision.kind !== "planned") {
    return undefined;
  }
  return decision.refusals.find(({ subject }) => subject === `models.${key}` || subject === key);
}

/** Options that lower GPU memory below the plan's count. */
function movesMemory({ engine, args }: ModelDraft): boolean {
  const { memory } = engineOf(engine).options.arguments;
  return Object.keys(args).some((name) => ruleFor(memory, name) !== undefined);
}

/** Whether all of it is stated: machine, published image, every flag. */
export function isOriginals({ options, pools }: Settlement, { draft }: SettledModel): boolean {
  const { card, shape } = pools.find(({ models }) => models.includes(draft))?.machine ?? {};
  return (
    (card ?? shape) !== undefined &&
    (options.card ?? options.shape) === undefined &&
    draft.engine === "vllm" &&
    draft.image?.image.isOfficial === true &&
    !movesMemory(draft) &&
    !draft.ledger.isShortOf(draft.at)
  );
}

export function firstLine(text: string): string {
  return text.split("\n")[0]?.trim() ?? "";
}
