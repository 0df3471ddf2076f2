/** Whether an engine starts on a card: device code in its image, and support by the engine. */
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
 * Known before memory is computed. For an unknown card, only whether the release is known: see
 * unknownCards.
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

/** Whether the release is known, for any card. */
export function unknownCardVerdict(model: ModelRequest): CardVerdict {
  const [any] = gpuModels.flatMap(({ model: name, abilities }) => (abilities ? [{ model: name, ...abilities }] : []));
  const { unread } = (any && engineOf(model.engine).cardVerdict?.(model, any)) ?? NOTHING_TO_SAY;
  return { ...NOTHING_TO_SAY, ...(unread && { unread }) };
}

/** With an override, programs see a sibling card; number formats stay the real card's. */
function cardAsRun({ model, support }: Pick<GpuSpec, "model" | "support">, abilities: CardAbilities): Card {
  const gfx = (support?.hsaOverride && gfxOfOverride(support.hsaOverride)) ?? abilities.gfx;
  return { model, ...abilities, ...(gfx && { gfx }) };
}

/** AMD's support of the card, and settings that make it run. */
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

export function cpuVerdict(model: ModelRequest, arch: CpuArchitecture): CardVerdict {
  const isPinned = model.engineVersion === engineVersion(model.engine);
  return engineOf(model.engine).onCpu?.verdict(model, arch, isPinned) ?? NOTHING_TO_SAY;
}

/** Undefined when the image has device code for the card, or its cards are unknown. */
function imageVerdict(model: ModelRequest, gpu: GpuSpec, card: Card): CardVerdict | undefined {
  const { name, engine, task } = model;
  const built = cardsOf(modelImageName(model, gpu.vendor));
  if (built === undefined || meets(card, built) !== "no") {
    return undefined;
  }
  // Engines with their own registry need no checkpoint and can take any model.
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

/** AMD cards for own machines that the engine supports, by name: few know targets by heart. */
function ownCardsText(model: ModelRequest, { vendor }: GpuSpec): string {
  const names = vendor === "amd" ? servingCards([model], vendor) : [];
  return names.length === 0 ? "" : ` (${model.engine} serves on ${names.join(", ")})`;
}

/**
 * Cards for own machines supported by the images of all these models, by `node.card` name.
 *
 * @param isMeant filter. @default all
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

/** Assumed where the image's cards are unknown. */
function hasCodeFor(card: Card, image: string): boolean {
  const built = cardsOf(image);
  return built === undefined || meets(card, built) !== "no";
}

function cardsOf(image: string | undefined) {
  return image === undefined ? undefined : imageEntry(image).gpus;
}
