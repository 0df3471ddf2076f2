/** Whether an engine starts on a card: what its image has code for, and what the engine itself makes of the card. */
import { meets } from "../../catalog/card-needs";
import { imageEntry } from "../../catalog/images";
import type { CpuArchitecture, GpuSpec } from "../../catalog/shapes";
import { engineImageName, engineNames, engineOf, engineVersion, modelImageName } from "../../engines";
import { type Card, type CardVerdict, describe, describeNeeds, NOTHING_TO_SAY, OTHER_CARDS } from "../../engines/card";
import type { ModelRequest } from "../request";

/** What can be said of a model on a card before its memory is counted; of an unread card, nothing: see unknownCards. */
export function cardVerdict(model: ModelRequest, gpu: GpuSpec): CardVerdict {
  if (gpu.abilities === undefined) {
    return NOTHING_TO_SAY;
  }
  const { engine, engineVersion: version } = model;
  const pinned = engineVersion(engine);
  const card = { model: gpu.model, ...gpu.abilities };
  const own = () => engineOf(engine).cardVerdict?.(model, card, version === pinned) ?? NOTHING_TO_SAY;
  if (version !== pinned) {
    const { refusals, notes } = own();
    return {
      refusals,
      notes: [...notes, `which cards ${engine} ${version} supports was not read; ${pinned} was`],
    };
  }
  return imageVerdict(model, gpu, card) ?? own();
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
  const instead = others.map((other) => `write models.${name}.engine: ${other}, or `).join("");
  return {
    refusals: [
      {
        reason: `${describe(card)}, and the image of ${engine} ${engineVersion(engine)} is built for ${describeNeeds(built, card)}`,
        remedy: `${instead}${OTHER_CARDS}`,
      },
    ],
    notes: [],
  };
}

function cardsOf(image: string | undefined) {
  return image === undefined ? undefined : imageEntry(image).gpus;
}
