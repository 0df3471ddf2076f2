/** How near a request is to what start-up logs have shown: the traits that decide how far its estimate can be off. */

import type { GpuModel } from "../../../catalog/shapes";
import { compareVersions } from "../../../names/versions";
import type { Evidence } from "../../../planner/memory/uncertainty";
import { type ModelArchitecture, mixersOf } from "../../../planner/model/architecture";
import { formatLabel } from "../../../planner/model/format-names";
import { cardsNamed } from "./cards";
import table from "./evidence.json";
import type { VllmRequest } from "./request";

/** Values that the error terms ask for (error-terms.json). */
export interface EvidenceTraits {
  readonly processor: "nvidia" | "amd" | "cpu" | "unknown";
  /** Of the card's generation (compute capability, NVLink board) there are start-ups, of any version. */
  readonly card: "measured" | "unmeasured";
  /** Start-ups of this release line with such attention: on the generation, on other cards only, or none. */
  readonly version: "measured" | "elsewhere" | "unmeasured";
  /** What a start with nothing compiled yet loses on the card's generation, from 0.20.0 on; "none": an older release. */
  readonly firstStart: "loses" | "keeps" | "unseen" | "none";
  readonly attention: "full" | "windows" | "latent" | "compressed" | "recurrent" | "none";
  /** "measured": start-ups of this release line with experts on the generation, whatever their attention. */
  readonly experts: "none" | "measured" | "unmeasured";
  readonly format: "measured" | "unmeasured";
  /** A tower for images; "unmeasured" on releases of whose profiling with one there are no start-ups. */
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

/** A name that means several cards is as the worst of them. */
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

/** A planner asks for few cards and versions, very often. */
function startUpsLike(cards: readonly GpuModel[], version: string, kinds: readonly string[]): StartUps {
  const line = releaseLine(version);
  const key = [line, ...kinds, ...cards.map(({ model }) => model)].join("\n");
  const found = startUps.get(key) ?? measuredOn(cards, line, kinds);
  startUps.set(key, found);
  return found;
}

/** A name that means several cards is measured only where all of them are. */
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

/** Cards that count as one: what a kernel asks for, and whether NVLink joins them. */
export function cardClassOf({ arch, abilities, nvlinkBoard }: GpuModel): string {
  return `${arch} ${abilities?.computeCapability ?? abilities?.gfx ?? ""}${nvlinkBoard === true ? " NVLink" : ""}`;
}

const attentions = new WeakMap<ModelArchitecture, EvidenceTraits["attention"]>();

function attentionOf({ architecture }: VllmRequest): EvidenceTraits["attention"] {
  const found = attentions.get(architecture) ?? hardestAttention(architecture);
  attentions.set(architecture, found);
  return found;
}

/** The kind that is hardest to foresee, of the layers that a model mixes. */
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
