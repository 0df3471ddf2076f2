/** Whether an engine starts on a card: what its image has code for, and what the engine itself makes of the card. */
import { meets } from "../../catalog/card-needs";
import { gfxOfOverride, HSA_OVERRIDE } from "../../catalog/gfx";
import { imageEntry } from "../../catalog/images";
import {
  type CardAbilities,
  type CpuArchitecture,
  cards,
  type GpuModel,
  type GpuSpec,
  gpuModels,
} from "../../catalog/shapes";
import { engineImageName, engineNames, engineOf, engineVersion, modelImageName } from "../../engines";
import { type Card, type CardVerdict, describe, describeNeeds, NOTHING_TO_SAY, OTHER_CARDS } from "../../engines/card";
import type { ModelRequest } from "../request";

/**
 * What can be said of a model on a card before its memory is counted; of an unread card, only that the release was not read either,
 * which is the same on all: see unknownCards.
 */
export function cardVerdict(model: ModelRequest, gpu: GpuSpec): CardVerdict {
  if (gpu.abilities === undefined) {
    return unknownCardVerdict(model);
  }
  const { engine, engineVersion: version } = model;
  const pinned = engineVersion(engine);
  const card = cardAsRun(gpu, gpu.abilities);
  const { cardVerdict: verdictOf, cardsByVersion } = engineOf(engine);
  const ofImage = version === pinned && !model.image ? imageVerdict(model, gpu, card) : undefined;
  const { notes, ...verdict } = ofImage ?? verdictOf?.(model, card) ?? NOTHING_TO_SAY;
  const unread =
    version === pinned || cardsByVersion
      ? []
      : [`which cards ${engineOf(engine).label} ${version} supports was not read; ${pinned} was`];
  const ownImage = model.image ? [`which cards ${model.image.reference} has code for is not known`] : [];
  return { ...verdict, notes: [...supportNotes(gpu), ...notes, ...unread, ...ownImage] };
}

/** What can be said on whatever card: whether the release was read. */
export function unknownCardVerdict(model: ModelRequest): CardVerdict {
  const [any] = gpuModels.flatMap(({ model: name, abilities }) => (abilities ? [{ model: name, ...abilities }] : []));
  const { unread } = (any && engineOf(model.engine).cardVerdict?.(model, any)) ?? NOTHING_TO_SAY;
  return { ...NOTHING_TO_SAY, ...(unread && { unread }) };
}

/** The card as programs see it: under an override it is a sibling of itself, whose number formats stay its own. */
function cardAsRun({ model, support }: Pick<GpuSpec, "model" | "support">, abilities: CardAbilities): Card {
  const gfx = (support?.hsaOverride && gfxOfOverride(support.hsaOverride)) ?? abilities.gfx;
  return { model, ...abilities, ...(gfx && { gfx }) };
}

/** What AMD thinks of the card, and what its pods get so that it runs at all. */
function supportNotes({ model, support }: GpuSpec): string[] {
  if (support === undefined || support.rocm === "supported") {
    return [];
  }
  const { rocm, hsaOverride } = support;
  const opinion = `AMD ${rocm === "no" ? "calls" : "does not list"} ${model} ${rocm === "no" ? "unsupported by" : "for"} the ROCm of our images`;
  const override =
    hsaOverride === undefined
      ? ""
      : `; its pods get ${HSA_OVERRIDE}=${hsaOverride}, and it runs code made for ${gfxOfOverride(hsaOverride)}`;
  return [`${opinion}${override}`];
}

/** What the engine makes of a model on CPUs of an architecture. */
export function cpuVerdict(model: ModelRequest, arch: CpuArchitecture): CardVerdict {
  const isPinned = model.engineVersion === engineVersion(model.engine);
  return engineOf(model.engine).onCpu?.verdict(model, arch, isPinned) ?? NOTHING_TO_SAY;
}

/** Undefined when the engine's image has device code for the card, or it is not known which cards it has it for. */
function imageVerdict(model: ModelRequest, gpu: GpuSpec, card: Card): CardVerdict | undefined {
  const { name, engine, task } = model;
  const built = cardsOf(modelImageName(model, gpu.vendor));
  if (built === undefined || meets(card, built) !== "no") {
    return undefined;
  }
  // An engine with a registry of its own needs no checkpoint: whatever a model comes from now, it can come from there.
  const others = engineNames.filter((other) => {
    const { weightsFrom, tasks } = engineOf(other);
    const image = cardsOf(engineImageName(other, gpu.vendor));
    return (
      other !== engine &&
      weightsFrom === "registry" &&
      tasks.includes(task) &&
      image !== undefined &&
      meets(card, image) !== "no"
    );
  });
  const release = engineOf(engine).releaseWithCode?.(model, card);
  const instead = [
    ...(release === undefined ? [] : [`write models.${name}.engineVersion: "${release}", or `]),
    ...others.map((other) => `write models.${name}.engine: ${other}, or `),
  ].join("");
  return {
    refusals: [
      {
        reason: `${describe({ model: gpu.model, ...gpu.abilities })}${siblingText(gpu)}, and the image of ${engineOf(engine).label} ${engineVersion(engine)} is built for ${describeNeeds(built, card)}`,
        remedy: `${instead}${OTHER_CARDS}${ownCardsText(model, gpu)}`,
      },
    ],
    notes: [],
  };
}

function siblingText({ support }: GpuSpec): string {
  return support?.hsaOverride === undefined
    ? ""
    : `, which can run as ${gfxOfOverride(support.hsaOverride)} at most (${HSA_OVERRIDE}=${support.hsaOverride})`;
}

/** AMD's cards for machines of one's own that the engine serves on: few people know targets by heart. */
function ownCardsText(model: ModelRequest, { vendor }: GpuSpec): string {
  const names = vendor === "amd" ? servingCards([model], vendor) : [];
  return names.length === 0 ? "" : ` (${model.engine} serves on ${names.join(", ")})`;
}

/**
 * Cards for machines of one's own whose code is in the images of all these models, by the names that `node.card` takes.
 *
 * @param isMeant which of them. @default all
 */
export function servingCards(
  models: readonly Pick<ModelRequest, "engine" | "engineSettings">[],
  vendor: GpuSpec["vendor"],
  isMeant: (gpu: GpuModel) => boolean = () => true,
): readonly string[] {
  const images = models.map((model) => modelImageName(model, vendor));
  return cards.flatMap(({ name, gpu }) => {
    const found = gpuModels.find(({ model }) => model === gpu);
    if (found?.vendor !== vendor || found.abilities === undefined || !isMeant(found)) {
      return [];
    }
    const card = cardAsRun(found, found.abilities);
    return images.every((image) => image !== undefined && hasCodeFor(card, image)) ? [name] : [];
  });
}

/** So it is taken where nobody read which cards the image is for. */
function hasCodeFor(card: Card, image: string): boolean {
  const built = cardsOf(image);
  return built === undefined || meets(card, built) !== "no";
}

function cardsOf(image: string | undefined) {
  return image === undefined ? undefined : imageEntry(image).gpus;
}
