/** Traits that determine the estimate's error, from measured start-ups. */

import type { GpuModel } from "../../../catalog/shapes";
import { compareVersions } from "../../../names/versions";
import type { Evidence } from "../../../planner/memory/uncertainty";
import { type ModelArchitecture, mixersOf } from "../../../planner/model/architecture";
import { formatLabel } from "../../../planner/model/format-names";
import { cardsNamed } from "./cards";
import table from "./evidence.json";
import type { VllmRequest } from "./request";

/** Values that select error terms (error-terms.json). */
export interface EvidenceTraits {
  readonly processor: "nvidia" | "amd" | "cpu" | "unknown";
  /**
   * Whether start-ups of the card's generation (compute capability, NVLink board) exist, in any
   * version.
   */
  readonly card: "measured" | "unmeasured";
  /**
   * Start-ups of this release line with this attention: on the generation, on other cards only, or
   * none.
   */
  readonly version: "measured" | "elsewhere" | "unmeasured";
  /**
   * Loss of a first, uncompiled start on the card's generation, since 0.20.0; "none": an older
   * release.
   */
  readonly firstStart: "loses" | "keeps" | "unseen" | "none";
  readonly attention: "full" | "windows" | "latent" | "compressed" | "recurrent" | "none";
  /**
   * "measured": start-ups of this release line with experts on the generation, with any attention.
   */
  readonly experts: "none" | "measured" | "unmeasured";
  readonly format: "measured" | "unmeasured";
  /** Image tower; "unmeasured" for releases without start-ups that profile one. */
  readonly tower: "none" | "measured" | "unmeasured";
  readonly layout: "measured" | "unmeasured";
}

export interface VllmEvidence extends Evidence<EvidenceTraits> {
  readonly names: { readonly version: string; readonly card: string; readonly layout: string; readonly format: string };
}

export function evidenceFor(request: VllmRequest): VllmEvidence {
  const { architecture, engine, gpuModel, device, quantization, tensorParallel, pipelineParallel } = request;
  const cards = gpuModel === undefined ? [] : cardsNamed(gpuModel);
  const attention = attentionOf(request);
  const withExperts = startUpsLike(cards, engine.version, [attention, "experts"]).version;
  const format = formatLabel(architecture, quantization);
  const most = table.layout;
  const isMeasuredLayout = tensorParallel <= most.tensorParallel && pipelineParallel <= most.pipelineParallel;
  return {
    traits: {
      processor: device === "cpu" ? "cpu" : (cards[0]?.vendor ?? "unknown"),
      ...startUpsLike(cards, engine.version, [attention]),
      firstStart: firstStartOf(cards, engine.version),
      attention,
      experts: architecture.experts === undefined ? "none" : withExperts === "measured" ? "measured" : "unmeasured",
      format: table.formats.some((known) => format.startsWith(known)) ? "measured" : "unmeasured",
      tower: towerOf(request),
      layout: isMeasuredLayout ? "measured" : "unmeasured",
    },
    names: {
      version: `vLLM ${engine.version}`,
      card: device === "cpu" ? "CPUs" : (gpuModel ?? "a card without a name"),
      layout: `TP ${tensorParallel} × PP ${pipelineParallel}`,
      format,
    },
  };
}

/** An ambiguous name counts as the worst of its cards. */
function firstStartOf(cards: readonly GpuModel[], version: string): EvidenceTraits["firstStart"] {
  if (compareVersions(version, "0.20.0") < 0) {
    return "none";
  }
  const { loses, keeps } = table.firstStarts;
  const are = (named: readonly string[]) => (card: GpuModel) => named.flatMap(classesOf).includes(cardClassOf(card));
  if (cards.some(are(loses))) {
    return "loses";
  }
  return cards.length > 0 && cards.every(are(keeps)) ? "keeps" : "unseen";
}

const TOWERS_MEASURED_FROM = "0.15.0";

function towerOf({ architecture: { vision }, engine }: VllmRequest): EvidenceTraits["tower"] {
  if (vision === undefined) {
    return "none";
  }
  return compareVersions(engine.version, TOWERS_MEASURED_FROM) >= 0 ? "measured" : "unmeasured";
}

type StartUps = Pick<EvidenceTraits, "card" | "version">;

const startUps = new Map<string, StartUps>();

/** Cached: planners request few cards and versions very often. */
function startUpsLike(cards: readonly GpuModel[], version: string, kinds: readonly string[]): StartUps {
  const line = releaseLine(version);
  const key = [line, ...kinds, ...cards.map(({ model }) => model)].join("\n");
  const found = startUps.get(key) ?? measuredOn(cards, line, kinds);
  startUps.set(key, found);
  return found;
}

/** An ambiguous name is measured only if all of its cards are. */
function measuredOn(cards: readonly GpuModel[], line: string, kinds: readonly string[]): StartUps {
  const runs = table.runs.map(({ card, versions, kinds: known }) => ({
    classes: classesOf(card),
    isLike: versions.includes(line) && kinds.every((kind) => known.includes(kind)),
  }));
  const ofCards = cards.map((card) => runs.filter(({ classes }) => classes.includes(cardClassOf(card))));
  const isOnCards = cards.length > 0 && ofCards.every((found) => found.some(({ isLike }) => isLike));
  return {
    card: cards.length > 0 && ofCards.every((found) => found.length > 0) ? "measured" : "unmeasured",
    version: isOnCards ? "measured" : runs.some(({ isLike }) => isLike) ? "elsewhere" : "unmeasured",
  };
}

/** "0.19" of "0.19.1rc2". */
export function releaseLine(version: string): string {
  return /^v?(\d{1,6}\.\d{1,6})/.exec(version)?.[1] ?? version;
}

const classesOf = (name: string): readonly string[] => cardsNamed(name).map(cardClassOf);

/** Cards that count as equal: kernel capability and NVLink. */
export function cardClassOf({ arch, abilities, nvlinkBoard }: GpuModel): string {
  return `${arch} ${abilities?.computeCapability ?? abilities?.gfx ?? ""}${nvlinkBoard === true ? " NVLink" : ""}`;
}

const attentions = new WeakMap<ModelArchitecture, EvidenceTraits["attention"]>();

function attentionOf({ architecture }: VllmRequest): EvidenceTraits["attention"] {
  const found = attentions.get(architecture) ?? hardestAttention(architecture);
  attentions.set(architecture, found);
  return found;
}

/** The least predictable kind among a model's layers. */
function hardestAttention(architecture: ModelArchitecture): EvidenceTraits["attention"] {
  if (architecture.kind === "encoder") {
    return "none";
  }
  const mixers = architecture.layerSpecs.flatMap(mixersOf);
  if (mixers.some(({ kind }) => kind === "recurrent")) {
    return "recurrent";
  }
  if (mixers.some(({ kind }) => kind === "compressed")) {
    return "compressed";
  }
  if (mixers.some(({ kind }) => kind === "latent")) {
    return "latent";
  }
  return mixers.some((mixer) => mixer.kind === "attention" && mixer.scope.kind !== "full") ? "windows" : "full";
}
