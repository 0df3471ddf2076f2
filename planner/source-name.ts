/** A model's source whose name states another size or format than the plan counts: one of the two is not what was meant. */
import { engineNames, engineOf } from "../engines";
import { originOf } from "../engines/sources";
import { formatLabel } from "./model/format-names";
import { countParameters } from "./model/parameters";
import { isSizeOf, kindsOf, type StatedKind, statedKind, statedSizes } from "./model/weights-name";
import type { ModelRequest } from "./request";
import type { CapacityProblem } from "./types";
import { fileFormat } from "./weight-format";

/** None of what the user states the memory of: its architecture is that of a relative. */
export function sourceNameProblems(model: ModelRequest): CapacityProblem[] {
  if (model.declaredMemoryGiB !== undefined) {
    return [];
  }
  const texts = [sizeText(model), engineOf(model.engine).formatNamed === undefined ? formatText(model) : undefined];
  return texts
    .filter((text) => text !== undefined)
    .map((message) => ({
      severity: "mandatory",
      rule: "source-name",
      subject: `models.${model.name}`,
      message,
    }));
}

function sizeText({ name, source, architecture }: ModelRequest): string | undefined {
  const origin = originOf(source).name;
  const sizes = statedSizes(origin);
  if (sizes.length === 0 || sizes.some((size) => isSizeOf(size, architecture))) {
    return undefined;
  }
  const billions = (countParameters(architecture).total / 1e9).toPrecision(3);
  const stated = sizes.map(({ word }) => word).join(", ");
  return `models.${name}.source ${origin} states ${stated}, and the plan counts ${architecture.name ?? architecture.family} with ${billions} billion parameters. Allowed: a source whose size differs by less than a third. To fix it: name the model, or the config, of that source, or another source.`;
}

/** Engines that read the format from the name itself have no second statement to compare. */
function formatText(model: ModelRequest): string | undefined {
  const { name, source, architecture, engine } = model;
  const origin = originOf(source).name;
  const stated = statedKind(origin);
  const files = fileFormat(model);
  const kinds = kindsOf(architecture, files);
  if (stated === undefined || kinds.length === 0 || kinds.includes(stated.kind)) {
    return undefined;
  }
  return `models.${name}.source ${origin} states ${stated.word} weights, and the plan counts ${formatLabel(architecture, files)}. ${remedy(engine, stated)}`;
}

function remedy(engine: ModelRequest["engine"], { kind, word, quantization }: StatedKind): string {
  const { label, formats } = engineOf(engine);
  if (kind === "gguf" || kind === "mlx") {
    const reader = engineNames.find((name) => engineOf(name).formatNamed !== undefined);
    const other = kind === "gguf" && reader ? `, or write engine: ${reader}` : "";
    return `${label} reads no ${word.toUpperCase()} files. To fix it: name a repository of safetensors${other}.`;
  }
  const isNamed = kind !== "plain" && quantization !== undefined && formats.takes(quantization);
  const written =
    isNamed && formats.removed?.includes(quantization) !== true ? `write quantization: ${quantization}, or ` : "";
  return `Allowed: a source in the format that is counted. To fix it: ${written}give config: the config.json of that source, or name another source.`;
}
